// Finds the position of a JSON syntax error, which JSON.parse does not report for every error. Written by hand because
// the work must stop at the limits of a body: the parsers of libraries recurse, or read a hostile text to its end.

const whitespacePattern = /[ \t\n\r]*/y;
const scalarPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
const escapePattern = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Expected = "value" | "first item" | "first name" | "name" | "colon" | "more" | "end";

/** The bounds of the search. */
export interface SyntaxBounds {
  readonly depth: number;
  readonly values: number;
}

/**
 * Returns the index of the first invalid character, or the length of the text if it ends too early or is valid. Returns
 * the bound that the text exceeds before that character.
 */
export function syntaxErrorAt(
  text: string,
  bounds: SyntaxBounds = { depth: Infinity, values: Infinity },
): number | keyof SyntaxBounds {
  const open: string[] = [];
  let values = 0;
  let expected: Expected = "value";
  for (
    let at = endOfMatch(whitespacePattern, text, 0);
    at < text.length;
    at = endOfMatch(whitespacePattern, text, at)
  ) {
    const step = nextStep(text, at, { expected, open });
    if (!step) return at;
    if (expected === "value" || expected === "first item") values++;
    if (open.length > bounds.depth) return "depth";
    if (values > bounds.values) return "values";
    ({ at, expected } = step);
  }
  return text.length;
}

interface ParserState {
  expected: Expected;
  /** The brackets that are open, innermost last. */
  open: string[];
}

interface ParserStep {
  at: number;
  expected: Expected;
}

function nextStep(
  text: string,
  at: number,
  { expected, open }: ParserState,
): ParserStep | undefined {
  const sign = text[at] ?? "";
  if (isClosingBracket(sign, expected, open)) {
    open.pop();
    return { at: at + 1, expected: open.length === 0 ? "end" : "more" };
  }
  switch (expected) {
    case "value":
    case "first item":
      return parseValue(text, at, open);
    case "first name":
    case "name": {
      const after = endOfString(text, at);
      return after > at ? { at: after, expected: "colon" } : undefined;
    }
    case "colon":
      return sign === ":" ? { at: at + 1, expected: "value" } : undefined;
    case "more":
      if (sign !== ",") return undefined;
      return { at: at + 1, expected: open.at(-1) === "{" ? "name" : "value" };
    case "end":
      return undefined;
  }
}

function isClosingBracket(sign: string, expected: Expected, open: readonly string[]): boolean {
  const inside = open.at(-1);
  if (sign === "]") return inside === "[" && (expected === "first item" || expected === "more");
  return sign === "}" && inside === "{" && (expected === "first name" || expected === "more");
}

function parseValue(text: string, at: number, open: string[]): ParserStep | undefined {
  const sign = text[at] ?? "";
  if (sign === "[" || sign === "{") {
    open.push(sign);
    return { at: at + 1, expected: sign === "[" ? "first item" : "first name" };
  }
  const after = sign === '"' ? endOfString(text, at) : endOfMatch(scalarPattern, text, at);
  return after > at ? { at: after, expected: open.length === 0 ? "end" : "more" } : undefined;
}

/** Returns the index after the match of `pattern` at `at`, or `at` if there is no match. */
function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/**
 * Returns the index after the string that begins at `at`, or `at` if none begins there. Scans by hand, because strings
 * can be long.
 */
function endOfString(text: string, at: number): number {
  if (text[at] !== '"') return at;
  let index = at + 1;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === 0x22) return index + 1;
    const next =
      code === 0x5c ? endOfMatch(escapePattern, text, index) : index + (code < 0x20 ? 0 : 1);
    if (next === index) return at;
    index = next;
  }
  return at;
}
