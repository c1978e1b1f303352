// Generates typed builders for manifests: one function for each kind, component and built-in document.
import { camelCase } from "../core/text/naming.ts";
import type { Catalogue, Component } from "../core/kind/component.ts";
import { componentDocumentSchema, documentSchema } from "../core/kind/json-schema.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Kind } from "../core/kind/kind.ts";
import { componentLifecycleRules, lifecycleRules } from "../core/kind/lifecycle-rules.ts";

/**
 * Returns the module `svc-as-code/manifests`. Its shared code is in `provider/manifests/`. `others` contains the schemas
 * of documents that declare no object, by kind.
 */
export function buildersText(
  { kinds, components }: Catalogue,
  others: Readonly<Record<string, JsonObject>>,
): string {
  const builders = [
    ...Object.entries(others).map(otherBuilderText),
    ...kinds.map(builderText),
    ...components.map(componentBuilderText),
  ];
  return `${notice}
import { createDocument } from "../document.ts";
import type * as shared from "../document.ts";
export { toYaml } from "../to-yaml.ts";

/** Lifecycle options: which actions are allowed, and what happens to the object after its document is removed. */
export type Lifecycle = ${typeText(JSON.parse(JSON.stringify(lifecycleRules)) as JsonObject, "")};

/** Options of a document in addition to its spec. */
export type DocumentOptions = shared.DocumentOptions<Lifecycle>;

/** Options of a document that declares no object, such as the Stack. */
export type LabelOptions = Pick<DocumentOptions, "labels">;

/** Options of a document of a component. The lifecycle applies to each of its objects. */
export type ComponentOptions = shared.DocumentOptions<Pick<Lifecycle, ${componentRules}>>;

/** Options of a document whose kind has a generated secret. */
export type GeneratedSecretDocumentOptions = shared.GeneratedSecretDocumentOptions<Lifecycle>;

/** A document of a manifest. Create it with a builder. */
export type ManifestDocument = shared.ManifestDocument<Lifecycle>;

${builders.join("\n")}`;
}

const componentRules = Object.keys(componentLifecycleRules.properties)
  .map((name) => JSON.stringify(name))
  .join(" | ");

const notice = "// Generated from the kinds by `npm run generate`. Do not edit.";

function builderText(kind: Kind): string {
  const { generatedSecret } = kind;
  return functionText(kind, {
    schema: documentSchema(kind),
    optionsText:
      generatedSecret === undefined
        ? "options: DocumentOptions = {}"
        : "options: GeneratedSecretDocumentOptions",
    examples: kind.examples.map(({ title, name, spec }) => {
      const sink = generatedSecret && { secretTo: { file: `secrets/${name}` } };
      return { title, args: [name, spec, ...(sink ? [sink] : [])] };
    }),
  });
}

function otherBuilderText([name, schema]: readonly [string, JsonObject]): string {
  const { description: doc } = schema;
  const kind = { name, doc: typeof doc === "string" ? doc : "" };
  return functionText(kind, { schema, optionsText: "options: LabelOptions = {}", examples: [] });
}

function componentBuilderText(component: Component): string {
  return functionText(component, {
    schema: componentDocumentSchema(component),
    optionsText: "options: ComponentOptions = {}",
    examples: component.examples.map(({ title, name, inputs }) => ({
      title,
      args: [name, inputs],
    })),
  });
}

interface BuilderParts {
  /** The schema of the document. */
  readonly schema: JsonObject;
  readonly optionsText: string;
  readonly examples: readonly { readonly title: string; readonly args: readonly JsonValue[] }[];
}

function functionText(
  kind: Pick<Kind, "name" | "doc">,
  { schema, optionsText, examples: shown }: BuilderParts,
): string {
  const spec = at(schema, "spec");
  const name = `${kind.name}Spec`;
  const call = camelCase(kind.name);
  const type = typeText(spec, "");
  const declared = type.startsWith("{")
    ? `export interface ${name} ${type}`
    : `export type ${name} = ${type};`;
  const examples = shown.map(({ title, args }) => {
    const texts = args.map((arg) => JSON.stringify(arg));
    return `@example ${title}\n${call}(${texts.join(", ")})`;
  });
  return `${docText(sentence(spec), "")}${declared}

${docText([kind.doc, ...examples].join("\n\n"), "")}export function ${call}(name: string, spec: ${name}, ${optionsText}): ManifestDocument {
  return createDocument("${kind.name}", name, spec, options);
}
`;
}

function at(schema: JsonObject, ...names: readonly string[]): JsonObject {
  return names.reduce((outer, name) => objectIn(objectIn(outer["properties"])[name]), schema);
}

function objectIn(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the TypeScript type of the values that a schema allows. */
function typeText(schema: JsonObject, indent: string): string {
  const { type, enum: listed, const: constant, anyOf, oneOf, items } = schema;
  if (constant !== undefined) return JSON.stringify(constant);
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
  const requiredNames: readonly JsonValue[] = Array.isArray(required) ? required : [];
  const members = named.map(([name, one]) => {
    const inner = `${indent}  `;
    const value = typeText(objectIn(one), inner);
    const typed = requiredNames.includes(name) ? `: ${value}` : `?: ${value} | undefined`;
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
