// Writes tables as CSV (RFC 4180). Own code: the writer is two expressions; packages for CSV mostly read it.

/** Returns the lines of a table, each ended by CR LF. A value with a comma, a quotation mark or a line break is quoted. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(csvValue).join(",")}\r\n`).join("");
}

function csvValue(text: string): string {
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
