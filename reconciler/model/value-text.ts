// Formats values for reports: quoted, on one line, shortened around the difference, and with the members of objects in their
// order in the document.
import { canonical, isObject, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { truncate, escapeInvisible } from "../../core/text/escape-text.ts";

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
  return cutPair([jsonOf(inOrderOf(before, after)), jsonOf(after)], room);
}

/** Shortens two different texts to about `room` characters; a long common prefix is omitted. */
export function cutPair(
  [left, right]: readonly [string, string],
  room: number,
): readonly [string, string] {
  const [leftRoom, rightRoom] = splitWidth(left.length, right.length, room);
  if (left.length <= leftRoom && right.length <= rightRoom) return [left, right];
  const skipped = Math.max(0, commonStart(left, right) - contextLength);
  if (skipped < leftRoom / 2) return [truncate(left, leftRoom), truncate(right, rightRoom)];
  return [
    `…${truncate(left.slice(skipped), leftRoom)}`,
    `…${truncate(right.slice(skipped), rightRoom)}`,
  ];
}

/** Returns whether {@link valueText} or {@link pairText} show the given values completely. */
export function fitsIn(values: readonly (JsonValue | undefined)[], room: number): boolean {
  const lengths = values.map((value) => jsonOf(value).length);
  const [left = 0, right] = lengths;
  if (right === undefined) return left <= boundedWidth(room);
  const [leftRoom, rightRoom] = splitWidth(left, right, room);
  return left <= leftRoom && right <= rightRoom;
}

/** An item of a list, or a member of an object. */
export interface ItemText {
  readonly text: string;
  /** Equal for equal values, whatever the order of their members. */
  readonly key: string;
}

/** Returns the items of a list or the members of an object as texts; undefined for other values. */
export function itemTexts(value: JsonValue): ItemText[] | undefined {
  if (Array.isArray(value)) {
    return value.map((item) => ({ text: jsonOf(item), key: canonical(item) }));
  }
  if (!isObject(value)) return undefined;
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => ({
      text: `${jsonOf(name)}: ${jsonOf(member)}`,
      key: canonical([name, member ?? null]),
    }));
}

/** Returns a value with the members of its objects in the order of another value; members that only it has are last. */
export function inOrderOf(
  value: JsonValue | undefined,
  guide: JsonValue | undefined,
): JsonValue | undefined {
  if (Array.isArray(value) && Array.isArray(guide)) {
    return value.map((item, index) => inOrderOf(item, guide[index] ?? guide[0]) ?? null);
  }
  if (!isObject(value) || !isObject(guide)) return value;
  const names = new Set([...Object.keys(guide), ...Object.keys(value)]);
  return Object.fromEntries(
    [...names]
      .filter((name) => Object.hasOwn(value, name))
      .map((name) => [name, inOrderOf(value[name], guide[name])]),
  );
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
  let index = 0;
  while (index < left.length && left[index] === right[index]) index += 1;
  return /[\udc00-\udfff]/.test(left[index] ?? "") ? index - 1 : index;
}

function jsonOf(value: JsonValue | undefined): string {
  if (value === undefined) return "(not set)";
  if (value === null) return "(cleared)";
  if (typeof value === "string") return escapeInvisible(JSON.stringify(value));
  return escapeInvisible(JSON.stringify(value));
}
