// Generates the provider's documentation in the layout of the Terraform registry.
import { upperFirst } from "../core/text/naming.ts";
import { keyForm, keyOf } from "../core/kind/identity.ts";
import type { JsonObject } from "../core/json.ts";
import { type Kind, kindsByName } from "../core/kind/kind.ts";
import { normalize } from "../core/spec/normalize.ts";
import { publication } from "../core/publication.ts";
import { importFormById } from "../provider/bridge/read-target.ts";
import { functions, type ProviderFunction } from "../provider/terraform/functions.ts";
import type { Type } from "../provider/terraform/wire/cty.ts";
import { type Attribute, type Block, type Form, schemasOf } from "../provider/terraform/schema.ts";
import { providerAttributes } from "../provider/terraform/wire-schema.ts";
import { kinds } from "../resources/index.ts";
import { modulePages } from "./terraform-modules.ts";
import { dataSourceText, type ManifestDoc, resourceText } from "./hcl.ts";
import { resolveReferences } from "./resolve-references.ts";

/** The folder of the pages in the archive of a release. */
const docsFolder = "docs";

/** Returns every page by its path in the archive. */
export function terraformPages(version: string): ReadonlyMap<string, string> {
  const { resources, dataSources, ephemerals } = schemasOf(kinds);
  return new Map([
    [`${docsFolder}/index.md`, indexPage(version)],
    ...Object.entries(resources).map(([type, block]): [string, string] => [
      `${docsFolder}/resources/${type.replace(/^svc_/, "")}.md`,
      resourcePage(type, block),
    ]),
    ...Object.entries(dataSources).map(([type, block]): [string, string] => [
      `${docsFolder}/data-sources/${type.replace(/^svc_/, "")}.md`,
      dataSourcePage(type, block),
    ]),
    ...Object.entries(ephemerals).map(([type, block]): [string, string] => [
      `${docsFolder}/ephemeral-resources/${type.replace(/^svc_/, "")}.md`,
      ephemeralPage(type, block),
    ]),
    ...Object.entries(functions).map(([name, one]): [string, string] => [
      `${docsFolder}/functions/${name}.md`,
      functionPage(name, one),
    ]),
    ...modulePages(docsFolder),
  ]);
}

const code = "```";

interface Head {
  readonly title: string;
  readonly description: string;
  /** Heading of the group of pages in the registry. */
  readonly subcategory?: string;
}

function page({ title, description, subcategory = "" }: Head, body: string): string {
  const plain = description.replaceAll("`", "");
  return `---\npage_title: "${title}"\nsubcategory: "${subcategory}"\ndescription: |-\n  ${plain}\n---\n\n${body.trim()}\n`;
}

function indexPage(version: string): string {
  const names = Object.entries(functions).map(
    ([name, { summary }]) => `- \`provider::svc::${name}\`: ${summary}`,
  );
  const body = `# svc Provider

Manages a hosted analytics platform. Every resource type has a singular data source for one object and a plural data source for a collection.

## Example Usage

${code}terraform
terraform {
  required_providers {
    svc = {
      source  = "${publication.terraformSource}"
      version = "${version}"
    }
  }
}

provider "svc" {
  url = "https://acme.example.com" # set the API key in SVC_API_KEY
}
${code}

${schemaText(providerAttributes)}

## Functions

${names.join("\n")}
`;
  return page({ title: "svc Provider", description: "Manages a hosted analytics platform." }, body);
}

/** Returns the head of a page of a resource type; the subcategory is the area of the operation that reads it. */
function headOf(title: string, block: Block): Head {
  const [{ area } = { area: "" }] = kindOf(block).bindings.observe.needs;
  const subcategory = upperFirst(area.replaceAll("-", " "));
  return { title, description: block.description, subcategory };
}

function kindOf({ kind: name }: Block): Kind {
  const kind = kindsByName(kinds).get(name);
  if (kind === undefined) throw new Error(`unknown kind ${name}`);
  return kind;
}

const examples: readonly ManifestDoc[] = kinds.flatMap(({ name: kind, examples: all }) =>
  all.map(({ name, spec }) => ({ kind, name, spec })),
);

/** The examples with natural keys, in the same order. */
const resolvedExamples = resolveReferences(examples);

function resourcePage(type: string, block: Block): string {
  const kind = kindOf(block);
  const { identity = [] } = block;
  const doc = examples.find((one) => one.kind === kind.name);
  const usage =
    doc === undefined ? "" : `${code}terraform\n${resourceText(doc, examples)}${code}\n`;
  const spec = resolvedExamples.find((one) => one.kind === kind)?.spec ?? {};
  const id = keyOf(kind, normalize(kind, spec));
  const formById = importFormById(kind);
  const byId = formById === undefined ? "" : `, or \`${formById}\` with the server's id`;
  const byIdentity =
    identity.length === 0
      ? ""
      : `
In Terraform 1.12 and later, use the identity, which does not change with a rename:

${code}terraform
import {
  to = ${type}.${doc?.name ?? "this"}
  identity = {
${identityText(block, spec)}
  }
}
${code}
`;
  const body = `# ${type} (Resource)

${block.description}

## Example Usage

${usage}
${schemaText(block.attributes)}

## Import

Use the natural key \`${keyForm(kind)}\`${byId}.

${code}terraform
import {
  to = ${type}.${doc?.name ?? "this"}
  id = ${JSON.stringify(id)}
}
${code}

Or import on the command line:

${code}shell
terraform import ${type}.${doc?.name ?? "this"} ${shellQuoted(id)}
${code}
${byIdentity}`;
  return page(headOf(`${type} Resource`, block), body);
}

/** Returns text as one word of a POSIX shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the members of an example identity. */
function identityText({ attributes, identity = [] }: Block, spec: JsonObject): string {
  const members = identity.map((name) => {
    const { form, field } = attributes.find((one) => one.name === name) ?? {};
    return [name, form?.is === "number" ? "5" : JSON.stringify(spec[field ?? ""] ?? "")] as const;
  });
  const width = Math.max(...members.map(([name]) => name.length));
  return members.map(([name, value]) => `    ${name.padEnd(width)} = ${value}`).join("\n");
}

function dataSourcePage(type: string, block: Block): string {
  const kind = kindOf(block);
  const spec = resolvedExamples.find((one) => one.kind === kind)?.spec ?? {};
  const usage = dataSourceText(type, block.attributes, normalize(kind, spec));
  const body = `# ${type} (Data Source)

${block.description}

## Example Usage

${code}terraform
${usage}${code}

${schemaText(block.attributes)}
`;
  return page(headOf(`${type} Data Source`, block), body);
}

function ephemeralPage(type: string, block: Block): string {
  const [doc] = examples.filter(({ kind }) => kind === block.kind);
  const usage =
    doc === undefined ? "" : resourceText(doc, examples).replace("resource", "ephemeral");
  const body = `# ${type} (Ephemeral Resource)

${block.description}

Requires Terraform 1.10 or OpenTofu 1.11. Both plan and apply create the object and delete it at the end, so a plan writes to the server. A killed run leaves
its object behind.

## Example Usage

${code}terraform
${usage}${code}

${schemaText(block.attributes)}
`;
  return page(headOf(`${type} Ephemeral Resource`, block), body);
}

function functionPage(
  name: string,
  { summary, parameters, returns, example }: ProviderFunction,
): string {
  const typeLabel = (type: Type): string => (typeof type === "string" ? type : hclType(type));
  const signature = parameters.map((one) => `${one.name} ${typeLabel(one.type)}`).join(", ");
  const lines = parameters.map(
    (one) =>
      `1. \`${one.name}\` (${typeLabel(one.type)}${one.allowNullValue === true ? ", may be null" : ""}) ${one.description}`,
  );
  const body = `# ${name} (Function)

${summary} It sends no request. Functions require Terraform 1.8 or OpenTofu 1.7.

## Example Usage

${code}terraform
output "example" {
  value = ${example.call} # ${example.result}
}
${code}

## Signature

${code}text
${name}(${signature}) ${typeLabel(returns)}
${code}

## Arguments

${lines.join("\n")}
`;
  return page({ title: `${name} Function`, description: summary }, body);
}

function hclType([name, inner]: Exclude<Type, string>): string {
  if (name !== "object") return `${name}(${JSON.stringify(inner).replaceAll('"', "")})`;
  const members = Object.entries(inner as object).map(([key, type]) => `${key} = ${String(type)}`);
  return `object({ ${members.join(", ")} })`;
}

function schemaText(attributes: readonly Attribute[]): string {
  const section = (title: string, modes: readonly Attribute["mode"][]): string => {
    const lines = attributes
      .filter(({ mode }) => modes.includes(mode))
      .map((one) => attributeLine(one, ""));
    return lines.length === 0 ? "" : `### ${title}\n\n${lines.join("\n")}\n\n`;
  };
  const sections = [
    section("Required", ["required"]),
    section("Optional", ["optional", "optionalComputed"]),
    section("Read-Only", ["computed"]),
  ];
  return `## Schema\n\n${sections.join("").trimEnd()}`;
}

function attributeLine(
  { name, form, description, sensitive, writeOnly, deprecated }: Attribute,
  indent: string,
): string {
  const notes = [typeText(form), sensitive && "Sensitive", writeOnly && "Write-only"];
  const kind = notes.filter((one) => typeof one === "string").join(", ");
  const deprecation = deprecated === undefined ? "" : ` Deprecated: ${deprecated}`;
  const line = `${indent}- \`${name}\` (${kind}) ${description}${deprecation}`.trimEnd();
  if (form.is !== "nested") return line;
  return [line, ...form.attributes.map((one) => attributeLine(one, `${indent}  `))].join("\n");
}

const typeNames = {
  string: "String",
  number: "Number",
  bool: "Boolean",
  json: "JSON text",
} as const;
const nestings = {
  single: "Object",
  list: "List of Objects",
  set: "Set of Objects",
  map: "Map of Objects",
};

function typeText(form: Form): string {
  if (form.is === "nested") return nestings[form.nesting];
  if ("of" in form) return `${upperFirst(form.is)} of ${typeText(form.of)}`;
  return typeNames[form.is];
}
