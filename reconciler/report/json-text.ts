// Formats JSON for a file, a pipe or a terminal.
import type { JsonValue } from "../../core/json.ts";

/**
 * Returns indented JSON with a final line break. Control characters are escaped, and `##[`, which CI
 * runners execute as a command anywhere in a log.
 */
export function jsonText(value: JsonValue): string {
  const escaped = (character: string): string =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `${JSON.stringify(value, null, 2).replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]|#(?=#[\w-]*\[)/gu, escaped)}\n`;
}
