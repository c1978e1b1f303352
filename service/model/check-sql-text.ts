// Finds SQL that no dialect can parse: parentheses, quotes and comments that do not close, and a misspelled first word
// of a query. All other errors are left to the data source, which knows its dialect. An error here stops an apply, so a
// wrong one is worse than a missing one.
import { didYouMean, sentences } from "../../core/text/naming.ts";

/** Tokens that begin or end a text or a comment only in some dialects. SQL with such a token is not checked. */
const dialectSpecific: readonly RegExp[] = [
  // Escapes in texts, typographic quotes, and names in brackets, which can contain quotes and parentheses.
  /[\\‘’“”[]/u,
  // Texts in three quotes, in dollar quotes, and Oracle's q'{…}'.
  /'{3}|"{3}|\$[\w\u{80}-\u{10FFFF}]*\$|q'/iu,
  // Comments to the end of the line; in MySQL, -- begins one only before white space.
  /#|\/\/|--(?!\s|$)|\r(?!\n)/u,
  // Nested comments, and MySQL's executable comments.
  /\/\*(?:(?!\*\/).)*?\/\*|\/\*M?!/su,
];

/** Returns the reason why SQL without references cannot be parsed; undefined if it may be valid. */
export function sqlTextProblem(text: string): string | undefined {
  if (dialectSpecific.some((token) => token.test(text))) return undefined;
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    const end = endOfSkipped(text, at);
    if (end === "unclosed")
      return `there is a ${text.startsWith("/*", at) ? "/*" : character} that does not close`;
    if (end !== undefined) at = end;
    else if (character === "(") open++;
    else if (character === ")" && --open < 0) return "there is a ) without (";
  }
  return open > 0 ? "there is a ( without )" : undefined;
}

/** Returns the last offset of the quoted text or the comment that begins here; undefined if none does. */
function endOfSkipped(text: string, at: number): number | "unclosed" | undefined {
  const closing = (mark: string, from: number, length: number) => {
    const end = text.indexOf(mark, from);
    return end < 0 ? "unclosed" : end + length - 1;
  };
  if (text.startsWith("--", at)) {
    const end = text.indexOf("\n", at);
    return end < 0 ? text.length : end;
  }
  if (text.startsWith("/*", at)) return closing("*/", at + 2, 2);
  const character = text[at] ?? "";
  // A doubled quote ends one text and begins the next.
  return ["'", '"', "`"].includes(character) ? closing(character, at + 1, 1) : undefined;
}

/** Returns the reason why the SQL of a cube is not a query; undefined if it may be one. */
export function queryStartProblem(text: string): string | undefined {
  const [word] = /^\s*[A-Za-z]+(?=\s)/u.exec(text) ?? [];
  const first = word?.trim().toUpperCase() ?? "";
  const meant = ["SELECT", "WITH", "VALUES", "FROM", "TABLE"];
  if (first.length < 4 || meant.includes(first)) return undefined;
  const hint = didYouMean(first, ["SELECT"]);
  return hint && sentences(`${first} does not begin a query.`, hint);
}
