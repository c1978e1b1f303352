// Values that both databases can hold: booleans as 0 or 1, JSON and moments as text.
import { Failure } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";

/** A boolean as a column holds it. */
export function toFlag(value: boolean): number {
  return value ? 1 : 0;
}

/** A text for people as a column holds it: an empty one is none. */
export function emptyToNull(text: string | null | undefined): string | null {
  return text == null || text === "" ? null : text;
}

/** JSON as a column holds it. */
export function toJson(value: JsonValue): string {
  return JSON.stringify(value);
}

/** As {@link toJson}, of a value that `name` calls for people; `invalid` where that has more than `most` bytes. */
export function toShortJson(
  value: JsonValue,
  { name, most }: { name: string; most: number },
): string {
  const text = toJson(value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return text;
  throw new Failure("invalid", `${name} may have ${most} bytes as JSON at most; this is ${bytes}`);
}

/** What {@link toJson} made; the column is written by it alone. */
export function fromJson(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}

/** A moment as a column and the API hold it: UTC with milliseconds, so that text order is time order. */
export function toTimestamp(time: Date | number): string {
  return new Date(time).toISOString();
}
