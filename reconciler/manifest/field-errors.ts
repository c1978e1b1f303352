// From what a schema refuses to what a user is told: a code, the field, the offending text as written, and what to do.
import type { TSchema } from "typebox";
import type { DiagnosticCode } from "../../core/diagnostics.ts";
import { containsSecret, isSensitive } from "../../core/fields.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import { closestMatch } from "../../core/naming.ts";
import { joinPointer, splitPointer } from "../../core/pointer.ts";
import { mapValues, member, typeOf, typesOf, variants, view } from "../../core/schema.ts";
import { traitsOf } from "../../core/traits.ts";
import type { SchemaValidationError } from "../../core/validate.ts";
import { durationPattern } from "../model/duration.ts";

/** What was checked: its schema, its value with everything substituted, and as it is written in the file. */
export interface CheckedValue {
  readonly schema: TSchema;
  readonly value: JsonValue;
  readonly written: JsonValue;
  /** The field that it is the value of, for people: `spec`; empty for the whole document. */
  readonly label: string;
}

/** A mistake within what was checked; the path is relative to it, and on the key where `inKey` says so. */
export interface FieldError {
  readonly code: DiagnosticCode;
  readonly path: string;
  readonly inKey: boolean;
  readonly summary: string;
  readonly remedy?: string;
}

/** What a user is told about violations of a schema. */
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
  const said = { code: "unknown-field", path: child(path, name), inKey: true } as const;
  if (name === "valueFrom") {
    const summary = `"valueFrom" under ${labelOf(checked, path)} is for secret fields only`;
    const remedy = "Write the value, or substitute it: ${name} or ${env:NAME}.";
    return { ...said, summary, remedy };
  }
  const meant = closestMatch(name, names);
  const guess = meant === undefined ? "" : `Did you mean "${meant}"? `;
  const summary = `${labelOf(checked, path)} has no field "${name}"`;
  const known = names.length === 0 ? "Remove it." : `Its fields are ${names.join(", ")}.`;
  return { ...said, summary, remedy: guess + known };
}

function missingField({ path, params }: SchemaValidationError, checked: CheckedValue): FieldError {
  const name = text(params["missingProperty"]);
  const doc = descriptionAt(checked.schema, child(path, name));
  const summary = `${labelOf(checked, path)} lacks the required field "${name}"`;
  const said = { code: "missing-field", path: child(path, name), inKey: true, summary } as const;
  return { ...said, remedy: doc ? `Add ${name}: ${doc}` : `Add ${name}.` };
}

function wrongType({ path, message }: SchemaValidationError, checked: CheckedValue): FieldError {
  const value = valueAt(checked.value, path);
  if (value === null && isOptional(checked.schema, path)) return cannotClear(path, checked);
  if (isObject(value) && Object.hasOwn(value, "valueFrom")) {
    const params = { additionalProperty: "valueFrom" };
    return unknownField({ path, keyword: "additionalProperties", message: "", params }, checked);
  }
  const summary = `${labelOf(checked, path)} ${message}: ${quote(checked, path)}`;
  const said = { code: "wrong-type", path, inKey: false, summary } as const;
  if (value === null) return { ...said, remedy: "Give it a value." };
  const types = schemasAt(checked.schema, path).flatMap(variants).flatMap(typesOf);
  const isText = types.includes("string") && typeof value !== "object";
  if (!isText) return said;
  if (typeof sourceAt(checked.written, path) !== "string")
    return { ...said, remedy: "Put it in quotes." };
  const remedy =
    "Quotes here change nothing: give the variable text, as by quotes in spec.variables or by --var.";
  return { ...said, remedy };
}

function cannotClear(path: string, checked: CheckedValue): FieldError {
  const [schema] = schemasAt(checked.schema, path);
  const traits = schema === undefined ? undefined : traitsOf(schema);
  const why =
    traits?.onChange === "replace" ? "it cannot change on a live object" : "it cannot be cleared";
  const summary = `${labelOf(checked, path)} cannot be null: ${why}`;
  const remedy = "Give it a value, or leave the field out, which leaves the live value alone.";
  return { code: "cannot-clear", path, inKey: false, summary, remedy };
}

function outOfBounds(
  { path, keyword, message, params }: SchemaValidationError,
  checked: CheckedValue,
): FieldError {
  const allowed = params["allowedValues"];
  const label = labelOf(checked, path);
  const said = { code: "out-of-bounds", path, inKey: false } as const;
  if (keyword !== "enum" || !Array.isArray(allowed)) {
    const means = patternDescription(params["pattern"]) ?? message;
    const summary = `${label} ${means}: ${quote(checked, path)}`;
    const doc = keyword === "pattern" ? descriptionAt(checked.schema, path) : undefined;
    return { ...said, summary, ...(doc && { remedy: doc }) };
  }
  const values = allowed.map(text);
  const value = valueAt(checked.value, path);
  const meant = typeof value === "string" ? closestMatch(value, values) : undefined;
  const summary = `${label} cannot be ${quote(checked, path)}`;
  const guess = meant === undefined ? "" : `Did you mean "${meant}"? `;
  return { ...said, summary, remedy: `${guess}It is one of ${values.join(", ")}.` };
}

/** In words, where a pattern says less than an example. */
function patternDescription(pattern: unknown): string | undefined {
  return pattern === durationPattern
    ? "must be a length of time such as 8h, 90m or 1d12h"
    : undefined;
}

/** The schemas that a value at a path may follow; several under a union, none where nothing is said. */
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

/** What people are told of the field at a path. */
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

function valueAt(value: JsonValue, path: string): JsonValue | undefined {
  let reached: JsonValue | undefined = value;
  for (const segment of splitPointer(path)) {
    if (typeof reached !== "object" || reached === null) return undefined;
    reached = member(reached as Readonly<Record<string, JsonValue | undefined>>, segment);
  }
  return reached;
}

/** The text in the file, so that nothing out of the environment is shown; hidden where the field holds secrets. */
function quote({ schema, value, written }: CheckedValue, path: string): string {
  if (isSecret(schema, path)) return "what is given (not shown)";
  const actual = valueAt(value, path);
  const source = sourceAt(written, path);
  const clipped = truncate(JSON.stringify(source) ?? "nothing");
  const differs = typeof source === "string" && actual !== source;
  return differs ? `what ${clipped} gives (${typeNames[typeOf(actual)] ?? "nothing"})` : clipped;
}

function isSecret(schema: TSchema, path: string): boolean {
  let at = "";
  for (const segment of splitPointer(path)) {
    at = child(at, segment);
    if (schemasAt(schema, at).some((one) => isSensitive(traitsOf(one)))) return true;
  }
  return schemasAt(schema, path).some(containsSecret);
}

/** What is written at a path, or the text that was substituted by something in which the path leads on. */
function sourceAt(written: JsonValue, path: string): JsonValue | undefined {
  const segments = splitPointer(path);
  for (let length = segments.length; length >= 0; length--) {
    const found = valueAt(written, joinPointer(segments.slice(0, length)));
    if (found !== undefined) return found;
  }
  return undefined;
}

function truncate(shown: string): string {
  const most = 60;
  return shown.length > most ? `${shown.slice(0, most)}...` : shown;
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
