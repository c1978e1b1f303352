// Three-way merges of the lines of one text, within a bound of work.
import { diffArrays } from "diff";
import { limits } from "../../../core/limits/limits.ts";

/** The last common version of a text, and the two changed ones. */
export interface Versions {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Steps of comparison that the merge of one branch may still use. */
export interface RemainingSteps {
  steps: number;
}

/** Returns the steps that one merge may use. */
export function remainingSteps(): RemainingSteps {
  return { steps: limits.mergeSteps };
}

/** Lines of the base from `start` to before `end` that one version replaced. */
interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * Returns the text with the changes of both versions. Returns undefined if both changed the same or adjacent lines in
 * different ways, and for texts that differ too much to compare them within the remaining steps.
 */
export function mergeLines(
  { base, ours, theirs }: Versions,
  remaining: RemainingSteps = remainingSteps(),
): string | undefined {
  const lines = base.split("\n");
  const own = changesOf(lines, ours.split("\n"), remaining);
  const other = own && changesOf(lines, theirs.split("\n"), remaining);
  if (!own || !other) return undefined;
  const merged: string[][] = [];
  let [at, left, right] = [0, 0, 0];
  while (left < own.length || right < other.length) {
    const from = [left, right] as const;
    let start = Infinity;
    let end = -Infinity;
    // Grow the region by each hunk of either version that overlaps or touches it.
    for (;;) {
      const [one, two] = [own[left], other[right]];
      const next = (one?.start ?? Infinity) <= (two?.start ?? Infinity) ? one : two;
      if (!next || (end >= 0 && next.start > end)) break;
      if (next === one) left++;
      else right++;
      start = Math.min(start, next.start);
      end = Math.max(end, next.end);
    }
    const region = { lines, start, end };
    const mine = applied(region, own.slice(from[0], left));
    const incoming = applied(region, other.slice(from[1], right));
    if (left > from[0] && right > from[1] && !areSame(mine, incoming)) return undefined;
    merged.push(lines.slice(at, start), left > from[0] ? mine : incoming);
    at = end;
  }
  merged.push(lines.slice(at));
  return merged.flat().join("\n");
}

function applied(
  { lines, start, end }: { lines: readonly string[]; start: number; end: number },
  hunks: readonly Hunk[],
): string[] {
  const parts: (readonly string[])[] = [];
  let at = start;
  for (const hunk of hunks) {
    parts.push(lines.slice(at, hunk.start), hunk.lines);
    at = hunk.end;
  }
  return [...parts, lines.slice(at, end)].flat();
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}

/** Returns what changed from one version to another; undefined if finding it exceeds the bounds. */
function changesOf(
  before: readonly string[],
  after: readonly string[],
  remaining: RemainingSteps,
): readonly Hunk[] | undefined {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const old = before.slice(head, before.length - tail);
  const fresh = after.slice(head, after.length - tail);
  // A pure insertion or removal needs no comparison.
  if (old.length === 0 || fresh.length === 0) {
    const isSame = old.length === fresh.length;
    return isSame ? [] : [{ start: head, end: head + old.length, lines: fresh }];
  }
  remaining.steps -= before.length + after.length;
  const maxEditLength = Math.min(limits.mergeEdits, Math.floor(Math.sqrt(remaining.steps)));
  // Also false for a negative number of steps, because its root is NaN.
  if (!(maxEditLength >= Math.abs(old.length - fresh.length))) return undefined;
  const parts = diffArrays(old, fresh, { maxEditLength });
  const edits = parts?.reduce((sum, part) => sum + (isChange(part) ? part.value.length : 0), 0);
  remaining.steps -= (edits ?? maxEditLength) ** 2;
  return parts && hunksOf(parts, head);
}

interface Part {
  readonly value: readonly string[];
  readonly added: boolean;
  readonly removed: boolean;
}

function isChange({ added, removed }: Part): boolean {
  return added || removed;
}

function hunksOf(parts: readonly Part[], head: number): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let at = head;
  for (const part of parts) {
    const { value, added } = part;
    const end = added ? at : at + value.length;
    const last = hunks.at(-1);
    if (isChange(part)) {
      const lines = added ? value : [];
      if (last?.end === at) {
        hunks[hunks.length - 1] = { start: last.start, end, lines: [...last.lines, ...lines] };
      } else {
        hunks.push({ start: at, end, lines });
      }
    }
    at = end;
  }
  return hunks;
}
