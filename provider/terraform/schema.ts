// Derives Terraform schemas from the kinds. The result is generated into schemas/terraform.json.
import type { TObject, TSchema } from "typebox";
import { type FieldInfo, containsSecret, membersOf, readability } from "../../core/kind/fields.ts";
import { keyForm } from "../../core/kind/identity.ts";
import type { JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { hasServerId, isSingleton } from "../../core/kind/shape.ts";
import { snakeCase, terraformType } from "../../core/text/naming.ts";
import { mapValues, nonNull, typesOf, view } from "../../core/schema/schema.ts";
import { traitsOf } from "../../core/schema/traits.ts";

/** The shape of a value. `json` is JSON text, for values of any or of several types. */
export type Form =
  | { readonly is: "string" | "number" | "bool" | "json" }
  | { readonly is: "list" | "set" | "map"; readonly of: Form }
  | { readonly is: "nested"; readonly nesting: Nesting; readonly attributes: readonly Attribute[] };

/** How nested objects are grouped. */
export type Nesting = "single" | "list" | "set" | "map";

/** One attribute. */
export interface Attribute {
  /** snake_case. */
  readonly name: string;
  /** The field of the spec or the status. */
  readonly field: string;
  /** The source of the value. `version` counts the writes of the write-only attribute `field`. */
  readonly part: "spec" | "status" | "version" | "importId" | "reference" | "generatedSecret";
  readonly form: Form;
  readonly mode: "required" | "optional" | "optionalComputed" | "computed";
  readonly sensitive: boolean;
  readonly writeOnly: boolean;
  /** Required to create the object, and optional afterwards. */
  readonly requiredOnCreate: boolean;
  /** The API never returns it, so the state holds the last-applied value. */
  readonly hidden: boolean;
  readonly default?: JsonValue;
  readonly description: string;
  readonly deprecated?: string;
}

/** A resource or data source. */
export interface Block {
  /** Name of the kind. */
  readonly kind: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
  /** Names of the attributes that identify a resource for its lifetime. */
  readonly identity?: readonly string[];
}

/** The schemas of the provider. */
export interface Schemas {
  readonly resources: Readonly<Record<string, Block>>;
  readonly dataSources: Readonly<Record<string, Block>>;
  /** Ephemeral resources: the kinds with a generated secret. */
  readonly ephemerals: Readonly<Record<string, Block>>;
}

/** The schema version of every resource. Increase it with an incompatible change of the attributes. */
export const stateVersion = 0;

/** The attribute of a plural data source that holds the objects. */
export const listName = "items";

/** Returns the schemas of these kinds. */
export function schemasOf(kinds: readonly Kind[]): Schemas {
  return {
    resources: Object.fromEntries(
      kinds.map((kind) => [terraformType(kind.name), resourceOf(kind)]),
    ),
    dataSources: Object.fromEntries(
      kinds.flatMap((kind) => [
        [terraformType(kind.name), dataSourceOf(kind)],
        ...(isSingleton(kind) ? [] : [[terraformType(kind.plural), listSourceOf(kind)] as const]),
      ]),
    ),
    ephemerals: Object.fromEntries(
      kinds
        .filter(({ generatedSecret }) => generatedSecret !== undefined)
        .map((kind) => [terraformType(kind.name), ephemeralOf(kind)]),
    ),
  };
}

function resourceOf(kind: Kind): Block {
  const volatile = new Set(
    membersOf(kind.status).flatMap(({ name, traits }) => (traits.volatile === true ? name : [])),
  );
  // A volatile value would be unknown in each plan that updates the resource.
  const attributes = attributesOf(kind).filter(
    ({ part, field }) => part !== "status" || !volatile.has(field),
  );
  return { kind: kind.name, description: kind.doc, attributes, identity: identityOf(kind) };
}

/** Returns all attributes of a kind, including volatile ones, which only data sources have. */
function attributesOf(kind: Kind): readonly Attribute[] {
  const spec = membersOf(kind.spec).flatMap((field) => {
    const attribute = specAttribute(field);
    return attribute.writeOnly ? [attribute, versionOf(attribute)] : [attribute];
  });
  return [...spec, ...computedAttributes(kind)];
}

/** Returns the identity attributes: the server's ids, or names that cannot change if it has no id. A singleton has none. */
function identityOf(kind: Kind): readonly string[] {
  const status = kind.status.properties;
  const scope = kind.scope.map((field) => (`${field}Id` in status ? `${field}Id` : field));
  const own = hasServerId(kind) ? ["id"] : kind.key.filter((field) => !kind.scope.includes(field));
  return [...scope, ...own].map(snakeCase);
}

/** Returns the computed attributes: status, generated secret, import id and reference. */
function computedAttributes(kind: Kind): readonly Attribute[] {
  const { generatedSecret } = kind;
  const secrets: readonly Attribute[] =
    generatedSecret === undefined
      ? []
      : [
          {
            ...computedAttribute(generatedSecret.name, "generatedSecret", generatedSecret.doc),
            sensitive: true,
            hidden: true,
          },
        ];
  return [
    ...membersOf(kind.status).map((field) => statusAttribute(field)),
    ...secrets,
    computedAttribute(
      "importId",
      "importId",
      `The id for \`terraform import\`: \`${keyForm(kind)}\`.`,
    ),
    computedAttribute(
      "reference",
      "reference",
      "The value with which other resources reference this one.",
    ),
  ];
}

function computedAttribute(field: string, part: Attribute["part"], description: string): Attribute {
  return {
    ...defaultFlags,
    name: snakeCase(field),
    field,
    part,
    form: { is: "string" },
    mode: "computed",
    description,
  };
}

const defaultFlags = {
  sensitive: false,
  writeOnly: false,
  requiredOnCreate: false,
  hidden: false,
} as const;

function specAttribute({ name, schema, traits, required }: FieldInfo): Attribute {
  const secret = containsSecret(schema);
  const fallback = traits.whenOmitted === "default" ? view(schema).default : undefined;
  const form = formOf(schema, !secret, secret);
  const isKept = traits.whenOmitted !== "clear" && !secret;
  const mode = required && !secret ? "required" : isKept ? "optionalComputed" : "optional";
  return {
    name: snakeCase(name),
    field: name,
    part: "spec",
    form,
    mode,
    sensitive: secret,
    writeOnly: secret,
    requiredOnCreate: secret && required,
    hidden: !secret && readability(schema) === "hidden",
    ...(fallback !== undefined && { default: fallback }),
    description: describe(schema, form),
    ...(traits.deprecated !== undefined && { deprecated: traits.deprecated }),
  };
}

function versionOf({ name, field }: Attribute): Attribute {
  const description = `Version of \`${name}\`. The provider increases it with each write. If you set it, \`${name}\` is written only when the version changes.`;
  const attribute = { ...computedAttribute(`${field}Version`, "version", description), field };
  return { ...attribute, form: { is: "number" }, mode: "optionalComputed" };
}

function statusAttribute({ name, schema }: FieldInfo): Attribute {
  const form = allComputed(formOf(schema, false, false));
  const description = describe(schema, form);
  return { ...computedAttribute(name, "status", description), form };
}

/** Returns the data source of one object. */
function dataSourceOf(kind: Kind): Block {
  const attributes = attributesOf(kind).flatMap((one) => dataSourceAttribute(one, kind.key));
  return { kind: kind.name, description: kind.doc, attributes };
}

/** Returns the ephemeral resource of a kind with a generated secret. */
function ephemeralOf(kind: Kind): Block {
  const nameField = kind.key.findLast((field) => !kind.scope.includes(field));
  const attributes = resourceOf(kind)
    .attributes.filter(({ part }) => part !== "version" && part !== "reference")
    .map((one) => {
      const { description, ...rest } = { ...one, writeOnly: false };
      const isName = one.part === "spec" && one.field === nameField;
      const note = isName
        ? " The provider adds a random suffix, so that concurrent runs do not conflict."
        : "";
      return { ...rest, description: `${description}${note}` };
    });
  const description = `Exists for one run: created when a plan or an apply opens it, deleted when the run ends. ${kind.doc}`;
  return { kind: kind.name, description, attributes };
}

/** Returns the data source of a collection. */
function listSourceOf(kind: Kind): Block {
  const all = attributesOf(kind);
  const scope = all
    .filter(({ part, field }) => part === "spec" && kind.scope.includes(field))
    .map((one): Attribute => ({ ...withoutReplaceNote(one), mode: "required" }));
  const items: Form = {
    is: "nested",
    nesting: "list",
    attributes: all.flatMap((one) => dataSourceAttribute(one, [])),
  };
  const itemsAttribute: Attribute = {
    ...computedAttribute(listName, "status", `Every ${kind.name} of the collection.`),
    form: items,
  };
  return { kind: kind.name, description: kind.doc, attributes: [...scope, itemsAttribute] };
}

/** Returns a resource attribute as one of a data source: an argument if it is part of the key, absent if the API never returns it. */
function dataSourceAttribute(one: Attribute, key: readonly string[]): readonly Attribute[] {
  if (one.writeOnly || one.hidden || one.part === "version") return [];
  if (one.part === "spec" && key.includes(one.field)) {
    const mode = one.default === undefined ? "required" : "optionalComputed";
    return [{ ...withoutReplaceNote(one), mode }];
  }
  const { default: _, ...rest } = withoutReplaceNote(one);
  return [{ ...rest, mode: "computed", form: allComputed(one.form) }];
}

/** Removes the note on replacement: a data source changes nothing. */
function withoutReplaceNote(one: Attribute): Attribute {
  const notes = one.description.split(replaceNote).map((part) => part.trim());
  return { ...one, description: notes.filter((part) => part !== "").join(" ") };
}

/** The note of fields that matter only when an object is created. */
const ignoreNote = "Used only when the object is created; a later change has no effect.";
const replaceNote = "Changing this forces a new resource to be created.";

function allComputed(form: Form): Form {
  if (form.is !== "nested") return form;
  return {
    ...form,
    attributes: form.attributes.map((one) => ({
      ...withoutReplaceNote(one),
      mode: "computed",
      form: allComputed(one.form),
    })),
  };
}

/** Returns the form of a schema. With `keeps`, omitted members keep their value; with `ordered`, sets become lists. */
function formOf(schema: TSchema, keeps: boolean, ordered: boolean): Form {
  const [only, another] = nonNull(schema);
  if (only === undefined || another !== undefined) return { is: "json" };
  const [type] = typesOf(only);
  if (type === "array") return listForm(schema, only, ordered);
  if (type === "string") return { is: "string" };
  if (type === "number" || type === "integer") return { is: "number" };
  if (type === "boolean") return { is: "bool" };
  if (type !== "object") return { is: "json" };
  const values = mapValues(only);
  if (values !== undefined) return collectionForm("map", formOf(values, false, ordered), values);
  return objectForm(only, keeps, ordered);
}

function listForm(schema: TSchema, list: TSchema, ordered: boolean): Form {
  const { items } = view(list);
  if (items === undefined) return { is: "json" };
  const isSet = (traitsOf(schema).order ?? traitsOf(list).order) === "set" && !ordered;
  return collectionForm(isSet ? "set" : "list", formOf(items, false, ordered), items);
}

function collectionForm(nesting: "list" | "set" | "map", inner: Form, schema: TSchema): Form {
  if (inner.is === "nested") {
    return inner.nesting === "single" ? { ...inner, nesting } : { is: "json" };
  }
  // A collection of values of any type is one JSON text, not a collection of JSON texts.
  const isOpen = inner.is === "json" && nonNull(schema).every((one) => typesOf(one).length === 0);
  return isOpen ? { is: "json" } : { is: nesting, of: inner };
}

function objectForm(schema: TObject | TSchema, keeps: boolean, ordered: boolean): Form {
  const fields = membersOf(schema);
  if (fields.length === 0 || view(schema).additionalProperties !== false) return { is: "json" };
  const attributes = fields.map(({ name, schema: inner, traits, required }): Attribute => {
    const form = formOf(inner, keeps, ordered);
    const optional = keeps && traits.whenOmitted !== "clear" ? "optionalComputed" : "optional";
    return {
      ...defaultFlags,
      name: snakeCase(name),
      field: name,
      part: "spec",
      form,
      mode: required ? "required" : optional,
      description: describe(inner, form),
      ...(traits.deprecated !== undefined && { deprecated: traits.deprecated }),
    };
  });
  return { is: "nested", nesting: "single", attributes };
}

function describe(schema: TSchema, form: Form): string {
  const { doc, onChange, refersTo, whenOmitted, writeOnly } = traitsOf(schema);
  const { default: fallback, enum: allowed } = view(schema);
  const notes = [
    doc,
    allowed !== undefined &&
      `One of ${allowed.map((one) => `\`${JSON.stringify(one)}\``).join(", ")}.`,
    refersTo !== undefined && `The \`reference\` of a \`${terraformType(refersTo)}\`.`,
    onChange === "replace" && replaceNote,
    onChange === "ignore" && ignoreNote,
    whenOmitted === "default" &&
      fallback !== undefined &&
      `Default: \`${JSON.stringify(fallback)}\`.`,
    whenOmitted === "clear" && "Omitting it clears the value.",
    writeOnly === true &&
      onChange !== "ignore" &&
      "The API does not return it, so drift is not detected.",
    form.is === "json" && "JSON text; use `jsonencode`.",
    "of" in form && form.of.is === "json" && "Each value is JSON text; use `jsonencode`.",
  ];
  return notes.filter((note) => typeof note === "string" && note !== "").join(" ");
}
