// JSON as a type, in one canonical spelling, with equality: what every digest, fingerprint and comparison stands on.

/** Anything JSON can say. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object; a missing key and a key holding `undefined` are the same thing. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** True for plain objects: not null, not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same text for equal values: keys sorted by code unit, `undefined` members left out, no white space. */
export function canonical(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  let members = "";
  // Whole inventories are spelt out for their digest, so this is a plain loop.
  for (const key of Object.keys(value).toSorted()) {
    const member = value[key];
    if (member === undefined) continue;
    members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${canonical(member)}`;
  }
  return `{${members}}`;
}

/** Equal as JSON: key order and `undefined` members do not matter, list order does. */
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

/** A member that holds `null` is there, one that holds `undefined` is not. */
function equalMember(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return right !== undefined && equal(left, right);
}

function namesIn(object: JsonObject): readonly string[] {
  return Object.keys(object).filter((name) => object[name] !== undefined);
}
