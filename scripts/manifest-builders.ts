// Typed builders of documents, a function for each kind, for manifests that are written in TypeScript.
import { apiVersion, documentSchema } from "../core/json-schema.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Kind } from "../core/kind.ts";

/** The module `svc-as-code/manifests`. */
export function buildersText(kinds: readonly Kind[]): string {
  const [first] = kinds;
  const lifecycle = first && typeText(at(documentSchema(first), "metadata", "lifecycle"), "");
  return `${head(lifecycle ?? "unknown")}\n${kinds.map(builderText).join("\n")}`;
}

function head(lifecycle: string): string {
  return `// Generated from the kinds by \`npm run generate\`: change those, not this.

/** What may be done to an object, and what becomes of it once its document is gone. */
export type Lifecycle = ${lifecycle};

/** What a document says beside its spec. */
export interface More {
  /** Labels of your own, by name. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly lifecycle?: Lifecycle | undefined;
}

/** The same for kinds that come with a secret, which is shown once. */
export interface MoreMinting extends More {
  /** Where the secret goes: a path in the stack's folder, of a file that does not exist yet. */
  readonly secretTo: { readonly file: string };
}

/** A document of a manifest; the functions below make them. */
export interface ManifestDocument {
  readonly apiVersion: "${apiVersion}";
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly lifecycle?: Lifecycle | undefined;
  };
  readonly spec: object;
  readonly secretTo?: { readonly file: string } | undefined;
}

/** What \`documents\` is called with where it is a function. */
export interface ManifestContext {
  /** The Stack's variables, and over them those of the caller. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What a manifest exports as \`documents\`. */
export type Documents =
  | readonly ManifestDocument[]
  | ((
      context: ManifestContext,
    ) => readonly ManifestDocument[] | Promise<readonly ManifestDocument[]>);

function made(kind: string, name: string, spec: object, { labels, lifecycle, ...more }: More): ManifestDocument {
  const document = { apiVersion: "${apiVersion}", kind, metadata: { name, labels, lifecycle }, spec, ...more } as const;
  // Messages about the document name the line on which it was made.
  Object.defineProperty(document, Symbol.for("svc-as-code.made"), { value: new Error("made here") });
  return document;
}
`;
}

function builderText(kind: Kind): string {
  const schema = documentSchema(kind);
  const spec = at(schema, "spec");
  const name = `${kind.name}Spec`;
  const call = kind.name.charAt(0).toLowerCase() + kind.name.slice(1);
  const type = typeText(spec, "");
  const declared = type.startsWith("{")
    ? `export interface ${name} ${type}`
    : `export type ${name} = ${type};`;
  const more = kind.mints === undefined ? "more: More = {}" : "more: MoreMinting";
  const examples = kind.examples.map((one) => {
    const sink = kind.mints && { secretTo: { file: `secrets/${one.name}` } };
    const args = [one.name, one.spec, ...(sink ? [sink] : [])].map((arg) => JSON.stringify(arg));
    return `@example ${one.title}\n${call}(${args.join(", ")})`;
  });
  return `/** ${sentence(spec)} */
${declared}

${docText([kind.doc, ...examples].join("\n\n"), "")}export function ${call}(name: string, spec: ${name}, ${more}): ManifestDocument {
  return made("${kind.name}", name, spec, more);
}
`;
}

function at(schema: JsonObject, ...names: readonly string[]): JsonObject {
  return names.reduce((outer, name) => objectIn(objectIn(outer["properties"])[name]), schema);
}

function objectIn(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The TypeScript type of the values that a schema allows, as far as a type can say it. */
function typeText(schema: JsonObject, indent: string): string {
  const { type, enum: listed, const: only, anyOf, oneOf, items } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(listed)) return listed.map((one: JsonValue) => JSON.stringify(one)).join(" | ");
  const choices = anyOf ?? oneOf ?? (Array.isArray(type) ? type.map((one) => ({ type: one })) : 0);
  if (Array.isArray(choices)) {
    const types = choices.map((one: JsonValue) => typeText(objectIn(one), indent));
    return [...new Set(types)].join(" | ");
  }
  switch (type) {
    case "string":
    case "boolean":
    case "null":
    case "number":
      return type;
    case "integer":
      return "number";
    case "array":
      return `readonly ${bracketed(typeText(objectIn(items), indent))}[]`;
    case "object":
      return objectText(schema, indent);
    default:
      return "unknown";
  }
}

function objectText(schema: JsonObject, indent: string): string {
  const { properties, patternProperties, additionalProperties, required } = schema;
  const named = Object.entries(objectIn(properties));
  if (named.length === 0) {
    const [pattern] = Object.values(objectIn(patternProperties));
    const values = typeText(objectIn(pattern ?? additionalProperties), indent);
    return `Readonly<Record<string, ${values}>>`;
  }
  const needed: readonly JsonValue[] = Array.isArray(required) ? required : [];
  const members = named.map(([name, one]) => {
    const inner = `${indent}  `;
    const value = typeText(objectIn(one), inner);
    const typed = needed.includes(name) ? `: ${value}` : `?: ${value} | undefined`;
    return `${docText(sentence(objectIn(one)), inner)}${inner}readonly ${name}${typed};`;
  });
  return `{\n${members.join("\n")}\n${indent}}`;
}

function bracketed(type: string): string {
  return type.includes(" | ") ? `(${type})` : type;
}

function sentence({ markdownDescription, description }: JsonObject): string {
  const text = markdownDescription ?? description;
  return typeof text === "string" ? text : "";
}

function docText(text: string, indent: string): string {
  if (text === "") return "";
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  const body = lines.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}\n`).join("");
  return `${indent}/**\n${body}${indent} */\n`;
}
