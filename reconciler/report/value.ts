// Values as a report shows them: quoted, on one line, cut where they are long, and around what differs.
import { canonical, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { cut, visible } from "./visible.ts";

const shortest = 24;
const kept = 12;

/** One value on one line, in at most about `room` characters. */
export function valueText(value: JsonValue | undefined, room: number): string {
  return cut(spelt(value), bounded(room));
}

/** Two values that differ, in about `room` characters together; what long ones begin with alike is left out. */
export function pairText(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  room: number,
): readonly [string, string] {
  const [left, right] = [spelt(before), spelt(after)];
  const [leftRoom, rightRoom] = shared(left.length, right.length, room);
  if (left.length <= leftRoom && right.length <= rightRoom) return [left, right];
  const skipped = Math.max(0, commonStart(left, right) - kept);
  if (skipped < leftRoom / 2) return [cut(left, leftRoom), cut(right, rightRoom)];
  return [`…${cut(left.slice(skipped), leftRoom)}`, `…${cut(right.slice(skipped), rightRoom)}`];
}

function shared(left: number, right: number, room: number): readonly [number, number] {
  const half = bounded(Math.floor(room / 2));
  const spare = (other: number): number => bounded(Math.max(half, room - other));
  return [spare(right), spare(left)];
}

function bounded(room: number): number {
  return Math.min(limits.valueShown, Math.max(shortest, room));
}

/** How much two texts begin with alike; never half a character. */
function commonStart(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return /[\udc00-\udfff]/.test(left[at] ?? "") ? at - 1 : at;
}

function spelt(value: JsonValue | undefined): string {
  if (value === undefined) return "(not set)";
  if (value === null) return "(cleared)";
  if (typeof value === "string") return visible(JSON.stringify(value));
  return visible(canonical(value));
}
