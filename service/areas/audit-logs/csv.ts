// Formats lines of CSV (RFC 4180) so that spreadsheets do not read cells as formulas.

/** Returns a line of CSV with its line break. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

/** A cell that starts like a formula gets an apostrophe, which spreadsheets show as text. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
