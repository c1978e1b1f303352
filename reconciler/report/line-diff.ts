// Computes a diff of two texts by line, or of two lists by item, with the changes and some context.
import { diffArrays } from "diff";
import type { JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { pluralize, truncate } from "../../core/text/escape-text.ts";
import { cutPair, inOrderOf, type ItemText, itemTexts } from "../model/value-text.ts";

/** A line in both texts (` `), only in the first (`-`), or only in the second (`+`). */
export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/**
 * Returns the lines of both texts in order; texts with too many differences are removed and added as a whole.
 */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [before, after].map((text) =>
    text.split("\n").map((line): ItemText => ({ text: line, key: line })),
  );
  return diffParts(old ?? [], fresh ?? []).flatMap(signedLines);
}

/**
 * Returns the items of both lists, or the members of both objects, in order; undefined for other values. A missing value
 * has no items. A long item is shortened: around the difference if another item replaces it.
 */
export function itemDiff(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly DiffLine[] | undefined {
  const [old, fresh] = [inOrderOf(before, after) ?? [], after ?? []].map(itemTexts);
  if (old === undefined || fresh === undefined) return undefined;
  const parts = diffParts(old, fresh);
  return parts.flatMap((part, index) => {
    const other = part.removed ? parts[index + 1] : parts[index - 1];
    const isReplaced = part.removed ? other?.added : part.added && other?.removed;
    const value = part.value.map(({ text, key }, position) => {
      const match = isReplaced === true ? other?.value[position]?.text : undefined;
      if (match === undefined) return { key, text: truncate(text, limits.valueCharacters) };
      return { key, text: cutPair([text, match], 2 * limits.valueCharacters)[0] };
    });
    return signedLines({ ...part, value });
  });
}

interface DiffPart {
  readonly value: readonly ItemText[];
  readonly added: boolean;
  readonly removed: boolean;
}

function diffParts(old: ItemText[], fresh: ItemText[]): readonly DiffPart[] {
  return (
    diffArrays(old, fresh, {
      maxEditLength: limits.textLineEdits,
      comparator: (left, right) => left.key === right.key,
    }) ?? [
      { value: old, removed: true, added: false },
      { value: fresh, removed: false, added: true },
    ]
  );
}

function signedLines({ value, added, removed }: DiffPart): readonly DiffLine[] {
  return value.map(({ text }) => ({ sign: added ? "+" : removed ? "-" : " ", text }));
}

/** Returns the changed lines or items with some context; gaps and omitted parts are counted. */
export function shownLines(
  lines: readonly DiffLine[],
  noun: "line" | "item" = "line",
): readonly string[] {
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
      return left === 0 ? shown : [...shown, `… ${pluralize(left, `more changed ${noun}`)}`];
    }
    shown.push(`${sign} ${text}`.trimEnd());
  }
  closeGap();
  return shown;
}

const contextLines = 2;
