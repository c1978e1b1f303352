// JSON types, canonical serialization and equality, which all digests, fingerprints and comparisons use.

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. A key with the value `undefined` is the same as a missing key. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Returns whether a value is an object, and neither `null` nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the JSON object in a text; an empty one for any other text. */
export function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Returns equal text for equal values: keys sorted by code unit, without `undefined` members and white space. */
export function canonical(value: JsonValue | undefined): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  let members = "";
  // A plain loop, because digests serialize whole inventories.
  for (const key of sortedKeys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${canonical(member)}`;
  }
  return `{${members}}`;
}

function sortedKeys(value: JsonObject): readonly string[] {
  const keys = Object.keys(value);
  let before = "";
  for (const key of keys) {
    if (key < before) return keys.toSorted();
    before = key;
  }
  return keys;
}

/**
 * Returns whether two values are equal JSON. Key order and `undefined` members do not matter; list order does. A missing value
 * equals `null`, as a field without a value does; as members of an object, the two differ.
 */
export function equal(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item: JsonValue, index) => equal(item, right[index]))
    );
  }
  if (isObject(left)) return isObject(right) && equalMembers(left, right);
  return !isObject(right) && !Array.isArray(right) && canonical(left) === canonical(right);
}

function equalMembers(left: JsonObject, right: JsonObject): boolean {
  const names = namesIn(left);
  return (
    names.length === namesIn(right).length &&
    names.every((name) => Object.hasOwn(right, name) && equalMember(left[name], right[name]))
  );
}

/** A member with the value `null` exists; a member with the value `undefined` does not. */
function equalMember(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return right !== undefined && equal(left, right);
}

function namesIn(object: JsonObject): readonly string[] {
  return Object.keys(object).filter((name) => object[name] !== undefined);
}
