// Generates the reference of the kinds and components in Markdown: an index, and a page for each.
import type { TSchema } from "typebox";
import { stringify } from "yaml";
import { canClear, fieldsOf, membersOf, type FieldInfo } from "../core/kind/fields.ts";
import type { Component, ComponentPart } from "../core/kind/component.ts";
import { componentFields } from "../core/kind/component-schema.ts";
import {
  componentDocument,
  exampleDocument,
  manifestNotes,
  generatedSecretText,
  typeText,
} from "../core/kind/json-schema.ts";
import { keyForm } from "../core/kind/identity.ts";
import type { Operation } from "../core/operation/operation.ts";
import type { Example } from "../core/kind/example.ts";
import type { Kind, Binding } from "../core/kind/kind.ts";
import { isSingleton } from "../core/kind/shape.ts";
import { kebabCase, snakeCase } from "../core/text/naming.ts";
import { mapValues, variants, view } from "../core/schema/schema.ts";
import { page, table } from "./markdown.ts";

/** Returns the index page. */
export function indexPage(kinds: readonly Kind[], components: readonly Component[]): string {
  const larger = components.map(({ name, doc }) => [`[${name}](${kebabCase(name)}.md)`, doc]);
  const rows = kinds.map((kind) => [`[${kind.name}](${kebabCase(kind.name)}.md)`, kind.doc]);
  return page("Reference", [
    "## Kinds",
    table(["kind", "what it is"], rows),
    "## Components",
    "A component declares objects of several kinds as one resource, in manifests, Terraform modules, Pulumi and the CDK.",
    table(["component", "what it is"], larger),
    "## Data models",
    [
      "- [The data-model language](data-model-language.md): every key of cubes and views, with examples",
      "- [Unsupported declarations](unsupported-declarations.md): what is an error, and what to write instead",
    ].join("\n"),
    "## The API",
    [
      "- [Operations](operations.md): every operation of the API, with its permission",
      "- [Commands](commands.md): every command of the command line",
      "- [Permissions](permissions.md): the roles and the actions",
      "- [Coverage](coverage.md): the known operations, members and settings that the service does not have or use",
      "- [Proposed](proposed.md): operations that are our own choice",
    ].join("\n"),
  ]);
}

/** Returns the page of one kind: fields, operations, limitations and examples. */
export function kindPage(kind: Kind): string {
  return page(kind.name, [
    kind.doc,
    "## Spec",
    fieldTable(fieldRows(fieldsOf(kind), "", specNotes)),
    ...(kind.generatedSecret === undefined
      ? []
      : ["## Secret", generatedSecretText(kind.generatedSecret)]),
    "## Status",
    membersOf(kind.status).length === 0
      ? "Nothing."
      : `Read-only fields that the service reports. They are never compared.\n\n${fieldTable(fieldRows(membersOf(kind.status), "", () => []))}`,
    "## Identity",
    identityText(kind),
    "## Operations",
    lifecycleText(kind),
    ...Object.entries(kind.unsupported).map(([verb, reason]) => `**Cannot ${verb}:** ${reason}`),
    "## Examples",
    ...kind.examples.map((example) => exampleText(kind, example)),
  ]);
}

/** Returns the page of a component: its parts with the fields to set, and examples. */
export function componentPage(component: Component): string {
  const { name, doc, parts, examples } = component;
  const rows = componentFields(component).flatMap(({ name: part, schema, required }, index) => {
    const { kind, cardinality, doc: about } = parts[index] as ComponentPart;
    const one = `[${kind.name}](${kebabCase(kind.name)}.md)`;
    const value = cardinality === "each" ? `map of ${one}` : one;
    const head = [`\`${part}\`${required ? " (required)" : ""}`, value, about];
    return [head, ...nestedRows(schema, part, specNotes)];
  });
  const module = kebabCase(name);
  return page(name, [
    doc,
    "One declaration for all front ends: a document of this kind in manifests, " +
      `the module \`${snakeCase(name)}\` for Terraform, ` +
      `and the resource \`${name}\` of [Pulumi](pulumi.md#components). Schema: \`schemas/${module}.json\`.`,
    "## Spec",
    fieldTable(rows),
    "## Objects",
    table(
      ["part", "document", "fields that are set"],
      parts.map((part) => partCells(part)),
    ),
    "Plans, inventories and references name these documents. A map key that is no valid name is shortened, with a hash. " +
      "A reference inside the component may be a key of one of its maps; otherwise it names a document of the stack or is `{ external: key }`.",
    "`metadata.labels` and `metadata.lifecycle` (`protect`, `onRemoval`, `manage`, `adopt`) apply to each object. Overlays change the component's document.",
    "## Examples",
    ...examples.map(
      (example) =>
        `### ${example.title}\n\n\`\`\`yaml\n${stringify(componentDocument(component, example))}\`\`\``,
    ),
  ]);
}

function partCells({ name, kind, cardinality, keyedBy, derivedFields }: ComponentPart): string[] {
  const document = cardinality === "each" ? `${kind.name}/NAME-KEY` : `${kind.name}/NAME`;
  const taken = [...derivedFields].map(([field, { part, field: theirs }]) =>
    theirs === undefined ? `\`${field}\`: the ${part}` : `\`${field}\`: that of the ${part}`,
  );
  const key = keyedBy === undefined ? [] : [`\`${keyedBy}\`: the key`];
  return [`\`${name}\``, `\`${document}\``, [...key, ...taken].join("; ")];
}

function fieldTable(rows: readonly (readonly string[])[]): string {
  return table(["field", "value", "meaning"], rows);
}

type Notes = (field: FieldInfo) => readonly string[];

function fieldRows(
  fields: readonly FieldInfo[],
  prefix: string,
  notes: Notes,
): readonly (readonly string[])[] {
  return fields.flatMap((field) => {
    const name = `${prefix}${field.name}`;
    const { doc, refersTo } = field.traits;
    const value = typeText(field.schema, refersTo === undefined ? undefined : link(refersTo));
    const row = [
      `\`${name}\`${field.required ? " (required)" : ""}`,
      value,
      [doc, ...notes(field)].filter((sentence) => sentence !== "").join(" "),
    ];
    return [row, ...nestedRows(field.schema, name, notes)];
  });
}

function link(kind: string): string {
  return `reference to [${kind}](${kebabCase(kind)}.md)`;
}

function nestedRows(schema: TSchema, name: string, notes: Notes): readonly (readonly string[])[] {
  return variants(schema).flatMap((one) => {
    const { items } = view(one);
    const values = mapValues(one);
    if (items !== undefined) return nestedRows(items, `${name}[]`, notes);
    if (values !== undefined) return nestedRows(values, `${name}.*`, notes);
    return fieldRows(membersOf(one), `${name}.`, notes);
  });
}

function specNotes(field: FieldInfo): readonly string[] {
  const notes = manifestNotes(field.traits, view(field.schema).default);
  return canClear(field) ? [...notes, "`null` clears it."] : notes;
}

function identityText(kind: Kind): string {
  if (isSingleton(kind))
    return `There is one in each account. Its import id is \`${keyForm(kind)}\`.`;
  const parts = kind.key.map((name) => `\`${name}\``).join(" and ");
  const id = kind.key.map((name) => `<${name}>`).join("/");
  const unique = kind.scope.length === 0 ? ", unique in its account" : "";
  const cascade = kind.cascades ? " Deleting it deletes everything inside." : "";
  return `Identified by ${parts}${unique}. Its import id is \`${id}\`, with \`%\`, \`/\` and white space percent-encoded.${cascade}`;
}

const costs = {
  list: "one list for the whole account",
  perParent: "one list for each parent",
  perObject: "calls for each object",
} as const;

/** Describes the cost of reading objects. Expensive fields are read only if a manifest declares them. */
function observeCost({ cost, detail }: Kind["bindings"]["observe"]): string {
  return detail === undefined
    ? costs[cost]
    : `${costs[cost]}, and further calls for each object that declares fields outside the list`;
}

function lifecycleText({ bindings: life, unsupported: cannot }: Kind): string {
  const rows = [
    ["observe", operationNames(life.observe.needs), observeCost(life.observe)],
    ...(["create", "update", "delete"] as const).flatMap((verb) =>
      cannot[verb] === undefined
        ? life[verb].map((binding) => [verb, ...bindingCells(binding)])
        : [],
    ),
  ];
  return `If a verb has several operations, the first that the server offers is used. Several creates use a later one if that takes fewer calls.\n\n${table(["verb", "operation", "how"], rows)}`;
}

function operationNames(operations: readonly Operation[]): string {
  return operations.map(({ id }) => `\`${id}\``).join(", ");
}

function bindingCells({
  operation,
  prerequisite: given,
  preparation,
  covers,
  cannotClear,
  batch,
}: Binding): readonly string[] {
  const notes = [
    batch.max > 1 ? `up to ${batch.max} in one call` : "a call each",
    covers === undefined ? "" : `sets ${covers.join(", ")}`,
    cannotClear.length === 0 ? "" : `cannot clear ${cannotClear.join(", ")}`,
    given === undefined ? "" : `needs \`${given.operation.id}\``,
    preparation === undefined ? "" : `after ${operationNames(preparation.operations)}`,
  ];
  return [`\`${operation.id}\``, notes.filter((note) => note !== "").join("; ")];
}

function exampleText(kind: Kind, example: Example): string {
  return `### ${example.title}\n\n\`\`\`yaml\n${stringify(exampleDocument(kind, example))}\`\`\``;
}
