// Turns schema violations into errors for users: a code, the field, the text as written, and a remedy.
import type { TSchema } from "typebox";
import type { DiagnosticCode } from "../../core/diagnostics.ts";
import { containsSecret, isSensitive } from "../../core/fields.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import { closestMatch } from "../../core/naming.ts";
import { joinPointer, splitPointer, valueAt } from "../../core/pointer.ts";
import { mapValues, member, typeOf, typesOf, variants, view } from "../../core/schema.ts";
import { traitsOf } from "../../core/traits.ts";
import type { SchemaValidationError } from "../../core/validate.ts";
import { durationPattern } from "../model/duration.ts";

/** A checked value: its schema, its value after substitution, and its value as written in the file. */
export interface CheckedValue {
  readonly schema: TSchema;
  readonly value: JsonValue;
  readonly written: JsonValue;
  /** The name of the value in messages, such as `spec`. Empty for the whole document. */
  readonly label: string;
}

/** An error in a checked value. `path` is relative to the value; `inKey` places it on the key. */
export interface FieldError {
  readonly code: DiagnosticCode;
  readonly path: string;
  readonly inKey: boolean;
  readonly summary: string;
  readonly remedy?: string;
}

/** Describes schema violations for users. */
export function fieldErrors(
  violations: readonly SchemaValidationError[],
  checked: CheckedValue,
): readonly FieldError[] {
  return violations.map((violation) => fieldErrorOf(violation, checked));
}

function fieldErrorOf(violation: SchemaValidationError, checked: CheckedValue): FieldError {
  switch (violation.keyword) {
    case "additionalProperties":
    case "unevaluatedProperties":
      return unknownField(violation, checked);
    case "required":
      return missingField(violation, checked);
    case "type":
    case "anyOf":
    case "oneOf":
      return wrongType(violation, checked);
    default:
      return outOfBounds(violation, checked);
  }
}

function unknownField({ path, params }: SchemaValidationError, checked: CheckedValue): FieldError {
  const name = text(params["additionalProperty"] ?? params["unevaluatedProperty"]);
  const names = schemasAt(checked.schema, path)
    .flatMap(variants)
    .flatMap((one) => Object.keys(view(one).properties ?? {}));
  const detail = { code: "unknown-field", path: child(path, name), inKey: true } as const;
  if (name === "valueFrom") {
    const summary = `"valueFrom" under ${labelOf(checked, path)} is for secret fields only`;
    const remedy = "Write the value, or a substitution: ${name} or ${env:NAME}.";
    return { ...detail, summary, remedy };
  }
  const closest = closestMatch(name, names);
  const hint = closest === undefined ? "" : `Did you mean "${closest}"? `;
  const summary = `${labelOf(checked, path)} has no field "${name}"`;
  const known = names.length === 0 ? "Remove it." : `Its fields are ${names.join(", ")}.`;
  return { ...detail, summary, remedy: hint + known };
}

function missingField({ path, params }: SchemaValidationError, checked: CheckedValue): FieldError {
  const name = text(params["missingProperty"]);
  const doc = descriptionAt(checked.schema, child(path, name));
  const summary = `${labelOf(checked, path)} lacks the required field "${name}"`;
  const detail = { code: "missing-field", path: child(path, name), inKey: true, summary } as const;
  return { ...detail, remedy: doc ? `Add ${name}: ${doc}` : `Add ${name}.` };
}

function wrongType({ path, message }: SchemaValidationError, checked: CheckedValue): FieldError {
  const value = valueAt(checked.value, splitPointer(path));
  if (value === null && isOptional(checked.schema, path)) return cannotClear(path, checked);
  if (isObject(value) && Object.hasOwn(value, "valueFrom")) {
    const params = { additionalProperty: "valueFrom" };
    return unknownField({ path, keyword: "additionalProperties", message: "", params }, checked);
  }
  const summary = `${labelOf(checked, path)} ${message}: ${quote(checked, path)}`;
  const detail = { code: "wrong-type", path, inKey: false, summary } as const;
  if (value === null) return { ...detail, remedy: "Give it a value." };
  const types = schemasAt(checked.schema, path).flatMap(variants).flatMap(typesOf);
  const isText = types.includes("string") && typeof value !== "object";
  if (!isText) return detail;
  if (typeof sourceAt(checked.written, path) !== "string")
    return { ...detail, remedy: "Put it in quotes." };
  const remedy =
    "Quotes here have no effect: give the variable a text value, with quotes in spec.variables or with --var.";
  return { ...detail, remedy };
}

function cannotClear(path: string, checked: CheckedValue): FieldError {
  const [schema] = schemasAt(checked.schema, path);
  const traits = schema === undefined ? undefined : traitsOf(schema);
  const why =
    traits?.onChange === "replace" ? "it cannot change on a live object" : "it cannot be cleared";
  const summary = `${labelOf(checked, path)} cannot be null: ${why}`;
  const remedy = "Give it a value, or omit the field to keep the live value.";
  return { code: "cannot-clear", path, inKey: false, summary, remedy };
}

function outOfBounds(
  { path, keyword, message, params }: SchemaValidationError,
  checked: CheckedValue,
): FieldError {
  const allowed = params["allowedValues"];
  const label = labelOf(checked, path);
  const detail = { code: "out-of-bounds", path, inKey: false } as const;
  if (keyword !== "enum" || !Array.isArray(allowed)) {
    const doc = keyword === "pattern" ? descriptionAt(checked.schema, path) : undefined;
    const rule =
      patternDescription(params["pattern"]) ??
      (doc && isRawPattern(message) ? "has an invalid format" : message);
    const summary = `${label} ${rule}: ${quote(checked, path)}`;
    return { ...detail, summary, ...(doc && { remedy: doc }) };
  }
  const values = allowed.map(text);
  const value = valueAt(checked.value, splitPointer(path));
  const closest = typeof value === "string" ? closestMatch(value, values) : undefined;
  const summary = `${label} cannot be ${quote(checked, path)}`;
  const hint = closest === undefined ? "" : `Did you mean "${closest}"? `;
  return { ...detail, summary, remedy: `${hint}It is one of ${values.join(", ")}.` };
}

/** Returns true for a message that only quotes a regular expression. */
function isRawPattern(message: string): boolean {
  return message.startsWith("must match the pattern");
}

/** Describes a pattern in words. */
function patternDescription(pattern: unknown): string | undefined {
  return pattern === durationPattern ? "must be a duration such as 8h, 90m or 1d12h" : undefined;
}

/** Returns the schemas for a path: several under a union, none if unspecified. */
function schemasAt(schema: TSchema, path: string): readonly TSchema[] {
  let reached: readonly TSchema[] = [schema];
  for (const segment of splitPointer(path)) {
    reached = reached.flatMap(variants).flatMap((one) => {
      const { properties, items } = view(one);
      return member(properties, segment) ?? items ?? mapValues(one) ?? [];
    });
  }
  return reached;
}

/** Returns the description of the field at a path. */
function descriptionAt(schema: TSchema, path: string): string | undefined {
  return schemasAt(schema, path).map((one) => traitsOf(one).doc)[0];
}

function child(path: string, name: string): string {
  return path + joinPointer([name]);
}

function isOptional(schema: TSchema, path: string): boolean {
  const segments = splitPointer(path);
  const name = segments.at(-1);
  const parent = joinPointer(segments.slice(0, -1));
  return (
    name !== undefined &&
    schemasAt(schema, parent)
      .flatMap(variants)
      .some((one) => {
        const { properties, required } = view(one);
        return member(properties, name) !== undefined && !required?.includes(name);
      })
  );
}

/** Returns the value as written in the file, so that no environment variable is shown. Masks secret fields. */
function quote({ schema, value, written }: CheckedValue, path: string): string {
  if (isSecret(schema, path)) return "the given value (not shown)";
  const actual = valueAt(value, splitPointer(path));
  const source = sourceAt(written, path);
  const clipped = truncate(JSON.stringify(source) ?? "nothing");
  const differs = typeof source === "string" && actual !== source;
  return differs ? `the value of ${clipped} (${typeNames[typeOf(actual)] ?? "nothing"})` : clipped;
}

function isSecret(schema: TSchema, path: string): boolean {
  let at = "";
  for (const segment of splitPointer(path)) {
    at = child(at, segment);
    if (schemasAt(schema, at).some((one) => isSensitive(traitsOf(one)))) return true;
  }
  return schemasAt(schema, path).some(containsSecret);
}

/** Returns the value written at a path, or the substitution whose result contains the path. */
function sourceAt(written: JsonValue, path: string): JsonValue | undefined {
  const segments = splitPointer(path);
  for (let length = segments.length; length >= 0; length--) {
    const found = valueAt(written, segments.slice(0, length).map(String));
    if (found !== undefined) return found;
  }
  return undefined;
}

function truncate(shown: string): string {
  const maxLength = 60;
  return shown.length > maxLength ? `${shown.slice(0, maxLength)}...` : shown;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

function labelOf({ label }: CheckedValue, path: string): string {
  const full = splitPointer(path).reduce(
    (before, segment) => (/^\d+$/.test(segment) ? `${before}[${segment}]` : `${before}.${segment}`),
    label,
  );
  return full === "" ? "the document" : `"${full.replace(/^\./, "")}"`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
