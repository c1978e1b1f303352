// Reads fields of specs whose values are texts.
import type { JsonValue } from "../core/json.ts";

/** Returns the text of a field; an empty one for every other value. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
