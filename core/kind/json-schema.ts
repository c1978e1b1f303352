// Converts kinds to JSON Schema for editors and tools: the schema of one kind's document, and of any document in a manifest.
import type { TSchema } from "typebox";
import type { Component, ComponentExample } from "./component.ts";
import { componentSpecSchema } from "./component-schema.ts";
import { isFileMap, isSensitive, desiredSpecSchema } from "./fields.ts";
import { address } from "./identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Example } from "./example.ts";
import type { Kind } from "./kind.ts";
import type { GeneratedSecret } from "../secret.ts";
import { componentLifecycleRules, lifecycleRules } from "./lifecycle-rules.ts";
import { mapValues, nonNull, typesOf, view } from "../schema/schema.ts";
import { traitsOf, type Traits } from "../schema/traits.ts";
import { namePattern, secretFilePattern } from "../text/text-patterns.ts";
import { filesFrom, orValueFrom, valueFrom } from "../schema/value-from-schema.ts";

const dialect = "https://json-schema.org/draft/2020-12/schema";

/** The supported `apiVersion` of documents. */
export const apiVersion = "svc/v1";

/** The schema of a document's `metadata`. */
export const metadataSchema: JsonObject = {
  type: "object",
  description: "Name and labels of the document.",
  required: ["name"],
  additionalProperties: false,
  properties: {
    name: {
      type: "string",
      pattern: namePattern,
      description:
        "Name of the document, unique per kind in the stack. Other documents refer to it. Letters, digits, dots, hyphens and underscores.",
    },
    labels: {
      type: "object",
      description:
        "Custom labels, by name, which maintenance windows, freezes, overlays and stages can select. svc stores them in the inventory and does not send them to the service.",
      additionalProperties: { type: "string", maxLength: 255 },
    },
  },
};

/** The schema of `metadata` in a document that declares an object. */
export const objectMetadataSchema: JsonObject = {
  ...metadataSchema,
  properties: {
    ...(metadataSchema["properties"] as JsonObject),
    // The TypeBox schema is JSON with another type.
    lifecycle: JSON.parse(JSON.stringify(lifecycleRules)) as JsonObject,
  },
};

/** The schema of `metadata` in a document of a component. */
export const componentMetadataSchema: JsonObject = {
  ...metadataSchema,
  properties: {
    ...(metadataSchema["properties"] as JsonObject),
    lifecycle: JSON.parse(JSON.stringify(componentLifecycleRules)) as JsonObject,
  },
};

/** The schema of `secretTo`, which kinds with a generated secret require. */
export const secretToSchema: JsonObject = {
  type: "object",
  description:
    "Where svc stores the generated secret, which the service returns once, when it creates the object.",
  required: ["file"],
  additionalProperties: false,
  properties: {
    file: {
      type: "string",
      maxLength: 1024,
      pattern: secretFilePattern,
      description:
        "Path of a new file, relative to the stack's folder. svc creates it with mode 0600. Do not commit it.",
    },
  },
};

/** Returns a note, in Markdown, on how documents store the generated secret of a kind. */
export function generatedSecretText({ name, doc }: GeneratedSecret): string {
  return `The service generates a secret when it creates the object, the \`${name}\`: ${doc} The service returns it once, so the document declares a file for it beside \`spec\`: \`secretTo: { file: secrets/NAME }\`.`;
}

/** Returns the schema of a document of this kind as plain JSON, with the `x-` keywords of traits. */
export function documentSchema(kind: Kind): JsonObject {
  return { $schema: dialect, ...documentBody(kind) };
}

/**
 * Returns the schema of any document of a manifest. The document's `kind` selects the schema, for completion and
 * validation in editors. `others` contains the schemas of documents that declare no object, by kind.
 */
export function manifestSchema(
  kinds: readonly Kind[],
  others: Readonly<Record<string, JsonObject>> = {},
): JsonObject {
  const bodies: readonly [string, JsonObject][] = [
    ...kinds.map((kind): [string, JsonObject] => [kind.name, documentBody(kind)]),
    ...Object.entries(others),
  ];
  return {
    $schema: dialect,
    title: "A manifest document",
    type: "object",
    required: ["apiVersion", "kind"],
    properties: {
      apiVersion: { const: apiVersion, description: "Version of the manifest format." },
      kind: {
        type: "string",
        description: "Resource type, or type of configuration document.",
        enum: bodies.map(([name]) => name),
        markdownEnumDescriptions: bodies.map(
          ([, body]) => body["markdownDescription"] ?? body["description"] ?? "",
        ),
      },
    },
    allOf: bodies.map(([name]) => ({
      if: { required: ["kind"], properties: { kind: { const: name } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { $ref: `#/$defs/${name}` },
    })),
    $defs: Object.fromEntries(bodies),
  };
}

/** Returns the schema of a document of a component as plain JSON. */
export function componentDocumentSchema(component: Component): JsonObject {
  return { $schema: dialect, ...componentBody(component) };
}

/** Returns the schemas of the documents of components, by name, for {@link manifestSchema}. */
export function componentBodies(components: readonly Component[]): Record<string, JsonObject> {
  return Object.fromEntries(components.map((one) => [one.name, componentBody(one)]));
}

function componentBody(component: Component): JsonObject {
  return bodyOf(component, {
    metadata: componentMetadataSchema,
    spec: described(componentSpecSchema(component), {
      description: `Desired state of the objects of the ${component.name}.`,
    }),
    examples: component.examples.map((example) => componentDocument(component, example)),
  });
}

function documentBody(kind: Kind): JsonObject {
  return bodyOf(kind, {
    metadata: objectMetadataSchema,
    spec: described(desiredSpecSchema(kind), {
      description: `Desired state of the ${kind.name}.`,
    }),
    secretTo: kind.generatedSecret && secretToSchema,
    examples: kind.examples.map((example) => exampleDocument(kind, example)),
  });
}

function bodyOf(
  { name, doc }: Pick<Kind, "name" | "doc">,
  { metadata, spec, secretTo, examples }: BodyMembers,
): JsonObject {
  return {
    title: name,
    description: plain(doc),
    markdownDescription: doc,
    type: "object",
    required: ["apiVersion", "kind", "metadata", "spec", ...(secretTo ? ["secretTo"] : [])],
    additionalProperties: false,
    properties: {
      apiVersion: { const: apiVersion },
      kind: { const: name, description: plain(doc) },
      metadata,
      spec,
      ...(secretTo && { secretTo }),
    },
    examples,
  };
}

interface BodyMembers {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly secretTo?: JsonObject | undefined;
  readonly examples: JsonObject[];
}

/** Returns an example of a component as a document. */
export function componentDocument(
  { name: kind }: Component,
  { name, inputs: spec }: ComponentExample,
): JsonObject {
  return { apiVersion, kind, metadata: { name }, spec };
}

/** Returns an example as a document. */
export function exampleDocument(kind: Kind, { name, spec }: Example): JsonObject {
  const sink = kind.generatedSecret && { secretTo: { file: `secrets/${name}` } };
  return { apiVersion, kind: kind.name, metadata: { name }, spec, ...sink };
}

/** Returns the schema as plain JSON with descriptions of each field's traits. */
function described(schema: TSchema, more: JsonObject = {}): JsonObject {
  const copy = JSON.parse(JSON.stringify(schema)) as JsonObject;
  return { ...annotated(copy), ...more };
}

function annotated(schema: JsonObject): JsonObject {
  const inner = Object.entries(schema).map(([keyword, value]): [string, JsonValue | undefined] => [
    keyword,
    annotatedValue(keyword, value),
  ]);
  const copy: JsonObject = Object.fromEntries(inner);
  const traits = traitsOf(copy);
  const markdown = markdownFor(copy, traits);
  const annotatedSchema = {
    ...copy,
    ...(traits.doc === "" ? {} : { description: plain(traits.doc) }),
    ...(markdown === "" ? {} : { markdownDescription: markdown }),
    ...(traits.deprecated === undefined ? {} : { deprecated: true }),
  };
  if (isSensitive(traits)) return orValueFrom(annotatedSchema, valueFrom);
  return isFileMap(copy) ? orValueFrom(annotatedSchema, filesFrom) : annotatedSchema;
}

/** Keywords whose values are data, not schemas. */
const dataKeywords: ReadonlySet<string> = new Set(["default", "examples", "const", "enum"]);

function annotatedValue(keyword: string, value: JsonValue | undefined): JsonValue | undefined {
  const isNamed = keyword === "properties" || keyword === "patternProperties";
  if (isNamed && isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, isObject(one) ? annotated(one) : one]),
    );
  }
  if (dataKeywords.has(keyword) || keyword.startsWith("x-")) return value;
  if (Array.isArray(value)) return value.map((one) => (isObject(one) ? annotated(one) : one));
  return isObject(value) ? annotated(value) : value;
}

function markdownFor(schema: TSchema, traits: Traits): string {
  const notes = manifestNotes(traits, view(schema).default);
  return [traits.doc, ...notes.map((note) => `*${note}*`)]
    .filter((line) => line !== "")
    .join("\n\n");
}

/** Returns one sentence for each trait of a field. `fallback` is the field's default. */
export function traitNotes(traits: Traits, fallback?: JsonValue): readonly string[] {
  const notes: readonly (string | false | undefined)[] = [
    traits.deprecated !== undefined && `Deprecated: ${traits.deprecated}`,
    traits.refersTo !== undefined &&
      `Refers to ${address(traits.refersTo, "...")}: the name of a document, or { external: key } for an object outside the stack${belowText(traits)}.`,
    traits.onChange === "replace" &&
      "A change forces replacement: svc deletes the object and creates a new one.",
    traits.onChange === "ignore" &&
      "Used only when the object is created. A later change has no effect.",
    traits.order === "set" && "A set: order does not matter and duplicates are removed.",
    traits.whenOmitted === "default" &&
      (fallback === undefined ? "Has a default." : `Defaults to ${JSON.stringify(fallback)}.`),
    traits.whenRemoved === "refuse" &&
      "Once it is declared, leaving it out is an error, because rights could grow.",
    typeof traits.whenRemoved === "object" &&
      `Once it is declared, leaving it out sets ${JSON.stringify(traits.whenRemoved.becomes)}.`,
    traits.whenOmitted === "clear" && "Omitting the field clears it.",
    traits.serverChosen === true && "If omitted, the service chooses the value.",
    traits.resetBy !== undefined &&
      `A change of ${traits.resetBy.join(" or ")} resets the value on the server; svc then writes a declared value again.`,
    traits.neverCleared === true && "The API cannot clear the value once it is set.",
    traits.writeOnly === true &&
      traits.onChange !== "ignore" &&
      "The API does not return the value, so svc cannot detect drift. svc applies changes of the manifest.",
    traits.maskedWhen !== undefined &&
      `The API may mask the value, depending on ${traits.maskedWhen.field}. svc cannot detect drift of a masked value.`,
    traits.patternBy !== undefined &&
      `The format depends on ${traits.patternBy.field}: ${Object.entries(traits.patternBy.patterns)
        .map(([value, { expectation }]) => `for ${value}, ${expectation}`)
        .join("; ")}.`,
    traits.serverManagedWhile !== undefined &&
      `Leave it out to follow ${traits.serverManagedWhile.field}: the server can update the value with each change of the object, unless ${traits.serverManagedWhile.unless} is true. svc sets a declared value again.`,
    traits.readOnlyWhileManaged === true && "Read-only while managedBy in the status is set.",
    traits.sensitive === true && "Secret: never shown.",
  ];
  return notes.filter((note) => typeof note === "string");
}

/** Returns the clause about the key of an object inside another one: the key does not repeat the parent. */
function belowText({ within }: Traits): string {
  const parents = Object.keys(within ?? {});
  return parents.length === 0 ? "" : `, with its key below the same ${parents.join(" and ")}`;
}

/** Returns {@link traitNotes} with notes that apply to manifests only. */
export function manifestNotes(traits: Traits, fallback?: JsonValue): readonly string[] {
  const notes = traitNotes(traits, fallback);
  if (!isSensitive(traits)) return notes;
  return [...notes, "Provide a secret from an external source: valueFrom, or ${env:NAME}."];
}

/**
 * Returns a short description of a schema's type for tables: `string (1 to 100 characters)`. `target` replaces the strings in
 * a schema whose strings refer to other objects.
 */
export function typeText(schema: TSchema, target?: string): string {
  return nonNull(schema)
    .map((one) => oneTypeText(one, target))
    .join(" or ");
}

function oneTypeText(schema: TSchema, target: string | undefined): string {
  const { enum: values, const: only, items, title } = view(schema);
  if (title !== undefined) return title;
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(", ");
  const bounds = boundsText(schema);
  const bounded = bounds.length === 0 ? "" : ` (${bounds.join(", ")})`;
  if (items !== undefined) return `list${bounded} of ${typeText(items, target)}`;
  const inMap = mapValues(schema);
  if (inMap !== undefined) return `map${bounded} of ${typeText(inMap, target)}`;
  const types = typesOf(schema).join(" or ");
  if (types === "string" && target !== undefined) return target;
  return `${types === "" ? "anything" : types}${bounded}`;
}

function boundsText(schema: TSchema): readonly string[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, format } = view(schema);
  return [
    format ?? "",
    range(minLength, maxLength, "characters"),
    range(minimum, maximum, ""),
    range(minItems, maxItems, "items"),
  ].filter((text) => text !== "");
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return "";
  if (least === undefined) return `at most ${most} ${unit}`.trim();
  if (most === undefined) return `at least ${least} ${unit}`.trim();
  return `${least} to ${most} ${unit}`.trim();
}

/** Removes Markdown code marks, for tools that show descriptions as plain text. */
function plain(markdown: string): string {
  return markdown.replace(/`([^`]*)`/gu, "$1");
}
