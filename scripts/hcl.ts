// Converts documents to Terraform configuration: JSON bodies and HCL text.
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { type Kind, kindsByName } from "../core/kind/kind.ts";
import { terraformType } from "../core/text/naming.ts";
import { type Reference, referencesOf, withReferences } from "../core/kind/references.ts";
import { fromField } from "../provider/terraform/attribute-values.ts";
import { type Attribute, type Form, schemasOf } from "../provider/terraform/schema.ts";
import { kinds } from "../resources/index.ts";

/** A document of a manifest. */
export interface ManifestDoc {
  readonly kind: string;
  readonly name: string;
  readonly spec: JsonObject;
}

const byName = kindsByName(kinds);
const schemas = schemasOf(kinds);

/** Returns the Terraform attributes of a kind. */
export function attributesOf(kind: string): readonly Attribute[] {
  return schemas.resources[terraformType(kind)]?.attributes ?? [];
}

/** Returns the JSON body of a resource. References to other documents become `${}` expressions. */
export function resourceBody(doc: ManifestDoc, documents: readonly ManifestDoc[]): JsonObject {
  const spec = withReferenceExpressions(doc, documents);
  const body = attributesOf(doc.kind).flatMap(({ name, field, form, part }) => {
    const value = part === "spec" ? spec[field] : undefined;
    if (value === undefined) return [];
    return [[name, value === null ? clearedValue(form) : fromField(form, value)]];
  });
  return Object.fromEntries(body) as JsonObject;
}

/** Returns the expression that clears an attribute: `null` leaves it unmanaged. An object is cleared member by member. */
function clearedValue(form: Form): JsonValue {
  if (form.is === "json") return "null";
  if (form.is !== "nested") return "of" in form ? [] : "";
  if (form.nesting !== "single") return [];
  const members = form.attributes.filter(({ mode }) => mode !== "required");
  return Object.fromEntries(members.map(({ name, form: of }) => [name, clearedValue(of)]));
}

/** Returns the spec with expressions in place of document names. */
function withReferenceExpressions(
  { kind: kindName, spec }: ManifestDoc,
  documents: readonly ManifestDoc[],
): JsonObject {
  const isDeclared = ({ kind: target, value }: Reference): boolean =>
    documents.some(({ kind, name }) => kind === target && name === value);
  const references = referencesOf(kindNamed(kindName), spec).filter(
    (one) => one.external || isDeclared(one),
  );
  return withReferences(spec, references, (one) =>
    isDeclared(one)
      ? `\${${terraformType(one.kind)}.${identifier(one.value)}.reference}`
      : one.value,
  );
}

function kindNamed(name: string): Kind {
  const kind = byName.get(name);
  if (kind === undefined) throw new Error(`unknown kind ${name}`);
  return kind;
}

/** Returns a document name as an HCL identifier, without dots. */
export function identifier(name: string): string {
  return name.replaceAll(".", "_").replace(/^(?=\d)/, "_");
}

/** Returns the `resource` block of a document. */
export function resourceText(doc: ManifestDoc, documents: readonly ManifestDoc[]): string {
  const spec = withReferenceExpressions(doc, documents);
  const lines = attributesOf(doc.kind).flatMap(({ name, field, form, part }) => {
    const value = part === "spec" ? spec[field] : undefined;
    return value === undefined ? [] : [`  ${name} = ${expression(form, value, "  ")}`];
  });
  const type = terraformType(doc.kind);
  return `resource "${type}" "${identifier(doc.name)}" {\n${aligned(lines).join("\n")}\n}\n`;
}

/** Returns the `data` block that reads the object or the collection of a spec. */
export function dataSourceText(
  type: string,
  attributes: readonly Attribute[],
  spec: JsonObject,
): string {
  const lines = attributes.flatMap(({ name, field, form, mode }) => {
    const value = mode === "required" ? spec[field] : undefined;
    return value === undefined ? [] : [`  ${name} = ${expression(form, value, "  ")}`];
  });
  const body = lines.length === 0 ? "" : `\n${aligned(lines).join("\n")}\n`;
  return `data "${type}" "example" {${body}}\n`;
}

/** Returns a value as an HCL expression. */
export function expression(form: Form, value: JsonValue, indent: string): string {
  if (form.is === "json") return `jsonencode(${literal(value, indent)})`;
  if (value === null) return literal(clearedValue(form), indent);
  const inner = `${indent}  `;
  if ("of" in form) {
    const { of } = form;
    return collection(value, indent, (one) => expression(of, one, inner));
  }
  if (form.is !== "nested") return literal(value, indent);
  const object = (one: JsonValue, position: string): string => {
    const members = isObject(one) ? one : {};
    const lines = form.attributes.flatMap(({ name, field, form: of }) => {
      const member = members[field];
      return member === undefined
        ? []
        : [`${position}  ${name} = ${expression(of, member, `${position}  `)}`];
    });
    return lines.length === 0 ? "{}" : `{\n${aligned(lines).join("\n")}\n${position}}`;
  };
  return form.nesting === "single"
    ? object(value, indent)
    : collection(value, indent, (one) => object(one, inner));
}

function collection(value: JsonValue, indent: string, item: (one: JsonValue) => string): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((one: JsonValue) => item(one));
    const line = `[${items.join(", ")}]`;
    if (line.length < 80 && !line.includes("\n")) return line;
    return `[\n${items.map((one) => `${inner}${one},`).join("\n")}\n${indent}]`;
  }
  const lines = Object.entries(isObject(value) ? value : {}).map(
    ([key, one]) => `${inner}${keyText(key)} = ${item(one ?? null)}`,
  );
  return lines.length === 0 ? "{}" : `{\n${aligned(lines).join("\n")}\n${indent}}`;
}

/** Returns JSON as HCL. A string that is one expression becomes a bare expression. */
function literal(value: JsonValue | undefined, indent: string): string {
  if (typeof value === "string") {
    const bare = /^\$\{([\w.-]+)\}$/.exec(value)?.[1];
    return bare ?? JSON.stringify(value).replace(/[$%]\{/g, (open) => `${open.charAt(0)}${open}`);
  }
  if (value === null || value === undefined || typeof value !== "object") {
    return JSON.stringify(value ?? null);
  }
  return collection(value, indent, (one) => literal(one, `${indent}  `));
}

function keyText(key: string): string {
  return /^[A-Za-z_][\w-]*$/.test(key) ? key : JSON.stringify(key);
}

/** Aligns the equal signs of adjacent lines, as `terraform fmt` does. */
export function aligned(lines: readonly string[]): readonly string[] {
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
    return group.map((line, position) => {
      const width = widths[position] ?? 0;
      return `${line.slice(0, width)}${" ".repeat(widest - width)}${line.slice(width)}`;
    });
  });
}
