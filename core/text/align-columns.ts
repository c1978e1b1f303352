// Aligns the columns of a table in text, without borders, for use with cut and grep.
import { displayWidth, fitText, padText } from "./display-width.ts";

/** Between two columns. */
const gap = "  ";

/**
 * Returns a line for each row: the columns are separated by two spaces, and no line ends in a space. With `width`,
 * lines take at most that many columns of a terminal: the widest columns are shortened.
 */
export function alignColumns(
  rows: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(text));
    }
  }
  const widest = widestColumn(widths, width - gap.length * (widths.length - 1));
  return rows.map((row) =>
    row
      .map((text, column) => padText(fitText(text, widest), Math.min(widths[column] ?? 0, widest)))
      .join(gap)
      .trimEnd(),
  );
}

/** Returns the width beyond which columns are shortened, so that all take at most `available` together; at least 1. */
function widestColumn(widths: readonly number[], available: number): number {
  let [left, columns] = [available, widths.length];
  for (const width of widths.toSorted((one, other) => one - other)) {
    if (width * columns > left) return Math.max(1, Math.floor(left / columns));
    left -= width;
    columns--;
  }
  return Number.POSITIVE_INFINITY;
}
