// Declarations as JSON Schema for editors and other tools: one document of a kind, and any document of a manifest.
import type { TSchema } from "typebox";
import { isSensitive, desiredSpecSchema } from "./fields.ts";
import { address, namePattern } from "./identity.ts";
import { isObject, type JsonObject, type JsonValue } from "./json.ts";
import type { Example, Kind, GeneratedSecret } from "./kind.ts";
import { lifecycleRules } from "./lifecycle-rules.ts";
import { mapValues, nonNull, typesOf, view } from "./schema.ts";
import { traitsOf, type Traits } from "./traits.ts";

const dialect = "https://json-schema.org/draft/2020-12/schema";

/** What `apiVersion` says in every document that this version understands. */
export const apiVersion = "svc/v1";

/** The schema of a document's `metadata`. */
export const metadataSchema: JsonObject = {
  type: "object",
  description: "What the document is called, in its stack and for people.",
  required: ["name"],
  additionalProperties: false,
  properties: {
    name: {
      type: "string",
      pattern: namePattern,
      description:
        "Name of the document in its stack: other documents refer to it so. Letters, digits, dots, hyphens and underscores.",
    },
    labels: {
      type: "object",
      description:
        "Labels of your own, by name, for windows, freezes, overlays and stages. The inventory keeps them; the service does not get them.",
      additionalProperties: { type: "string", maxLength: 255 },
    },
  },
};

/** The schema of the `metadata` of a document that wishes for an object. */
export const objectMetadataSchema: JsonObject = {
  ...metadataSchema,
  properties: {
    ...(metadataSchema["properties"] as JsonObject),
    // A schema is JSON; its builder only has another type for it.
    lifecycle: JSON.parse(JSON.stringify(lifecycleRules)) as JsonObject,
  },
};

/** Segments without `.` and `..`, parted by single slashes; no YAML, since a manifest would be read there. */
const sinkPattern =
  "^(?!.*\\.[yY][aA]?[mM][lL]$)(?!(.*/)?\\.{1,2}(/|$))[^/\\\\\\u0000-\\u001f]+(/[^/\\\\\\u0000-\\u001f]+)*$";

/** The schema of a document's `secretTo`, which kinds that mint a secret need. */
export const secretToSchema: JsonObject = {
  type: "object",
  description: "Where the secret goes that the service shows once, when it makes the object.",
  required: ["file"],
  additionalProperties: false,
  properties: {
    file: {
      type: "string",
      maxLength: 1024,
      pattern: sinkPattern,
      description:
        "Path in the stack's folder, of a file that does not exist yet: svc writes it for its owner alone (mode 0600). Keep it out of the repository.",
    },
  },
};

/** What making an object of a kind that mints a secret asks of its document, in Markdown. */
export function generatedSecretText({ name, doc }: GeneratedSecret): string {
  return `Making it makes a secret, its \`${name}\`: ${doc} It is shown once, so a document names, beside its \`spec\`, a file for it in the stack's folder: \`secretTo: { file: secrets/NAME }\`.`;
}

/** The schema of a document that wishes for an object of this kind. Plain JSON; the `x-` keywords of traits are kept. */
export function documentSchema(kind: Kind): JsonObject {
  return { $schema: dialect, ...documentBody(kind) };
}

/**
 * The schema of any document of a manifest: which one applies is decided by its `kind`, so that an editor completes and
 * checks each against its own. `others` describe the documents that wish for no object, by what they say as their kind.
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
    title: "A document of a manifest",
    type: "object",
    required: ["apiVersion", "kind"],
    properties: {
      apiVersion: { const: apiVersion, description: "The version of the manifest's language." },
      kind: {
        type: "string",
        description: "What the document wishes for.",
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

function documentBody(kind: Kind): JsonObject {
  return {
    title: kind.name,
    description: plain(kind.doc),
    markdownDescription: kind.doc,
    type: "object",
    required: [
      "apiVersion",
      "kind",
      "metadata",
      "spec",
      ...(kind.generatedSecret ? ["secretTo"] : []),
    ],
    additionalProperties: false,
    properties: {
      apiVersion: { const: apiVersion },
      kind: { const: kind.name, description: plain(kind.doc) },
      metadata: objectMetadataSchema,
      spec: described(desiredSpecSchema(kind), { description: `What ${kind.name} is to be like.` }),
      ...(kind.generatedSecret && { secretTo: secretToSchema }),
    },
    examples: kind.examples.map((example) => exampleDocument(kind, example)),
  };
}

/** An example as a document, as a user would write it. */
export function exampleDocument(kind: Kind, { name, spec }: Example): JsonObject {
  const sink = kind.generatedSecret && { secretTo: { file: `secrets/${name}` } };
  return { apiVersion, kind: kind.name, metadata: { name }, spec, ...sink };
}

/** Where a secret field may take its value from instead of saying it. */
const valueFrom: JsonObject = {
  type: "object",
  title: "where the value is taken from",
  description: "A value that stands elsewhere, where the operator grants it.",
  required: ["valueFrom"],
  additionalProperties: false,
  properties: {
    valueFrom: {
      type: "object",
      description: "One of these.",
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
      properties: {
        env: {
          type: "string",
          minLength: 1,
          description: "An environment variable, which the Stack names in spec.environment too.",
        },
        file: {
          type: "string",
          minLength: 1,
          description:
            "A file, as seen from the Stack's folder; one line end behind it does not count.",
        },
        sops: {
          type: "object",
          description: "A file that sops decrypts, or one value in it.",
          required: ["file"],
          additionalProperties: false,
          properties: {
            file: { type: "string", minLength: 1, description: "As seen from the Stack's folder." },
            key: {
              type: "array",
              items: { anyOf: [{ type: "string" }, { type: "integer", minimum: 0 }] },
              description:
                "The names that lead to the value, and numbers for items of lists, from 0 on; without it, the whole file.",
            },
          },
        },
        age: {
          type: "object",
          description: "A file that age decrypts.",
          required: ["file", "identity"],
          additionalProperties: false,
          properties: {
            file: { type: "string", minLength: 1, description: "As seen from the Stack's folder." },
            identity: {
              type: "string",
              minLength: 1,
              description: "The file of the key, which the operator grants.",
            },
          },
        },
        command: {
          type: "array",
          minItems: 1,
          items: { type: "string" },
          description: "A program and its arguments; what it prints is the value.",
        },
      },
    },
  },
};

/** The schema of a secret field, which may also say where its value comes from; annotations stay outside. */
function orValueFrom(schema: JsonObject): JsonObject {
  const isOutside = (keyword: string): boolean =>
    /^x-|escription$/u.test(keyword) || keyword === "deprecated";
  const parts = Object.groupBy(Object.entries(schema), ([keyword]) =>
    isOutside(keyword) ? "outside" : "inside",
  );
  const inside = Object.fromEntries(parts.inside ?? []);
  return { ...Object.fromEntries(parts.outside ?? []), anyOf: [inside, valueFrom] };
}

/** The schema as plain JSON in which every field tells editors what its traits mean. */
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
  const told = {
    ...copy,
    ...(traits.doc === "" ? {} : { description: plain(traits.doc) }),
    ...(markdown === "" ? {} : { markdownDescription: markdown }),
    ...(traits.deprecated === undefined ? {} : { deprecated: true }),
  };
  return isSensitive(traits) ? orValueFrom(told) : told;
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

/** What the traits of a field mean for whoever writes a manifest, a sentence each; `fallback` is its default. */
export function traitNotes(traits: Traits, fallback?: JsonValue): readonly string[] {
  const notes: readonly (string | false | undefined)[] = [
    traits.deprecated !== undefined && `Deprecated: ${traits.deprecated}`,
    traits.refersTo !== undefined &&
      `Names ${address(traits.refersTo, "...")}: a document's name, or { external: key } for one outside the stack.`,
    traits.onChange === "replace" && "A change deletes the object and creates it anew.",
    traits.order === "set" && "Order does not matter, and duplicates count once.",
    traits.whenOmitted === "default" &&
      `Left out, it is ${fallback === undefined ? "its default" : JSON.stringify(fallback)}.`,
    traits.whenOmitted === "clear" && "Left out, it is cleared.",
    traits.serverChosen === true && "Left out, the service chooses it.",
    traits.neverCleared === true && "The API cannot clear it once it is set.",
    traits.writeOnly === true &&
      "The API does not show it, so drift cannot be seen; a change of the manifest is applied.",
    traits.maskedWhen !== undefined &&
      `The API may mask it, depending on ${traits.maskedWhen.field}; then drift cannot be seen.`,
    traits.patternBy !== undefined &&
      `Its form goes by ${traits.patternBy.field}: ${Object.entries(traits.patternBy.patterns)
        .map(([value, { expectation: means }]) => `of ${value}, ${means}`)
        .join("; ")}.`,
    traits.serverManagedWhile !== undefined &&
      `Moves by itself while ${traits.serverManagedWhile.field} is set, unless ${traits.serverManagedWhile.unless} is true; given here, it is pinned.`,
    traits.sensitive === true && "Secret: never shown.",
  ];
  return notes.filter((note) => typeof note === "string");
}

/** As {@link traitNotes}, with what holds in manifests only. */
export function manifestNotes(traits: Traits, fallback?: JsonValue): readonly string[] {
  const notes = traitNotes(traits, fallback);
  if (!isSensitive(traits)) return notes;
  return [...notes, "A secret comes from elsewhere: valueFrom, or ${env:NAME}."];
}

/**
 * What values a schema allows, in a few words for a table: `string, 1 to 100 characters`. `target` stands for the strings in
 * it, where those name other objects.
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

/** Markdown without its marks, for readers that show descriptions as they are. */
function plain(markdown: string): string {
  return markdown.replace(/`([^`]*)`/gu, "$1");
}
