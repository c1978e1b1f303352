// Parses the text of one SELECT statement within limits, and tells where it has an error.
import { type Expr, type PGNode, parse, type SelectFromStatement } from "pgsql-ast-parser";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";

/** A parsed statement with its text, in which the places of its parts count. */
export interface ParsedStatement {
  readonly text: string;
  readonly select: SelectFromStatement;
}

/** Parses a statement. Throws `invalid` for a text that is too long, has an error, or is not one SELECT. */
export function parseStatement(text: string): ParsedStatement {
  requireParsable(text);
  const [select, second] = parsed(text);
  if (second) throw refusal(text, second, "there are several statements; send one");
  if (select?.type !== "select") throw invalid(oneSelect);
  return { text, select };
}

const oneSelect = "write one SELECT, without WITH, UNION and subqueries";

/** Comments to the end of a line, text, quoted names, words and signs, as the parser reads them. */
const tokenPattern = /--.*|'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|[^\s\w]/g;

/** Signs and words of statements that are not supported, and that the parser needs much time or memory for. */
const unsupported: ReadonlyMap<string, string> = new Map([
  ["$", "parameters are not supported; write their values"],
  ["/", "divisions and comments in /* */ are not supported"],
  ["case", "CASE is not supported"],
  ["e", "text with escapes is not supported; write it in single quotes alone"],
]);

/** Signs that the parser can read in very many ways. */
const unsupportedSign = /^[[\]+|#^~%?@&]$/;

/** Throws `invalid` for a text that the parser should not read: it is not made for hostile texts. */
function requireParsable(text: string): void {
  if (text.length > limits.sqlTextLength) {
    throw invalid(`the SQL has more than ${limits.sqlTextLength} characters`);
  }
  let count = 0;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(tokenPattern)) {
    if (token.startsWith("--")) continue;
    const refuse = (message: string) => refusalAt(text, index, message);
    const word = token.toLowerCase();
    const isFirst = count++ === 0;
    if (isFirst !== (word === "select")) throw refuse(oneSelect);
    const message = unsupported.get(word);
    if (unsupportedSign.test(token)) throw refuse(`the sign ${token} is not supported`);
    if (message !== undefined && (word !== "e" || text[index + 1] === "'")) throw refuse(message);
    if (word === "(") depth++;
    if (word === ")") depth--;
    if (count > limits.sqlTokens) {
      throw refuse(`the SQL has more than ${limits.sqlTokens} words, values and signs`);
    }
    if (depth > limits.sqlNesting) {
      throw refuse(`the SQL has more than ${limits.sqlNesting} nested parentheses`);
    }
  }
  if (count === 0) throw invalid("the SQL is empty");
}

function parsed(text: string): ReturnType<typeof parse> {
  try {
    return parse(text, { locationTracking: true });
  } catch (error) {
    // The message of the parser repeats the text and lists its grammar.
    const message = error instanceof Error ? error.message : "";
    const [, line, column] = /line (\d+) col (\d+)/.exec(message) ?? [];
    if (line !== undefined) throw invalid(`the SQL has a syntax error in ${place(line, column)}`);
    const isOpen = message.includes("Unexpected end");
    throw invalid(isOpen ? "the SQL ends too early" : "the SQL has a syntax error");
  }
}

const invalid = (message: string) => new Failure("invalid", message);

const place = (line: number | string, column: number | string = 1) =>
  `line ${line}, column ${column}`;

/** Returns the refusal of a part of a statement, with its place if the parser knows it. */
export function refusal(text: string, node: PGNode | null | undefined, message: string): Failure {
  const start = node?._location?.start;
  return start === undefined ? invalid(message) : refusalAt(text, start, message);
}

function refusalAt(text: string, start: number, message: string): Failure {
  const before = text.slice(0, start).split("\n");
  return invalid(`${message} (${place(before.length, (before.at(-1)?.length ?? 0) + 1)})`);
}

/** Returns the text of a number as written, because the parser rounds it; undefined for another expression. */
export function numberText(text: string, expression: Expr): string | undefined {
  if (expression.type === "unary" && expression.op === "-") {
    const positive = numberText(text, expression.operand);
    return positive === undefined || positive.startsWith("-") ? undefined : `-${positive}`;
  }
  if (expression.type !== "integer" && expression.type !== "numeric") return undefined;
  const { start = 0, end = 0 } = expression._location ?? {};
  const written = text.slice(start, end);
  return /^-?(?:\d+\.?\d*|\.\d+)$/.test(written) ? written : undefined;
}
