// Inputs of a plan: JSON in which some values are not known yet.
import { canClear, type FieldInfo, membersOf } from "../../core/kind/fields.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { joinPointer } from "../../core/pointer.ts";
import { nonNull, typesOf, variantFor } from "../../core/schema/schema.ts";
import { validator } from "../../core/schema/validate.ts";

/** A value that is known only after another object is applied. `payload` holds the engine's refinements of it. */
export class Unknown {
  readonly payload: unknown;

  constructor(payload?: unknown) {
    this.payload = payload;
  }
}

/** JSON with unknown values at any depth. */
export type Value =
  | string
  | number
  | boolean
  | null
  | Unknown
  | readonly Value[]
  | { readonly [key: string]: Value | undefined };

/** The fields of a desired object. An absent field is omitted; `null` clears it. */
export interface Inputs {
  readonly [field: string]: Value | undefined;
}

/** True for a known object. */
export function isKnownObject(value: Value | undefined): value is Inputs {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Unknown)
  );
}

/** True if the value contains no unknown. */
export function isKnown(value: Value | undefined): value is JsonValue | undefined {
  return unknownPointers(value).length === 0;
}

/** Returns JSON Pointers to every unknown in the value. */
export function unknownPointers(value: Value | undefined): readonly string[] {
  const pointers: string[] = [];
  const walk = (item: Value | undefined, steps: readonly (string | number)[]): void => {
    if (item instanceof Unknown) pointers.push(joinPointer(steps));
    else if (Array.isArray(item))
      for (const [index, member] of item.entries()) walk(member as Value, [...steps, index]);
    else if (isKnownObject(item))
      for (const [name, inner] of Object.entries(item)) walk(inner, [...steps, name]);
  };
  walk(value, []);
  return pointers;
}

/** Returns the fields without any unknown value. */
export function fullyKnownFields(inputs: Inputs): JsonObject {
  const known = Object.entries(inputs).filter((entry): entry is [string, JsonValue] => {
    return entry[1] !== undefined && isKnown(entry[1]);
  });
  return Object.fromEntries(known);
}

/** Removes the engine's refinements of every unknown. */
export function withoutRefinements(value: Value): Value {
  if (value instanceof Unknown) return new Unknown();
  if (Array.isArray(value)) return value.map((item: Value) => withoutRefinements(item));
  if (!isKnownObject(value)) return value;
  const members = Object.entries(value).map(([name, inner]): [string, Value | undefined] => [
    name,
    inner === undefined ? undefined : withoutRefinements(inner),
  ]);
  return Object.fromEntries(members);
}

/** Replaces every unknown with `null`. */
export function unknownAsNull(value: Value): JsonValue {
  if (value instanceof Unknown) return null;
  if (Array.isArray(value)) return value.map((item: Value) => unknownAsNull(item));
  if (!isKnownObject(value)) return value as JsonValue;
  const members = Object.entries(value).flatMap(([name, inner]): [string, JsonValue][] =>
    inner === undefined ? [] : [[name, unknownAsNull(inner)]],
  );
  return Object.fromEntries(members);
}

/**
 * Replaces an empty string with `null` if the field can be cleared and does not allow an empty string. Engines treat a cleared
 * field and an omitted field alike, so users clear a field with an empty string.
 */
export function emptyTextAsNull(kind: Kind, inputs: Inputs): Inputs {
  return emptyTextAsNullIn(membersOf(kind.spec), inputs);
}

function emptyTextAsNullIn(fields: readonly FieldInfo[], inputs: Inputs): Inputs {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const members = Object.entries(inputs).map(([name, value]): [string, Value | undefined] => {
    const field = byName.get(name);
    if (field === undefined) return [name, value];
    if (value === "" && isClearedByEmpty(field)) return [name, null];
    if (!isKnownObject(value)) return [name, value];
    const variant = variantFor(field.schema, unknownAsNull(value));
    const inner = variant === undefined ? [] : membersOf(variant);
    return [name, inner.length === 0 ? value : emptyTextAsNullIn(inner, value)];
  });
  return Object.fromEntries(members);
}

/** True for a string field that an empty string clears. */
export function isClearedByEmpty(field: FieldInfo): boolean {
  const isText = nonNull(field.schema).every((item) => typesOf(item).includes("string"));
  return isText && canClear(field) && validator(field.schema)("").length > 0;
}
