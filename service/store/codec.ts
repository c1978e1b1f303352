// Converts values to the column types that both databases have: booleans as 0 or 1, JSON and times as text.
import { Failure } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";

/** Converts a boolean to its column value. */
export function toFlag(value: boolean): number {
  return value ? 1 : 0;
}

/** Converts an optional text to its column value; an empty text becomes null. */
export function emptyToNull(text: string | null | undefined): string | null {
  return text == null || text === "" ? null : text;
}

/** Returns at most `most` characters of a text, without characters that PostgreSQL cannot store. */
export function toShortText(text: string, most: number): string {
  return text.slice(0, most).replaceAll("\0", "\u{fffd}").toWellFormed();
}

/** Converts JSON to its column value. */
export function toJson(value: JsonValue): string {
  return JSON.stringify(value);
}

/**
 * Converts JSON to its column value. Throws `invalid`, with `name` in the message, if it is longer than `most` bytes.
 */
export function toShortJson(
  value: JsonValue,
  { name, most }: { name: string; most: number },
): string {
  const text = toJson(value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return text;
  throw new Failure("invalid", `${name} can have at most ${most} bytes as JSON; this has ${bytes}`);
}

/** Parses a column that {@link toJson} wrote. */
export function fromJson(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}

/** Returns the columns whose values differ from the row's. */
export function changedColumns<Columns extends object>(
  row: Readonly<Record<string, unknown>> & object,
  columns: Columns,
): Partial<Columns> {
  const changed = Object.entries(columns).filter(([name, value]) => row[name] !== value);
  return Object.fromEntries(changed) as Partial<Columns>;
}

/** Converts a time to its column and API value: UTC with milliseconds, so that text order is time order. */
export function toTimestamp(time: Date | number): string {
  return new Date(time).toISOString();
}
