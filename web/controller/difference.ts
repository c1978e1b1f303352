// The lines of a field before and after a change, as a difference that people read.
import type { JsonValue } from "../../core/json.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";

/** A line that was removed or added, or that is the same on both sides. */
export interface DifferenceLine {
  readonly side: "before" | "after" | "both";
  readonly text: string;
}

/** Characters of a value, and lines around a change, that are shown. */
const shownCharacters = 20_000;
const contextLines = 2;

/** Returns the lines between which two values differ, with a few around them. Undefined is no value. */
export function differenceOf(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly DifferenceLine[] {
  const [old, next] = [linesOf(before), linesOf(after)];
  const shortest = Math.min(old.length, next.length);
  let first = 0;
  while (first < shortest && old[first] === next[first]) first++;
  let last = 0;
  while (last < shortest - first && old.at(-1 - last) === next.at(-1 - last)) last++;
  const line = (side: DifferenceLine["side"]) => (text: string) => ({ side, text });
  const around = old.slice(Math.max(0, first - contextLines), first).map(line("both"));
  const end = old.slice(old.length - last, old.length - last + contextLines).map(line("both"));
  return [
    ...around,
    ...old.slice(first, old.length - last).map(line("before")),
    ...next.slice(first, next.length - last).map(line("after")),
    ...end,
  ];
}

function linesOf(value: JsonValue | undefined): readonly string[] {
  if (value === undefined) return [];
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const cut =
    text.length > shownCharacters
      ? `${text.slice(0, shownCharacters)}\n… ${text.length - shownCharacters} more characters`
      : text;
  return cut.split("\n").map(escapeInvisible);
}
