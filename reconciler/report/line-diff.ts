// Computes a line diff of two texts, with the changed lines and some context.
import { diffArrays } from "diff";
import { limits } from "../../core/limits.ts";

/** A line in both texts (` `), only in the first (`-`), or only in the second (`+`). */
export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/**
 * Returns the lines of both texts in order; texts with too many differences are removed and added as a whole.
 */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const parts = diffArrays(old, fresh, { maxEditLength: limits.textLineEdits }) ?? [
    { value: old, removed: true, added: false },
    { value: fresh, removed: false, added: true },
  ];
  return parts.flatMap(({ value, added, removed }) =>
    value.map((text): DiffLine => ({ sign: added ? "+" : removed ? "-" : " ", text })),
  );
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
