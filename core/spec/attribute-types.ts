// The types of attributes, and which values have them.
import type { JsonObject, JsonValue } from "../json.ts";
import { splitPointer, valueAt } from "../pointer.ts";
import type { Reference } from "../kind/references.ts";

/** Returns true for a value of an attribute's type, such as `number` or `string_array`. */
export function matchesType(type: string, value: JsonValue): boolean {
  if (!Array.isArray(value)) return typeof value === type;
  return type.endsWith("_array") && value.every((item) => `${typeof item}_array` === type);
}

/** A value whose type differs from the type that the referenced object declares. */
export interface TypeMismatch {
  /** JSON Pointer into the spec. */
  readonly path: string;
  readonly type: string;
}

/** Returns the mismatch between a value and the type of the object that a sibling reference names; undefined without one. */
export function typeMismatch(
  { typedValue: path }: Reference,
  spec: JsonObject,
  target: JsonObject,
): TypeMismatch | undefined {
  const { type } = target;
  if (path === undefined || typeof type !== "string") return undefined;
  const value = valueAt(spec, splitPointer(path)) ?? null;
  return value === null || matchesType(type, value) ? undefined : { path, type };
}

const typeWords: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  string_array: "a list of strings",
  number_array: "a list of numbers",
};

/** Returns the error of a mismatch. `target` is the address of the object that has the type. */
export function describeTypeMismatch({ path, type }: TypeMismatch, target: string) {
  return {
    code: "value-refused",
    path: `/spec${path}`,
    summary: `the value must be ${typeWords[type] ?? type}, because ${target} has the type ${type}`,
    remedy: "Correct the value, or the type of the attribute.",
  } as const;
}
