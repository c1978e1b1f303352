// Generates a Terraform module for each component, and its page in the provider's documentation.
import type { Component, ComponentPart } from "../core/kind/component.ts";
import { isPartInput } from "../core/kind/component-schema.ts";
import type { JsonValue } from "../core/json.ts";
import { snakeCase, terraformType } from "../core/text/naming.ts";
import { publication } from "../core/publication.ts";
import type { Attribute, Form } from "../provider/terraform/schema.ts";
import { components } from "../resources/index.ts";
import { aligned, attributesOf, expression } from "./hcl.ts";

/** The folder of the modules in the repository. */
export const modulesFolder = "provider/terraform/modules";

/** Returns every file of the modules by its path in the repository. */
export function terraformModules(version: string): ReadonlyMap<string, string> {
  return new Map(
    components.flatMap((component) =>
      Object.entries({
        main: mainText(component),
        outputs: outputsText(component),
        variables: variablesText(component),
        versions: versionsText(version),
      }).map(([name, text]): [string, string] => [
        `${modulesFolder}/${snakeCase(component.name)}/${name}.tf`,
        `${notice(component)}${text}`,
      ]),
    ),
  );
}

/** Returns the page of each module by its path in the repository, below the folder of the provider's pages. */
export function modulePages(docsFolder: string): ReadonlyMap<string, string> {
  return new Map(
    components.map((component) => [
      `${docsFolder}/guides/${snakeCase(component.name)}.md`,
      pageText(component),
    ]),
  );
}

function notice({ name }: Component): string {
  return `# The component ${name}, generated from its declaration by \`npm run generate\`. Do not edit.\n\n`;
}

function versionsText(version: string): string {
  const source = JSON.stringify(publication.terraformSource);
  return `terraform {
  required_version = ">= 1.3"
  required_providers {
    svc = {
      source  = ${source}
      version = ">= ${version}"
    }
  }
}
`;
}

/** Returns the attributes that a user sets in the objects of a part. */
function inputsOf(part: ComponentPart): readonly Attribute[] {
  const inputs = attributesOf(part.kind.name).filter(
    ({ part: of, field }) => of === "spec" && isPartInput(part, field),
  );
  const secret = inputs.find(({ writeOnly, sensitive }) => writeOnly || sensitive);
  if (secret !== undefined) {
    throw new Error(`${part.name}.${secret.name} is secret, which a map of resources cannot be`);
  }
  return inputs;
}

function variablesText({ parts }: Component): string {
  const blocks = parts.map((part) => {
    const object = objectType(inputsOf(part), "  ");
    const type = part.cardinality === "each" ? `map(${object})` : object;
    const more = {
      one: "  nullable    = false\n",
      optional: "  default     = null\n",
      each: "  default     = {}\n  nullable    = false\n",
    }[part.cardinality];
    const about = JSON.stringify(
      `${part.doc} Attributes: those of ${terraformType(part.kind.name)}.`,
    );
    return `variable "${snakeCase(part.name)}" {\n  description = ${about}\n${more}  type = ${type}\n}\n`;
  });
  return blocks.join("\n");
}

function objectType(attributes: readonly Attribute[], indent: string): string {
  const lines = attributes
    .filter(({ mode }) => mode !== "computed")
    .map(({ name, form, mode }) => {
      const type = typeOf(form, `${indent}  `);
      return `${indent}  ${name} = ${mode === "required" ? type : `optional(${type})`}`;
    });
  return `object({\n${aligned(lines).join("\n")}\n${indent}})`;
}

function typeOf(form: Form, indent: string): string {
  if (form.is === "json") return "string";
  if ("of" in form) return `${form.is}(${typeOf(form.of, indent)})`;
  if (form.is !== "nested") return form.is;
  const object = objectType(form.attributes, indent);
  return form.nesting === "single" ? object : `${form.nesting}(${object})`;
}

function mainText(component: Component): string {
  return component.parts.map((part) => resourceBlock(component, part)).join("\n");
}

function resourceBlock(component: Component, part: ComponentPart): string {
  const variable = `var.${snakeCase(part.name)}`;
  const [repeat, source] = {
    one: ["", variable],
    optional: [`  count = ${variable} == null ? 0 : 1\n\n`, variable],
    each: [`  for_each = ${variable}\n\n`, "each.value"],
  }[part.cardinality] as [string, string];
  const lines = attributesOf(part.kind.name).flatMap((attribute) => {
    const value = attributeValue(component, part, { attribute, source });
    return value === undefined ? [] : [`  ${attribute.name} = ${value}`];
  });
  const body = `${repeat}${aligned(lines).join("\n")}\n${dependencyText(component, part)}`;
  return `resource "${terraformType(part.kind.name)}" "${snakeCase(part.name)}" {\n${body}}\n`;
}

function attributeValue(
  component: Component,
  part: ComponentPart,
  { attribute, source }: { readonly attribute: Attribute; readonly source: string },
): string | undefined {
  const { name, field, part: of } = attribute;
  if (of !== "spec") return undefined;
  if (field === part.keyedBy) return "each.key";
  const supply = part.derivedFields.get(field);
  if (supply === undefined) return `${source}.${name}`;
  const supplier = partNamed(component, supply.part);
  const theirs = attributesOf(supplier.kind.name).find((one) => one.field === supply.field);
  return `${objectOf(supplier)}.${theirs?.name ?? "reference"}`;
}

/** Returns the dependencies that no attribute expresses, and a condition for optional parts. */
function dependencyText(component: Component, part: ComponentPart): string {
  const derived = new Set([...part.derivedFields.values()].map((one) => one.part));
  const needed = part.needs
    .filter((name) => !derived.has(name))
    .map((name) => addressOf(partNamed(component, name)));
  const depends = needed.length === 0 ? "" : `\n  depends_on = [${needed.join(", ")}]\n`;
  const absent = [...derived]
    .map((name) => partNamed(component, name))
    .filter(({ cardinality }) => cardinality === "optional");
  const conditions = absent.map(
    (one) => `
  lifecycle {
    precondition {
      condition     = var.${snakeCase(one.name)} != null
      error_message = "${snakeCase(part.name)} requires ${snakeCase(one.name)}, which is not set."
    }
  }
`,
  );
  return `${depends}${conditions.join("")}`;
}

function partNamed({ parts }: Component, name: string): ComponentPart {
  const part = parts.find((one) => one.name === name);
  if (part === undefined) throw new Error(`unknown part ${name}`);
  return part;
}

function addressOf({ kind, name }: ComponentPart): string {
  return `${terraformType(kind.name)}.${snakeCase(name)}`;
}

/** Returns the expression of a single object. */
function objectOf(part: ComponentPart): string {
  return part.cardinality === "optional" ? `${addressOf(part)}[0]` : addressOf(part);
}

function outputsText({ parts }: Component): string {
  const blocks = parts.map((part) => {
    const address = addressOf(part);
    const value = {
      one: `${address}.reference`,
      optional: `one(${address}[*].reference)`,
      each: `{ for key, one in ${address} : key => one.reference }`,
    }[part.cardinality];
    const about = JSON.stringify(outputDoc(part));
    return `output "${snakeCase(part.name)}" {\n  description = ${about}\n  value       = ${value}\n}\n`;
  });
  return blocks.join("\n");
}

function outputDoc({ doc, cardinality }: ComponentPart): string {
  return `${doc} Value for attributes that refer to ${cardinality === "each" ? "each, by key" : "it"}.`;
}

/** Returns a `module` block with the inputs of the component's first example. */
export function moduleCall(component: Component, source: string): string {
  const [example] = component.examples;
  const inputs = component.parts.flatMap((part) => {
    const value = example?.inputs[part.name];
    const attributes = inputsOf(part);
    const nesting = part.cardinality === "each" ? "map" : "single";
    const form: Form = { is: "nested", nesting, attributes };
    return value === undefined ? [] : [`  ${snakeCase(part.name)} = ${inputText(form, value)}`];
  });
  const lines = [`  source = ${JSON.stringify(source)}`, ...inputs];
  return `module "${example?.name ?? "this"}" {\n${aligned(lines).join("\n")}\n}\n`;
}

function inputText(form: Form, value: JsonValue): string {
  return expression(form, value, "  ");
}

const code = "```";

function pageText(component: Component): string {
  const { name, doc, parts } = component;
  const module = snakeCase(name);
  const rows = parts.map((part) => {
    const type = terraformType(part.kind.name);
    const page = `[${type}](../resources/${type.replace(/^svc_/, "")}.md)`;
    const form = part.cardinality === "each" ? "Map of Objects" : "Object";
    const taken = [
      ...part.derivedFields.keys(),
      ...(part.keyedBy === undefined ? [] : [part.keyedBy]),
    ];
    const set = taken.map((field) => `\`${snakeCase(field)}\``).join(", ");
    const without = set === "" ? "" : `, without ${set}`;
    return `- \`${snakeCase(part.name)}\` (${form}) ${part.doc} The attributes of ${page}${without}.`;
  });
  const required = parts.filter(({ cardinality }) => cardinality === "one");
  const lines = (some: boolean): string =>
    rows.filter((_, at) => required.includes(parts[at] as ComponentPart) === some).join("\n");
  const outputs = parts.map((part) => `- \`${snakeCase(part.name)}\` ${outputDoc(part)}`);
  return `---
page_title: "${module} module"
subcategory: ""
description: |-
  ${doc.replaceAll("`", "")}
---

# ${module} (Module)

${doc}

The module is generated from the same declaration as the document \`${name}\` of manifests and the component of Pulumi. It is in the
npm package \`svc-as-code\`, in \`dist/terraform/modules/${module}\`, and in the archive \`terraform-modules-svc_VERSION.zip\` of a release.

## Example Usage

${code}terraform
${moduleCall(component, `./node_modules/svc-as-code/dist/terraform/modules/${module}`)}${code}

## Inputs

### Required

${lines(true)}

### Optional

${lines(false)}

## Outputs

${outputs.join("\n")}
`;
}
