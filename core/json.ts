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
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}

/** Equal as JSON: key order and `undefined` members do not matter, list order does. */
export function equal(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return left === right || canonical(left) === canonical(right);
}
