// Computes a line diff of two texts from their longest common subsequence.
import { limits } from "../../core/limits.ts";

/** A line in both texts (` `), only in the first (`-`), or only in the second (`+`). */
export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/**
 * Returns the lines of both texts in order; texts that are too long are removed and added as a whole.
 */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const start = commonLength(old.length, fresh.length, (at) => old[at] === fresh[at]);
  const rest = Math.min(old.length, fresh.length) - start;
  const end = commonLength(rest, rest, (at) => old.at(-1 - at) === fresh.at(-1 - at));
  return [
    ...old.slice(0, start).map((text): DiffLine => ({ sign: " ", text })),
    ...diffMiddle(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)),
    ...old.slice(old.length - end).map((text): DiffLine => ({ sign: " ", text })),
  ];
}

function commonLength(left: number, right: number, same: (at: number) => boolean): number {
  let count = 0;
  while (count < left && count < right && same(count)) count += 1;
  return count;
}

function diffMiddle(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  const lines: DiffLine[] = [];
  const width = fresh.length + 1;
  const small = old.length * fresh.length <= limits.textLinePairs;
  const common = small ? commonLengths(old, fresh) : new Uint32Array();
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    const [out, into] = [old[i], fresh[j]];
    if (small && out !== undefined && out === into) {
      lines.push({ sign: " ", text: out });
      [i, j] = [i + 1, j + 1];
    } else if (out !== undefined && (into === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: "-", text: out });
      i += 1;
    } else {
      lines.push({ sign: "+", text: into ?? "" });
      j += 1;
    }
  }
  return lines;
}

/** Lengths of the common subsequences of both rests, for each pair of start positions. */
function commonLengths(old: readonly string[], fresh: readonly string[]): Uint32Array {
  const width = fresh.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const [down, right] = [common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0];
      const both = (common[(i + 1) * width + j + 1] ?? 0) + 1;
      common[i * width + j] = old[i] === fresh[j] ? both : Math.max(down, right);
    }
  }
  return common;
}

/** Returns the changed lines with some context; gaps and omitted lines are counted. */
export function shownLines(lines: readonly DiffLine[]): readonly string[] {
  const near = (index: number): boolean =>
    lines
      .slice(Math.max(0, index - contextLines), index + contextLines + 1)
      .some(({ sign }) => sign !== " ");
  const shown: string[] = [];
  let gap = 0;
  const closeGap = (): void => {
    if (gap > 0) shown.push(`… ${gap} unchanged`);
    gap = 0;
  };
  for (const [index, { sign, text }] of lines.entries()) {
    if (!near(index)) {
      gap += 1;
      continue;
    }
    closeGap();
    if (shown.length >= limits.textLinesShown) {
      const left = lines.slice(index).filter((line) => line.sign !== " ").length;
      return left === 0 ? shown : [...shown, `… ${left} more changed lines`];
    }
    shown.push(`${sign} ${text}`.trimEnd());
  }
  closeGap();
  return shown;
}

const contextLines = 2;
