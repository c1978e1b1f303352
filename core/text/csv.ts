// Writes tables as CSV (RFC 4180). Own code: the writer is two expressions; packages for CSV mostly read it.

/** Returns the lines of a table, each ended by CR LF. A value with a comma, a quotation mark or a line break is quoted. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(csvValue).join(",")}\r\n`).join("");
}

/** Returns a value with an apostrophe before what a spreadsheet would run as a formula. Numbers stay as they are. */
export function spreadsheetText(text: string): string {
  return /^[=+\-@\t\r]/u.test(text) && !/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/iu.test(text)
    ? `'${text}`
    : text;
}

function csvValue(text: string): string {
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
