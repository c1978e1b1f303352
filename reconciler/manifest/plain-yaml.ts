// Plain documents, read straight from the parser's tokens: block mappings and lists of plain text, as nearly all of a large
// stack are. Of a document that may be anything else nothing is read here: the parser's syntax tree costs three times as much.
import { CST, Lexer, Parser } from "yaml";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";

/** A part of a text with whole documents in it; offsets count from the start of the text. */
export interface Part {
  readonly start: number;
  readonly end: number;
  readonly lexemes: readonly string[];
  /** What the part says, if it is one document and plain. */
  readonly plain: PlainDocument | undefined;
}

/** The value of a plain document. */
export interface PlainDocument {
  readonly value: JsonObject;
  /** Where it begins, from the start of its part. */
  readonly offset: number;
}

/** Tokens that stand for nothing in the text; what follows that of a scalar is its text. */
const markerLexemes: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

/** The documents of a text, each a part; from the first one on that directives may concern, all in one. */
export function* partsOf(text: string): Generator<Part> {
  let lexemes: string[] = [];
  let [start, offset, isText, isRest] = [0, 0, false, false];
  for (const lexeme of new Lexer().lex(text)) {
    isRest ||= !isText && (lexeme === "..." || lexeme.startsWith("%"));
    if (!isText && !isRest && lexeme === "---") {
      yield { start, end: offset, lexemes, plain: plainDocument(lexemes) };
      [lexemes, start] = [[], offset];
    }
    lexemes.push(lexeme);
    const isMark = !isText && markerLexemes.has(lexeme);
    if (!isMark) offset += lexeme.length;
    isText = isMark && lexeme === CST.SCALAR;
  }
  yield { start, end: offset, lexemes, plain: isRest ? undefined : plainDocument(lexemes) };
}

/** The concrete syntax of a part, for the composer; its offsets are those of the whole text. */
export function* tokensOf({ start, lexemes }: Part): Generator<CST.Token> {
  const parser = new Parser();
  parser.offset = start;
  for (const lexeme of lexemes) yield* parser.next(lexeme);
  yield* parser.end();
}

interface LexemeCursor {
  readonly lexemes: readonly string[];
  /** The next one. */
  at: number;
  /** Of the next one, which is the first of its line or list item; -1 at the end. */
  column: number;
}

/** Undefined where a document is not plain, or none; here and below. */
function plainDocument(lexemes: readonly string[]): PlainDocument | undefined {
  const isMarked = lexemes[0] === "---";
  const run: LexemeCursor = { lexemes, at: isMarked ? 1 : 0, column: 0 };
  if (!nextLine(run, !isMarked)) return undefined;
  const before = lexemes.slice(0, run.at).filter((lexeme) => !markerLexemes.has(lexeme));
  const value = mapping(run, run.column, 0);
  return value === undefined || run.column >= 0
    ? undefined
    : { value, offset: before.join("").length };
}

function block(run: LexemeCursor, depth: number): JsonValue | undefined {
  if (depth > limits.depth) return undefined;
  const read = run.lexemes[run.at] === "-" ? list : mapping;
  return read(run, run.column, depth);
}

function mapping(run: LexemeCursor, column: number, depth: number): JsonObject | undefined {
  const object: Record<string, JsonValue> = {};
  while (run.column === column) {
    const { lexemes, at } = run;
    const [mark, key = "", colon] = [lexemes[at], lexemes[at + 1], lexemes[at + 2]];
    if (mark !== CST.SCALAR || !isKey(key) || colon !== ":") return undefined;
    run.at += 3;
    const value = member(run, column, depth + 1);
    if (value === undefined || Object.hasOwn(object, key)) return undefined;
    object[key] = value;
  }
  return run.column < column && column >= 0 ? object : undefined;
}

/** What stands behind a key in that column. */
function member(run: LexemeCursor, column: number, depth: number): JsonValue | undefined {
  const isSpaced = spaces(run) > 0;
  if (!nextLine(run, false, isSpaced)) return isSpaced ? scalar(run) : undefined;
  const isListBeside = run.column === column && run.lexemes[run.at] === "-";
  return run.column > column || isListBeside ? block(run, depth) : null;
}

function list(run: LexemeCursor, column: number, depth: number): readonly JsonValue[] | undefined {
  const items: JsonValue[] = [];
  while (run.column === column && run.lexemes[run.at] === "-") {
    run.at += 1;
    const indent = 1 + spaces(run);
    if (indent === 1) return undefined;
    const isMapping = run.lexemes[run.at + 2] === ":";
    if (isMapping) run.column = column + indent;
    const item = isMapping ? block(run, depth + 1) : scalar(run);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

/** A plain or quoted text, number or constant that its line ends with. */
function scalar(run: LexemeCursor): JsonValue | undefined {
  const isUnquoted = run.lexemes[run.at] === CST.SCALAR;
  if (isUnquoted) run.at += 1;
  const source = run.lexemes[run.at] ?? "";
  run.at += 1;
  if (!nextLine(run, false)) return undefined;
  return isUnquoted ? unquotedScalar(source) : quotedText(source);
}

const constants: Readonly<Record<string, JsonValue>> = { null: null, true: true, false: false };

function unquotedScalar(source: string): JsonValue | undefined {
  if (/^(?:null|true|false)$/iu.test(source)) return constants[source];
  if (/^[\p{L}_$/][^\n\r]*$/u.test(source)) return source;
  return /^(?:0|[1-9][0-9]{0,14})$/u.test(source) ? Number(source) : undefined;
}

/** Of text in quotes that means what it says. */
function quotedText(source: string): string | undefined {
  const isLiteral = /^(?:"[^"\\\n\r]*"|'[^'\n\r]*')$/u.test(source);
  return isLiteral ? source.slice(1, -1) : undefined;
}

function isKey(source: string): boolean {
  return /^[A-Za-z_][\w./-]{0,254}$/u.test(source) && source !== "__proto__";
}

/** How many spaces are next; goes beyond them. */
function spaces(run: LexemeCursor): number {
  const next = run.lexemes[run.at] ?? "";
  if (!/^ +$/u.test(next)) return 0;
  run.at += 1;
  return next.length;
}

/**
 * Goes to what is first in the next line that holds more than a comment; false where there is something else in this one
 * still, unless that is all that is left.
 */
function nextLine(run: LexemeCursor, isBegun: boolean, isSpaced = isBegun): boolean {
  let isNext = isBegun;
  for (let isFree = isSpaced; ; isFree = true) {
    if (run.lexemes[run.at] === CST.DOCUMENT) run.at += 1;
    const indent = spaces(run);
    if ((isFree || indent > 0) && run.lexemes[run.at]?.startsWith("#")) run.at += 1;
    const next = run.lexemes[run.at];
    if (next === undefined) {
      run.column = -1;
      return true;
    }
    if (next !== "\n" && next !== "\r\n") {
      if (isNext) run.column = indent;
      return isNext;
    }
    run.at += 1;
    isNext = true;
  }
}
