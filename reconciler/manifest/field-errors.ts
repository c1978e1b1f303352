// Turns schema violations into errors for users: a code, the field, the text as written, and a remedy.
import type { TSchema } from "typebox";
import type { DiagnosticCode } from "../../core/diagnostics.ts";
import { containsSecret, isSensitive } from "../../core/kind/fields.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import type { OfflineError } from "../../core/kind/server-checks.ts";
import { joinPointer, splitPointer, valueAt } from "../../core/pointer.ts";
import { mapValues, member, typeOf, typesOf, variants, view } from "../../core/schema/schema.ts";
import { traitsOf } from "../../core/schema/traits.ts";
import { validator } from "../../core/schema/validate.ts";
import type { SchemaValidationError } from "../../core/schema/validation-messages.ts";
import { sentences, snakeCase, suggestionRemedy } from "../../core/text/naming.ts";
import { fieldOfOtherTools, synonymOf } from "./words-of-other-tools.ts";

/** A checked value: its schema, its value after substitution, and its value as written in the file. */
export interface CheckedValue {
  readonly schema: TSchema;
  readonly value: JsonValue;
  readonly written: JsonValue;
  /** The name of the value in messages, such as `spec`. Empty for the whole document. */
  readonly label: string;
  /**
   * Set if the value is of a document that declares an object: its spec, whose omitted fields keep their live values, or
   * the rest. Other documents have no lifecycle.
   */
  readonly objectPart?: "head" | "spec";
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
      return memberError(violation, checked, unknownFieldRemedy(violation, checked));
    case "missing-field":
      return memberError(violation, checked, missingFieldRemedy(checked, violation.path));
    case "wrong-type":
      return wrongType(violation, checked);
    case "out-of-bounds":
      return valueError(violation, checked);
  }
}

/** Returns the value to write for a missing field: its only value, or its type and meaning. */
function missingFieldRemedy({ schema }: CheckedValue, path: string): string {
  const name = splitPointer(path).at(-1) ?? "";
  const schemas = schemasAt(schema, path).flatMap(variants);
  const only = schemas.map((one) => view(one).const).find((one) => one !== undefined);
  if (typeof only === "string") return `Add ${name}: ${only}.`;
  const [members = []] = schemas.map((one) => view(one).required ?? []);
  if (members.length > 0) {
    const inner = members.map((one) => `${one}: ${snakeCase(one).toUpperCase()}`);
    return `Add ${name}: { ${inner.join(", ")} }.`;
  }
  const [type] = schemas.flatMap(typesOf).map((one) => typeNames[one]);
  const what = type === undefined ? `Add ${name}.` : `Add ${name}, ${type}.`;
  return sentences(what, firstSentence(descriptionAt(schema, path)));
}

/** A missing or unknown field, placed at its name. */
function memberError(
  { code, path, message }: SchemaValidationError,
  checked: CheckedValue,
  remedy: string,
): FieldError {
  return { code, path, inKey: true, summary: `${labelOf(checked, path)} ${message}`, remedy };
}

function unknownFieldRemedy(
  { path, remedy = "Remove it." }: SchemaValidationError,
  checked: CheckedValue,
): string {
  const { objectPart, schema } = checked;
  const segments = splitPointer(path);
  const name = segments.at(-1) ?? "";
  if (name === "valueFrom") return valueFromRemedy;
  const known = synonymOf(name);
  const beside = child(parentOf(path), known ?? "");
  if (known !== undefined && schemasAt(schema, beside).length > 0) return suggestionRemedy(known);
  // Deeper in a spec, a word belongs to what is declared.
  const isOfObject = objectPart === "head" || (objectPart === "spec" && segments.length === 1);
  const word = isOfObject ? fieldOfOtherTools(name) : undefined;
  return word ?? innerFieldRemedy(path, checked) ?? remedy;
}

/** Returns where to write a field that exactly one of the objects beside it has. Undefined if none or several have it. */
function innerFieldRemedy(path: string, checked: CheckedValue): string | undefined {
  const segments = splitPointer(path);
  const name = segments.at(-1) ?? "";
  const objects = schemasAt(checked.schema, parentOf(path))
    .flatMap(variants)
    .flatMap((one) => Object.entries(view(one).properties ?? {}));
  const having = objects.filter(([, schema]) =>
    variants(schema).some((one) => member(view(one).properties, name) !== undefined),
  );
  const [[object] = [], second] = having;
  if (object === undefined || second !== undefined) return undefined;
  const inner = labelText(checked, joinPointer([...segments.slice(0, -1), object, name]));
  return `Write ${inner} instead of ${labelText(checked, path)}.`;
}

const valueFromRemedy =
  "Only secret fields have valueFrom. Write the value, or a substitution: ${name} or ${env:NAME}.";

function valueError(violation: SchemaValidationError, checked: CheckedValue): FieldError {
  const { code, path, message } = violation;
  const remedy =
    referenceRemedy(checked, path) ??
    violation.remedy ??
    unquotedRemedy(checked, path) ??
    respelledRemedy(violation, checked, path);
  const summary = `${labelOf(checked, path)} ${message}: ${quote(checked, path)}`;
  return { code, path, inKey: false, summary, ...(remedy && { remedy }) };
}

/** Returns how to write a reference in place of an object with other fields. Undefined for other values. */
function referenceRemedy({ schema, value }: CheckedValue, path: string): string | undefined {
  const object = valueAt(value, splitPointer(path));
  const around = [path, parentOf(path)].flatMap((one) => schemasAt(schema, one));
  const refersTo = around.some((one) => traitsOf(one).refersTo !== undefined);
  if (!isObject(object) || !refersTo) return undefined;
  const name = member(object, "name");
  const written = typeof name === "string" ? name : "NAME";
  return `Write ${written}, the metadata.name of a document, or { external: KEY } for an object outside the stack.`;
}

function wrongType(violation: SchemaValidationError, checked: CheckedValue): FieldError {
  const { path } = violation;
  const value = valueAt(checked.value, splitPointer(path));
  const isOmissible = value === null && isOptional(checked.schema, path);
  if (isOmissible && checked.objectPart === "spec") return cannotClear(path, checked);
  const error = valueError(violation, checked);
  if (isObject(value) && Object.hasOwn(value, "valueFrom"))
    return { ...error, remedy: valueFromRemedy };
  if (value === null)
    return { ...error, remedy: `Give it a value${isOmissible ? ", or omit the field" : ""}.` };
  if (unquotedRemedy(checked, path) !== undefined) return error;
  const types = schemasAt(checked.schema, path).flatMap(variants).flatMap(typesOf);
  if (types.includes("array") && !isObject(value)) {
    return { ...error, remedy: listRemedy(checked, path) };
  }
  if (types.includes("array") && isObject(value)) {
    return { ...error, remedy: "Write it as a list, with a hyphen before each item." };
  }
  const otherForm = error.remedy ?? otherFormRemedy(types, checked, path);
  if (otherForm !== undefined) return { ...error, remedy: otherForm };
  const isNumber = typeof value === "number" && types.includes("integer");
  const isText =
    types.includes("string") && !isNumber && typeof value !== "object" && typeof value !== "string";
  if (!isText) return error;
  if (typeof sourceAt(checked.written, path) !== "string")
    return { ...error, remedy: textRemedy(checked, path, String(value)) };
  const remedy =
    "Quotes here have no effect: give the variable a text value, with quotes in spec.variables or with --var.";
  return { ...error, remedy };
}

/** Returns how to write a text where an object, a number, true or false is expected. Undefined for other values. */
function otherFormRemedy(
  types: readonly string[],
  { schema, value, written }: CheckedValue,
  path: string,
): string | undefined {
  const text = valueAt(value, splitPointer(path));
  if (typeof text !== "string" || isSecret(schema, path) || sourceAt(written, path) !== text)
    return undefined;
  if (types.includes("boolean")) {
    if (/^(?:y|yes|on)$/iu.test(text)) return "Write true.";
    if (/^(?:n|no|off)$/iu.test(text)) return "Write false.";
  }
  const type = types.find((one) => one === "number" || one === "integer");
  if (type !== undefined) return numberRemedy(text, type, descriptionAt(schema, path));
  if (types.length !== 1 || types[0] !== "object") return undefined;
  const fields = schemasAt(schema, path)
    .flatMap(variants)
    .flatMap((one) => Object.keys(view(one).properties ?? {}));
  return fields.length === 0 ? undefined : `Write an object. Its fields are ${fields.join(", ")}.`;
}

/** Returns how to write a number that has a unit, which may be another one than that of the field. */
function numberRemedy(text: string, type: string, description = ""): string | undefined {
  const [, number, unit] = /^(\d{1,9}) ?(%|[A-Za-z]+)$/u.exec(text) ?? [];
  if (number === undefined) return undefined;
  if (unit === "%" && /\bpercent\b/iu.test(description))
    return `Write the number without its unit: ${number}.`;
  return sentences(`Write ${typeNames[type]} without a unit.`, firstSentence(description));
}

function firstSentence(text = ""): string {
  return text.split(/(?<=\.) /u)[0] ?? "";
}

/** Returns the text in other capitals or other white space, if it is valid in them. Undefined for secrets and variables. */
function respelledRemedy(
  { keyword }: SchemaValidationError,
  { schema, value, written }: CheckedValue,
  path: string,
): string | undefined {
  const text = valueAt(value, splitPointer(path));
  if (keyword !== "pattern" || typeof text !== "string") return undefined;
  if (text.length > 80 || isSecret(schema, path) || sourceAt(written, path) !== text)
    return undefined;
  const spaced = text.trim().replaceAll(/\s+/gu, " ");
  const spellings = [spaced, spaced.toLowerCase(), spaced.toUpperCase()];
  const valid = spellings.find((one) => isAccepted(schema, path, one));
  return valid === undefined ? undefined : suggestionRemedy(valid);
}

/** Returns whether a field accepts a value. */
function isAccepted(schema: TSchema, path: string, value: unknown): boolean {
  return schemasAt(schema, path).some((one) => validator(one)(value).length === 0);
}

/** Returns how to write a number, true or false where a text is expected: a number without its unit is no duration. */
function textRemedy(checked: CheckedValue, path: string, text: string): string {
  const accepts = (one: string) => isAccepted(checked.schema, path, one);
  return !accepts(text) && accepts(`${text}m`)
    ? `Write it with a unit, such as ${text}s, ${text}m or ${text}h.`
    : "Put it in quotes.";
}

/** Returns the remedy for a number, true or false that is given as text. Undefined if the value is not valid without quotes either. */
function unquotedRemedy(checked: CheckedValue, path: string): string | undefined {
  const value = valueAt(checked.value, splitPointer(path));
  if (typeof value !== "string" || !/^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/u.test(value))
    return undefined;
  const meant: unknown = JSON.parse(value);
  if (!isAccepted(checked.schema, path, meant)) return undefined;
  return sourceAt(checked.written, path) === value
    ? "Remove the quotes."
    : `Give the variable ${typeof meant === "number" ? "a number" : "true or false"} instead of text, with spec.variables or with --var-json.`;
}

/**
 * Returns how to write a list in place of one value: with the value as its item, or a description of the list if the
 * value cannot be an item.
 */
function listRemedy(checked: CheckedValue, path: string): string {
  const [written, item] = /^"([^"\\]+)"$/u.exec(quote(checked, path)) ?? [];
  if (item === undefined) return "Write it as a list.";
  const lists = schemasAt(checked.schema, path)
    .flatMap(variants)
    .filter((one) => typesOf(one).includes("array"));
  const items = lists.map((one) => view(one).items);
  const canBeItem = items.some((one) => one === undefined || validator(one)(item).length === 0);
  if (canBeItem) return `Write it as a list: [${/^[\w-]+$/u.test(item) ? item : written}].`;
  return `Write it as a list. ${descriptionAt(checked.schema, path) ?? ""}`.trimEnd();
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
  const name = splitPointer(path).at(-1);
  return (
    name !== undefined &&
    schemasAt(schema, parentOf(path))
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
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

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
