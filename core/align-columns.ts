// Aligns the columns of a table in text, without borders, for use with cut and grep.

/** Returns a line for each row: the columns are separated by two spaces, and no line ends in a space. */
export function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, text.length);
    }
  }
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
