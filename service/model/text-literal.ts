// Texts in SQL.

/** Returns a text as SQL. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
