// Inputs as an engine hands them over while it plans: JSON in which some values are not known yet.
import { canClear, type FieldInfo, membersOf } from "../../core/fields.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { joinPointer } from "../../core/pointer.ts";
import { nonNull, typesOf, variantFor } from "../../core/schema.ts";
import { validator } from "../../core/validate.ts";

/** A value that is known only once something else is applied; `payload` is what the engine itself knows of it. */
export class Unknown {
  readonly payload: unknown;

  constructor(payload?: unknown) {
    this.payload = payload;
  }
}

/** JSON, or a value that is not known yet, at any depth. */
export type Value =
  | string
  | number
  | boolean
  | null
  | Unknown
  | readonly Value[]
  | { readonly [key: string]: Value | undefined };

/** The fields of a wish: absent is omitted, `null` clears. */
export interface Inputs {
  readonly [field: string]: Value | undefined;
}

/** True for a value that is an object and known to be one. */
export function isKnownObject(value: Value | undefined): value is Inputs {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Unknown)
  );
}

/** True when nothing in it is left to be known. */
export function isKnown(value: Value | undefined): value is JsonValue | undefined {
  return unknownPointers(value).length === 0;
}

/** JSON Pointers to everything in it that is not known yet. */
export function unknownPointers(value: Value | undefined): readonly string[] {
  const places: string[] = [];
  const walk = (one: Value | undefined, steps: readonly (string | number)[]): void => {
    if (one instanceof Unknown) places.push(joinPointer(steps));
    else if (Array.isArray(one))
      for (const [index, item] of one.entries()) walk(item as Value, [...steps, index]);
    else if (isKnownObject(one))
      for (const [name, inner] of Object.entries(one)) walk(inner, [...steps, name]);
  };
  walk(value, []);
  return places;
}

/** The fields that are known whole. */
export function fullyKnownFields(inputs: Inputs): JsonObject {
  const known = Object.entries(inputs).filter((entry): entry is [string, JsonValue] => {
    return entry[1] !== undefined && isKnown(entry[1]);
  });
  return Object.fromEntries(known);
}

/** The same with `null` in place of what is not known. */
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
 * Engines cannot tell a field that is cleared from one that is left out, so an empty text says `null` wherever the field can
 * be cleared and does not allow an empty text.
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

/** True for a text that an empty one clears. */
export function isClearedByEmpty(field: FieldInfo): boolean {
  const isText = nonNull(field.schema).every((one) => typesOf(one).includes("string"));
  return isText && canClear(field) && validator(field.schema)("").length > 0;
}
