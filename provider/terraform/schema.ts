// The kinds as Terraform sees them: attributes with their types and what may be said of them. Made once, kept as schemas/terraform.json.
import type { TObject, TSchema } from "typebox";
import { type FieldInfo, containsSecret, membersOf, readability } from "../../core/fields.ts";
import type { JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { snakeCase } from "../../core/naming.ts";
import { mapValues, nonNull, typesOf, view } from "../../core/schema.ts";
import { traitsOf } from "../../core/traits.ts";

/** What a value looks like; `json` is text, for what the schema leaves open or allows in several types. */
export type Form =
  | { readonly is: "string" | "number" | "bool" | "json" }
  | { readonly is: "list" | "set" | "map"; readonly of: Form }
  | { readonly is: "nested"; readonly nesting: Nesting; readonly attributes: readonly Attribute[] };

/** How nested objects are held. */
export type Nesting = "single" | "list" | "set" | "map";

/** One attribute. */
export interface Attribute {
  /** snake_case. */
  readonly name: string;
  /** The field of the spec or the status; what the bridge calls it otherwise. */
  readonly field: string;
  /** `version` counts the writes of the write-only attribute called `field`. */
  readonly part: "spec" | "status" | "version" | "importId" | "reference" | "minted";
  readonly form: Form;
  readonly mode: "required" | "optional" | "optionalComputed" | "computed";
  readonly sensitive: boolean;
  readonly writeOnly: boolean;
  /** It has to be given, but only to create the object. */
  readonly requiredOnCreate: boolean;
  /** The API never shows it, so the state holds what was applied last. */
  readonly hidden: boolean;
  readonly default?: JsonValue;
  readonly description: string;
  readonly deprecated?: string;
}

/** A resource or data source. */
export interface Block {
  /** Name of its kind. */
  readonly kind: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
  /** Names of the attributes that tell a resource from every other for as long as it lives. */
  readonly identity?: readonly string[];
}

/** Everything that the provider offers by declaration. */
export interface Schemas {
  readonly resources: Readonly<Record<string, Block>>;
  readonly dataSources: Readonly<Record<string, Block>>;
  /** Of the kinds that mint a secret. */
  readonly ephemerals: Readonly<Record<string, Block>>;
}

/** The version of every resource's state; a change of the attributes that old state does not fit raises it. */
export const stateVersion = 0;

/** Name of the list in a data source of many. */
export const listName = "items";

/** The schemas of these kinds. */
export function schemasOf(kinds: readonly Kind[]): Schemas {
  return {
    resources: Object.fromEntries(kinds.map((kind) => [typeName(kind.name), resourceOf(kind)])),
    dataSources: Object.fromEntries(
      kinds.flatMap((kind) => [
        [typeName(kind.name), dataSourceOf(kind)],
        [typeName(kind.plural), listSourceOf(kind)],
      ]),
    ),
    ephemerals: Object.fromEntries(
      kinds
        .filter(({ generatedSecret: mints }) => mints !== undefined)
        .map((kind) => [typeName(kind.name), ephemeralOf(kind)]),
    ),
  };
}

function typeName(name: string): string {
  return `svc_${snakeCase(name)}`;
}

function resourceOf(kind: Kind): Block {
  const spec = membersOf(kind.spec).flatMap((field) => {
    const attribute = specAttribute(field);
    return attribute.writeOnly ? [attribute, versionOf(attribute)] : [attribute];
  });
  const attributes = [...spec, ...computedAttributes(kind)];
  return { kind: kind.name, description: kind.doc, attributes, identity: identityOf(kind) };
}

/** The server's ids, which outlast every name; names only where the server gives no id and they cannot change. */
function identityOf(kind: Kind): readonly string[] {
  const { id: hasId, ...status } = kind.status.properties;
  const scope = kind.scope.map((field) => (`${field}Id` in status ? `${field}Id` : field));
  const own =
    hasId === undefined ? kind.key.filter((field) => !kind.scope.includes(field)) : ["id"];
  return [...scope, ...own].map(snakeCase);
}

/** What nobody gives: the status, what the object is called, and the secret that it comes with. */
function computedAttributes(kind: Kind): readonly Attribute[] {
  const { generatedSecret: mints } = kind;
  const minted: readonly Attribute[] =
    mints === undefined
      ? []
      : [{ ...computedAttribute(mints.name, "minted", mints.doc), sensitive: true, hidden: true }];
  return [
    ...membersOf(kind.status).map((field) => statusAttribute(field)),
    ...minted,
    computedAttribute("importId", "importId", `Names it in \`import\`: \`${kind.key.join("/")}\`.`),
    computedAttribute("reference", "reference", "What other resources name it by."),
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
  const description = `Counts the writes of \`${name}\`, which is in no state and no plan. Set it yourself, and \`${name}\` is written when it changes and only then.`;
  const counted = { ...computedAttribute(`${field}Version`, "version", description), field };
  return { ...counted, form: { is: "number" }, mode: "optionalComputed" };
}

function statusAttribute({ name, schema }: FieldInfo): Attribute {
  const form = allComputed(formOf(schema, false, false));
  const description = describe(schema, form);
  return { ...computedAttribute(name, "status", description), form };
}

/** The object that a key names. */
function dataSourceOf(kind: Kind): Block {
  const attributes = resourceOf(kind).attributes.flatMap((one) =>
    dataSourceAttribute(one, kind.key),
  );
  return { kind: kind.name, description: kind.doc, attributes };
}

/** An object that lives as long as one run, for the sake of the secret that it comes with. */
function ephemeralOf(kind: Kind): Block {
  const named = kind.key.findLast((field) => !kind.scope.includes(field));
  const attributes = resourceOf(kind)
    .attributes.filter(({ part }) => part !== "version" && part !== "reference")
    .map((one) => {
      const { description, ...rest } = { ...one, writeOnly: false };
      const isName = one.part === "spec" && one.field === named;
      const note = isName ? " A random part is added, so that runs do not meet." : "";
      return { ...rest, description: `${description}${note}` };
    });
  const description = `For the length of one run: made when a plan or an apply begins to need it, deleted when that ends. ${kind.doc}`;
  return { kind: kind.name, description, attributes };
}

/** Every object of a collection. */
function listSourceOf(kind: Kind): Block {
  const all = resourceOf(kind).attributes;
  const scope = all
    .filter(({ part, field }) => part === "spec" && kind.scope.includes(field))
    .map((one): Attribute => ({ ...withoutReplaceNote(one), mode: "required" }));
  const items: Form = {
    is: "nested",
    nesting: "list",
    attributes: all.flatMap((one) => dataSourceAttribute(one, [])),
  };
  const every: Attribute = {
    ...computedAttribute(listName, "status", `Every ${kind.name} there is.`),
    form: items,
  };
  return { kind: kind.name, description: kind.doc, attributes: [...scope, every] };
}

/** An attribute as it is read: given where it is part of the key, left out where it cannot be seen. */
function dataSourceAttribute(one: Attribute, key: readonly string[]): readonly Attribute[] {
  if (one.writeOnly || one.hidden || one.part === "version") return [];
  if (one.part === "spec" && key.includes(one.field)) {
    const mode = one.default === undefined ? "required" : "optionalComputed";
    return [{ ...withoutReplaceNote(one), mode }];
  }
  const { default: _, ...rest } = withoutReplaceNote(one);
  return [{ ...rest, mode: "computed", form: allComputed(one.form) }];
}

/** What a data source reads it never changes. */
function withoutReplaceNote(one: Attribute): Attribute {
  const notes = one.description.split(replaceNote).map((part) => part.trim());
  return { ...one, description: notes.filter((part) => part !== "").join(" ") };
}

const replaceNote = "A change replaces it.";

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

/** `keeps` tells that what is left out of an object keeps its value; `ordered` makes lists of sets. */
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
  // Where anything goes, it is one text and not a collection of texts.
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
    refersTo !== undefined && `The \`reference\` of a \`${typeName(refersTo)}\`.`,
    onChange === "replace" && replaceNote,
    whenOmitted === "default" &&
      fallback !== undefined &&
      `Default: \`${JSON.stringify(fallback)}\`.`,
    whenOmitted === "clear" && "Left out, it is cleared.",
    writeOnly === true && "The API does not show it, so drift cannot be seen.",
    form.is === "json" && "JSON text: use `jsonencode`.",
    "of" in form && form.of.is === "json" && "Each value is JSON text: use `jsonencode`.",
  ];
  return notes.filter((note) => typeof note === "string" && note !== "").join(" ");
}
