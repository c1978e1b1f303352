// Writes large JSON files: a line for each member down to a depth, without the indentation that would be half of the file.
import { isObject, type JsonValue } from "../core/json.ts";

/** Returns a value as JSON whose objects have a line for each member, down to a depth; below it, a member is one line. Omits undefined members. */
export function linesJson(value: JsonValue, depth: number): string {
  if (depth === 0 || !isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value as Readonly<Record<string, JsonValue | undefined>>).flatMap(
    ([name, member]) =>
      member === undefined ? [] : [`${JSON.stringify(name)}: ${linesJson(member, depth - 1)}`],
  );
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n}`;
}
