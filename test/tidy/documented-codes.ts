// Compares the codes in the code with those that docs/ explains.

/** Returns one line for every code that is in only one of the two lists. */
export function codeProblems(
  codes: readonly string[],
  page: string,
  text: string,
): readonly string[] {
  const explained = explainedCodes(text);
  return [
    ...codes
      .filter((code) => !explained.has(code))
      .map((code) => `${page} does not explain ${code}`),
    ...[...explained]
      .filter((code) => !codes.includes(code))
      .map((code) => `${page} explains ${code}, which does not exist`),
  ];
}

/** Returns the codes that a page explains: each begins a heading, a table row or a list item, in backticks. */
function explainedCodes(text: string): ReadonlySet<string> {
  const found = text.matchAll(/^(?:#{1,6}\s+|\|\s*|[-*]\s+)`([a-z][a-z0-9_-]*)`/gm);
  return new Set([...found].flatMap(([, code]) => code ?? []));
}
