// Formats JSON for a file, a pipe or a terminal.
import { escapeRunnerCommands, jsonEscape } from "../../core/text/escape-text.ts";
import type { JsonValue } from "../../core/json.ts";

/**
 * Returns indented JSON with a final line break. Control characters are escaped, and `##[`, which CI
 * runners execute as a command anywhere in a log.
 */
export function jsonText(value: JsonValue): string {
  return `${escapeJson(JSON.stringify(value, null, 2))}\n`;
}

/** Returns JSON in one line with a final line break, with the same escapes. */
export function jsonLine(value: object): string {
  return `${escapeJson(JSON.stringify(value))}\n`;
}

function escapeJson(json: string): string {
  const visible = json.replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/gu, jsonEscape);
  return escapeRunnerCommands(visible, jsonEscape);
}
