// Turns schema violations into errors for users: a code, the field, the text as written, and a remedy.
import type { TSchema } from "typebox";
import type { DiagnosticCode } from "../../core/diagnostics.ts";
import { containsSecret, isSensitive } from "../../core/kind/fields.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import type { OfflineError } from "../../core/kind/server-checks.ts";
import { joinPointer, splitPointer, valueAt } from "../../core/pointer.ts";
import { mapValues, member, typeOf, typesOf, variants, view } from "../../core/schema/schema.ts";
import { traitsOf } from "../../core/schema/traits.ts";
import { type SchemaValidationError, typeNames } from "../../core/schema/validation-messages.ts";
import { sentences, suggestionRemedy } from "../../core/text/naming.ts";
import { withoutUrlCredentials } from "../../core/text/url-credentials.ts";

/** A checked value: its schema, its value after substitution, and its value as written in the file. */
export interface CheckedValue {
  readonly schema: TSchema;
  readonly value: JsonValue;
  readonly written: JsonValue;
  /** The name of the value in messages, such as `spec`. Empty for the whole document. */
  readonly label: string;
  /** True for the spec of a document that declares an object, whose omitted fields keep their live values. Default: false. */
  readonly isObjectSpec?: boolean;
}

/** An error in a checked value. `path` is relative to the value; `inKey` places it on the key. */
export interface FieldError {
  readonly code: DiagnosticCode;
  readonly path: string;
  readonly inKey: boolean;
  readonly summary: string;
  readonly remedy?: string;
  /** The line and column in a value that is the text of a file. */
  readonly position?: OfflineError["position"];
}

/** Describes schema violations for users. A field that is missing because its name is misspelled is one error, not two. */
export function fieldErrors(
  violations: readonly SchemaValidationError[],
  checked: CheckedValue,
): readonly FieldError[] {
  return violations
    .filter((violation) => !violations.some((other) => isMisspellingOf(other, violation)))
    .map((violation) => fieldErrorOf(violation, checked));
}

/** Describes errors that a kind finds beyond its schema. */
export function offlineFieldErrors(
  errors: readonly OfflineError[],
  checked: CheckedValue,
): readonly FieldError[] {
  return errors.map(({ path, message, remedy, position }) => ({
    code: "out-of-bounds",
    path,
    inKey: true,
    summary: `${labelOf(checked, path)} ${message}`,
    ...(remedy !== undefined && { remedy }),
    ...(position && { position }),
  }));
}

/** Returns whether an unknown field is probably the missing one. */
function isMisspellingOf(unknown: SchemaValidationError, missing: SchemaValidationError): boolean {
  if (unknown.code !== "unknown-field" || missing.code !== "missing-field") return false;
  const name = splitPointer(missing.path).at(-1) ?? "";
  const isSameObject = parentOf(unknown.path) === parentOf(missing.path);
  return isSameObject && unknown.remedy === suggestionRemedy(name);
}

function parentOf(path: string): string {
  return joinPointer(splitPointer(path).slice(0, -1));
}

function fieldErrorOf(violation: SchemaValidationError, checked: CheckedValue): FieldError {
  switch (violation.code) {
    case "unknown-field":
      return memberError(violation, checked, unknownFieldRemedy(violation));
    case "missing-field":
      return memberError(violation, checked, missingFieldRemedy(checked, violation.path));
    case "wrong-type":
      return wrongType(violation, checked);
    case "out-of-bounds":
      return valueError(violation, checked);
  }
}

function unknownFieldRemedy({ path, remedy = "Remove it." }: SchemaValidationError): string {
  return splitPointer(path).at(-1) === "valueFrom" ? valueFromRemedy : remedy;
}

/** Returns what a missing field allows: its only value, or its type and meaning. */
function missingFieldRemedy({ schema }: CheckedValue, path: string): string {
  const name = splitPointer(path).at(-1) ?? "";
  const schemas = schemasAt(schema, path).flatMap(variants);
  const literal = schemas
    .map((variant) => view(variant).const)
    .find((variant) => typeof variant === "string");
  if (literal !== undefined) return `Add ${name}: ${literal}.`;
  const [type] = schemas.flatMap(typesOf).map((schemaType) => typeNames[schemaType]);
  const [meaning] = descriptionAt(schema, path)?.split(/(?<=\.) /u) ?? [];
  return sentences(`Add ${name}${type === undefined ? "" : `, ${type}`}.`, meaning);
}

/** A missing or unknown field, placed at its name. */
function memberError(
  { code, path, message }: SchemaValidationError,
  checked: CheckedValue,
  remedy: string,
): FieldError {
  return { code, path, inKey: true, summary: `${labelOf(checked, path)} ${message}`, remedy };
}

const valueFromRemedy =
  "Only secret fields have valueFrom. Write the value, or a substitution: ${name} or ${env:NAME}.";

function valueError(
  { code, path, message, remedy }: SchemaValidationError,
  checked: CheckedValue,
): FieldError {
  const summary = `${labelOf(checked, path)} ${message}: ${quote(checked, path)}`;
  return { code, path, inKey: false, summary, ...(remedy !== undefined && { remedy }) };
}

function wrongType(violation: SchemaValidationError, checked: CheckedValue): FieldError {
  const { path } = violation;
  const value = valueAt(checked.value, splitPointer(path));
  if (value === null && checked.isObjectSpec === true && isOptional(checked.schema, path))
    return cannotClear(path, checked);
  const error = valueError(violation, checked);
  const isSource = isObject(value) && Object.hasOwn(value, "valueFrom");
  return isSource ? { ...error, remedy: valueFromRemedy } : error;
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

/** Returns the schemas for a path: several under a union, none if unspecified. */
function schemasAt(schema: TSchema, path: string): readonly TSchema[] {
  let reached: readonly TSchema[] = [schema];
  for (const segment of splitPointer(path)) {
    reached = reached.flatMap(variants).flatMap((variant) => {
      const { properties, items } = view(variant);
      return member(properties, segment) ?? items ?? mapValues(variant) ?? [];
    });
  }
  return reached;
}

/** Returns the description of the field at a path. */
function descriptionAt(schema: TSchema, path: string): string | undefined {
  return schemasAt(schema, path).map((field) => traitsOf(field).doc)[0];
}

function child(path: string, name: string): string {
  return path + joinPointer([name]);
}

function isOptional(schema: TSchema, path: string): boolean {
  const name = splitPointer(path).at(-1);
  return (
    name !== undefined &&
    schemasAt(schema, parentOf(path))
      .flatMap(variants)
      .some((variant) => {
        const { properties, required } = view(variant);
        return member(properties, name) !== undefined && !required?.includes(name);
      })
  );
}

/** Returns the value as written in the file, so that no environment variable is shown. Masks secret fields, and leaves credentials of URLs out. */
function quote({ schema, value, written }: CheckedValue, path: string): string {
  if (isSecret(schema, path)) return "the given value (not shown)";
  const actual = valueAt(value, splitPointer(path));
  const source = sourceAt(written, path);
  const clipped = truncate(withoutUrlCredentials(JSON.stringify(source) ?? "nothing"));
  const differs = typeof source === "string" && actual !== source;
  return differs ? `the value of ${clipped} (${typeNames[typeOf(actual)] ?? "nothing"})` : clipped;
}

function isSecret(schema: TSchema, path: string): boolean {
  let prefix = "";
  for (const segment of splitPointer(path)) {
    prefix = child(prefix, segment);
    if (schemasAt(schema, prefix).some((reached) => isSensitive(traitsOf(reached)))) return true;
  }
  return schemasAt(schema, path).some(containsSecret);
}

/** Returns the value written at a path, or the substitution whose result contains the path. */
function sourceAt(written: JsonValue, path: string): JsonValue | undefined {
  const segments = splitPointer(path);
  for (let length = segments.length; length >= 0; length--) {
    const source = valueAt(written, segments.slice(0, length).map(String));
    if (source !== undefined) return source;
  }
  return undefined;
}

function truncate(shown: string): string {
  const maxLength = 60;
  return shown.length > maxLength ? `${shown.slice(0, maxLength)}...` : shown;
}

function labelOf(checked: CheckedValue, path: string): string {
  const full = labelText(checked, path);
  return full === "" ? "the document" : `"${full}"`;
}

function labelText({ label }: CheckedValue, path: string): string {
  const full = splitPointer(path).reduce(
    (before, segment) => (/^\d+$/.test(segment) ? `${before}[${segment}]` : `${before}.${segment}`),
    label,
  );
  return full.replace(/^\./, "");
}
