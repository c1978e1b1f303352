// Documents as Terraform configuration: the body that each becomes, and its text in Terraform's own language.
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Kind } from "../core/kind.ts";
import { snakeCase } from "../core/naming.ts";
import { type Reference, referencesOf, withReferences } from "../core/references.ts";
import { fromField } from "../provider/terraform/attribute-values.ts";
import { type Attribute, type Form, schemasOf } from "../provider/terraform/schema.ts";
import { kinds } from "../resources/index.ts";

/** A document: a wish for an object of a kind under a name. */
export interface ManifestDoc {
  readonly kind: string;
  readonly name: string;
  readonly spec: JsonObject;
}

const byName = new Map(kinds.map((kind) => [kind.name, kind]));
const schemas = schemasOf(kinds);

/** The type of the resource that documents of a kind become. */
export function resourceType(kind: string): string {
  return `svc_${snakeCase(kind)}`;
}

/** The attributes of the resource that documents of a kind become. */
export function attributesOf(kind: string): readonly Attribute[] {
  return schemas.resources[resourceType(kind)]?.attributes ?? [];
}

/** What the document gives its attributes; a reference to another of the documents is an expression in `${}`. */
export function resourceBody(doc: ManifestDoc, documents: readonly ManifestDoc[]): JsonObject {
  const spec = withReferenceExpressions(doc, documents);
  const body = attributesOf(doc.kind).flatMap(({ name, field, form, part }) => {
    const held = part === "spec" ? spec[field] : undefined;
    return held === undefined ? [] : [[name, held === null ? "" : fromField(form, held)]];
  });
  return Object.fromEntries(body) as JsonObject;
}

/** The spec with expressions in place of the names of documents. */
function withReferenceExpressions(
  { kind: kindName, spec }: ManifestDoc,
  documents: readonly ManifestDoc[],
): JsonObject {
  const isHere = ({ kind: target, value }: Reference): boolean =>
    documents.some(({ kind, name }) => kind === target && name === value);
  const references = referencesOf(kindNamed(kindName), spec).filter(
    (one) => one.external || isHere(one),
  );
  return withReferences(spec, references, (one) =>
    isHere(one) ? `\${${resourceType(one.kind)}.${identifier(one.value)}.reference}` : one.value,
  );
}

function kindNamed(name: string): Kind {
  const kind = byName.get(name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

/** A name of a document as a name in a configuration, where dots would lead into it. */
export function identifier(name: string): string {
  return name.replaceAll(".", "_").replace(/^(?=\d)/, "_");
}

/** The document as a `resource` block. */
export function resourceText(doc: ManifestDoc, documents: readonly ManifestDoc[]): string {
  const spec = withReferenceExpressions(doc, documents);
  const lines = attributesOf(doc.kind).flatMap(({ name, field, form, part }) => {
    const held = part === "spec" ? spec[field] : undefined;
    return held === undefined ? [] : [`  ${name} = ${expression(form, held, "  ")}`];
  });
  const type = resourceType(doc.kind);
  return `resource "${type}" "${identifier(doc.name)}" {\n${aligned(lines).join("\n")}\n}\n`;
}

function expression(form: Form, held: JsonValue, indent: string): string {
  if (form.is === "json") return `jsonencode(${literal(held, indent)})`;
  if (held === null) return '""';
  const inner = `${indent}  `;
  if ("of" in form) {
    const { of } = form;
    return collection(held, indent, (one) => expression(of, one, inner));
  }
  if (form.is !== "nested") return literal(held, indent);
  const object = (one: JsonValue, at: string): string => {
    const members = isObject(one) ? one : {};
    const lines = form.attributes.flatMap(({ name, field, form: of }) => {
      const value = members[field];
      return value === undefined ? [] : [`${at}  ${name} = ${expression(of, value, `${at}  `)}`];
    });
    return `{\n${aligned(lines).join("\n")}\n${at}}`;
  };
  return form.nesting === "single"
    ? object(held, indent)
    : collection(held, indent, (one) => object(one, inner));
}

function collection(held: JsonValue, indent: string, item: (one: JsonValue) => string): string {
  const inner = `${indent}  `;
  if (Array.isArray(held)) {
    const items = held.map((one: JsonValue) => item(one));
    const line = `[${items.join(", ")}]`;
    if (line.length < 80 && !line.includes("\n")) return line;
    return `[\n${items.map((one) => `${inner}${one},`).join("\n")}\n${indent}]`;
  }
  const lines = Object.entries(isObject(held) ? held : {}).map(
    ([key, one]) => `${inner}${keyText(key)} = ${item(one ?? null)}`,
  );
  return lines.length === 0 ? "{}" : `{\n${aligned(lines).join("\n")}\n${indent}}`;
}

/** Any JSON in Terraform's language; a text that is an expression stands bare. */
function literal(held: JsonValue | undefined, indent: string): string {
  if (typeof held === "string") {
    const bare = /^\$\{([\w.-]+)\}$/.exec(held)?.[1];
    return bare ?? JSON.stringify(held).replace(/[$%]\{/g, (open) => `${open.charAt(0)}${open}`);
  }
  if (held === null || held === undefined || typeof held !== "object") {
    return JSON.stringify(held ?? null);
  }
  return collection(held, indent, (one) => literal(one, `${indent}  `));
}

function keyText(key: string): string {
  return /^[A-Za-z_][\w-]*$/.test(key) ? key : JSON.stringify(key);
}

/** Equal signs of neighbouring lines under each other, as Terraform's own formatter puts them. */
function aligned(lines: readonly string[]): readonly string[] {
  const groups: string[][] = [];
  let isOpen = false;
  for (const line of lines) {
    const isLong = line.includes("\n");
    if (isLong || !isOpen) groups.push([line]);
    else groups.at(-1)?.push(line);
    isOpen = !isLong;
  }
  return groups.flatMap((group) => {
    const widths = group.map((line) => line.indexOf(" = "));
    const widest = Math.max(...widths);
    return group.map((line, at) => {
      const width = widths[at] ?? 0;
      return `${line.slice(0, width)}${" ".repeat(widest - width)}${line.slice(width)}`;
    });
  });
}
