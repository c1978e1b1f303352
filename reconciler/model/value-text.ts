// Formats values for reports: quoted, on one line, and shortened around the difference.
import { canonical, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { truncate, escapeInvisible } from "../../core/escape-text.ts";

const minWidth = 24;
const contextLength = 12;

/** Formats one value in about `room` characters. */
export function valueText(value: JsonValue | undefined, room: number): string {
  return truncate(jsonOf(value), boundedWidth(room));
}

/** Formats two different values in about `room` characters; a long common prefix is omitted. */
export function pairText(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  room: number,
): readonly [string, string] {
  const [left, right] = [jsonOf(before), jsonOf(after)];
  const [leftRoom, rightRoom] = splitWidth(left.length, right.length, room);
  if (left.length <= leftRoom && right.length <= rightRoom) return [left, right];
  const skipped = Math.max(0, commonStart(left, right) - contextLength);
  if (skipped < leftRoom / 2) return [truncate(left, leftRoom), truncate(right, rightRoom)];
  return [
    `…${truncate(left.slice(skipped), leftRoom)}`,
    `…${truncate(right.slice(skipped), rightRoom)}`,
  ];
}

function splitWidth(left: number, right: number, room: number): readonly [number, number] {
  const half = boundedWidth(Math.floor(room / 2));
  const spare = (other: number): number => boundedWidth(Math.max(half, room - other));
  return [spare(right), spare(left)];
}

function boundedWidth(room: number): number {
  return Math.min(limits.valueCharacters, Math.max(minWidth, room));
}

/** Returns the length of the common prefix, without splitting a character. */
function commonStart(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return /[\udc00-\udfff]/.test(left[at] ?? "") ? at - 1 : at;
}

function jsonOf(value: JsonValue | undefined): string {
  if (value === undefined) return "(not set)";
  if (value === null) return "(cleared)";
  if (typeof value === "string") return escapeInvisible(JSON.stringify(value));
  return escapeInvisible(canonical(value));
}
