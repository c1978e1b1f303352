// The rows of a long table that are drawn while the others are out of view. Pure.
import type { TableCell, TableRow } from "../../../charts/index.ts";

/**
 * Returns rows of a table so that they can be drawn without the others: a name that covers several rows begins at the first
 * one that is drawn, and covers those that are drawn.
 */
export function windowOf(rows: readonly TableRow[], from: number, to: number): readonly TableRow[] {
  return rows.slice(from, to).map((row, at) => ({
    ...row,
    cells: row.cells.map((cell, column) => {
      if (cell.rowSpan === undefined || (cell.rowSpan === 0 && at > 0)) return cell;
      const { owner, start } = ownerOf(rows, from + at, column);
      const end = Math.min(start + (owner.rowSpan ?? 1), to);
      return { ...owner, rowSpan: end - from - at };
    }),
  }));
}

/** Returns the cell that covers a place, and its row. */
function ownerOf(
  rows: readonly TableRow[],
  row: number,
  column: number,
): { readonly owner: TableCell; readonly start: number } {
  let start = row;
  while (start > 0 && rows[start]?.cells[column]?.rowSpan === 0) start--;
  return { owner: rows[start]?.cells[column] ?? { text: "", value: null }, start };
}
