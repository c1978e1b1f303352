// Parses the text of one SELECT statement within limits, and tells where it has an error.
import { type Expr, type PGNode, parse, type SelectFromStatement } from "pgsql-ast-parser";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";

/** A parsed statement with its text, in which the places of its parts count. */
export interface ParsedStatement {
  readonly text: string;
  readonly select: SelectFromStatement;
}

const tokenPattern = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|[^\s\w]/g;

/** Parses a statement. Throws `invalid` for a text that is too long, has an error, or is not one SELECT. */
export function parseStatement(text: string): ParsedStatement {
  requireParsable(text);
  const [statement, second] = parsed(text);
  if (second) throw refusal(text, second, "there are several statements; send one");
  if (statement?.type === "select") return { text, select: statement };
  const what = (statement?.type ?? "").toUpperCase();
  throw refusal(text, statement, `${what} is not supported; write one SELECT without subqueries`);
}

/** Throws `invalid` for a text that the parser, whose time and memory grow with the nesting, should not read. */
function requireParsable(text: string): void {
  if (text.length > limits.sqlTextLength) {
    throw invalid(`the SQL has more than ${limits.sqlTextLength} characters`);
  }
  let tokens = 0;
  let depth = 0;
  for (const [token] of text.matchAll(tokenPattern)) {
    if (token === "(") depth++;
    if (token === ")") depth--;
    if (++tokens > limits.sqlTokens) {
      throw invalid(`the SQL has more than ${limits.sqlTokens} words, values and signs`);
    }
    if (depth > limits.sqlNesting) {
      throw invalid(`the SQL has more than ${limits.sqlNesting} nested parentheses`);
    }
  }
}

function parsed(text: string): ReturnType<typeof parse> {
  try {
    return parse(text, { locationTracking: true });
  } catch (error) {
    // The message of the parser repeats the text and lists its grammar.
    const message = error instanceof Error ? error.message : "";
    const [, line, column] = /line (\d+) col (\d+)/.exec(message) ?? [];
    if (line !== undefined) throw invalid(`the SQL has a syntax error in ${place(line, column)}`);
    if (!text.trim()) throw invalid("the SQL is empty");
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
  if (start === undefined) return invalid(message);
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
