// Quotes words for a POSIX shell.

/** Quotes a word for a shell if it needs quotes. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
