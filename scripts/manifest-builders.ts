// Typed builders of documents, a function for each kind, for manifests that are written in TypeScript.
import { documentSchema } from "../core/json-schema.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Kind } from "../core/kind.ts";

/** The module `svc-as-code/manifests`; what its builders share stands in `provider/manifests/document.ts`. */
export function buildersText(kinds: readonly Kind[]): string {
  return `${notice}
import { createDocument, type ManifestDocument, type DocumentOptions, type GeneratedSecretDocumentOptions } from "../document.ts";
export type { Documents, ManifestContext, ManifestDocument, DocumentOptions, GeneratedSecretDocumentOptions } from "../document.ts";
export type { Lifecycle } from "./lifecycle.ts";

${kinds.map(builderText).join("\n")}`;
}

/** The type of what may be done to an object, as every kind has it. */
export function lifecycleText([first]: readonly Kind[]): string {
  const type = first && typeText(at(documentSchema(first), "metadata", "lifecycle"), "");
  return `${notice}

/** What may be done to an object, and what becomes of it once its document is gone. */
export type Lifecycle = ${type ?? "unknown"};
`;
}

const notice = "// Generated from the kinds by `npm run generate`: change those, not this.";

function builderText(kind: Kind): string {
  const schema = documentSchema(kind);
  const spec = at(schema, "spec");
  const name = `${kind.name}Spec`;
  const call = kind.name.charAt(0).toLowerCase() + kind.name.slice(1);
  const type = typeText(spec, "");
  const declared = type.startsWith("{")
    ? `export interface ${name} ${type}`
    : `export type ${name} = ${type};`;
  const more =
    kind.generatedSecret === undefined
      ? "more: DocumentOptions = {}"
      : "more: GeneratedSecretDocumentOptions";
  const examples = kind.examples.map((one) => {
    const sink = kind.generatedSecret && { secretTo: { file: `secrets/${one.name}` } };
    const args = [one.name, one.spec, ...(sink ? [sink] : [])].map((arg) => JSON.stringify(arg));
    return `@example ${one.title}\n${call}(${args.join(", ")})`;
  });
  return `/** ${sentence(spec)} */
${declared}

${docText([kind.doc, ...examples].join("\n\n"), "")}export function ${call}(name: string, spec: ${name}, ${more}): ManifestDocument {
  return createDocument("${kind.name}", name, spec, more);
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
