// The plain part of YAML, as most manifests are written, read many times faster than the library reads all of it.
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";

/** A document as it was read. */
export interface Plain {
  readonly value: JsonObject;
  /** Where its first key stands, counted from the start of the text. */
  readonly offset: number;
}

/**
 * The mapping that a text between two document markers holds. Undefined where it is anything but block mappings and lists of
 * single values on one line each (plain, quoted without escapes, or flow collections of them): then the library has to read
 * it. Never another value than the library's; whatever is in doubt is left to it.
 */
export function plainDocument(text: string, from: number, to: number): Plain | undefined {
  const cursor: Cursor = { text, at: from, to, line: undefined };
  try {
    advance(cursor);
    const { line } = cursor;
    if (line?.key === undefined) return undefined;
    const offset = line.start + line.indent;
    const value = mapping(cursor, line.indent, 1);
    return cursor.line === undefined ? { value, offset } : undefined;
  } catch (error) {
    if (error === notPlain) return undefined;
    throw error;
  }
}

/** Thrown where the text leaves the plain part. */
const notPlain = new Error("not plain YAML");

interface Line {
  readonly start: number;
  readonly indent: number;
  /** Undefined for an item of a list. */
  readonly key: string | undefined;
  /** What follows on the line; empty where nothing does. */
  readonly rest: string;
}

interface Cursor {
  readonly text: string;
  at: number;
  readonly to: number;
  /** The next line that says something; undefined at the end. */
  line: Line | undefined;
}

const name = "[A-Za-z_][A-Za-z0-9_-]{0,255}";
const lines = new RegExp(`( *)(?:(?:(${name}):|-)(?: +([^\\n]*?))? *|(?:#[^\\n]*)?)(?:\\n|$)`, "y");
const control = /[\p{Cc}\ufeff]/u;

/** Moves to the next line that is neither empty nor a comment. */
function advance(cursor: Cursor): void {
  cursor.line = undefined;
  while (cursor.line === undefined && cursor.at < cursor.to) {
    lines.lastIndex = cursor.at;
    const found = lines.exec(cursor.text);
    if (found === null) throw notPlain;
    const [whole, spaces = "", key, rest = ""] = found;
    const start = cursor.at;
    cursor.at += whole.length;
    const isItem = key === undefined && cursor.text.startsWith("-", start + spaces.length);
    if (key === undefined && !isItem) {
      // A character that nobody sees may still mean something.
      if (control.test(whole.trimEnd())) throw notPlain;
      continue;
    }
    cursor.line = { start, indent: spaces.length, key, rest };
  }
}

function mapping(cursor: Cursor, indent: number, depth: number): JsonObject {
  if (depth > limits.depth / 2) throw notPlain;
  const members: Record<string, JsonValue> = {};
  for (;;) {
    const { line } = cursor;
    if (line === undefined || line.indent < indent) return members;
    const { key } = line;
    if (line.indent > indent || key === undefined || key === "__proto__") throw notPlain;
    if (Object.hasOwn(members, key)) throw notPlain;
    advance(cursor);
    members[key] = line.rest === "" ? inner(cursor, indent, depth) : single(line.rest);
    // A value that goes on.
    if (line.rest !== "" && (cursor.line?.indent ?? 0) > indent) throw notPlain;
  }
}

/** What stands below a key that has nothing beside it. */
function inner(cursor: Cursor, indent: number, depth: number): JsonValue {
  const { line } = cursor;
  if (line === undefined || line.indent < indent) return null;
  if (line.key === undefined) return list(cursor, line.indent);
  return line.indent === indent ? null : mapping(cursor, line.indent, depth + 1);
}

function list(cursor: Cursor, indent: number): JsonValue {
  const items: JsonValue[] = [];
  for (;;) {
    const { line } = cursor;
    if (line === undefined || line.indent < indent) return items;
    if (line.indent > indent) throw notPlain;
    if (line.key !== undefined) return items;
    if (line.rest === "") throw notPlain;
    items.push(single(line.rest));
    advance(cursor);
  }
}

/** A value on one line. */
function single(text: string): JsonValue {
  const first = text[0];
  if (first === "{" || first === "[") return flow(text);
  if (control.test(text)) throw notPlain;
  if (first === '"' || first === "'") {
    if (quoted.test(text)) return text.slice(1, -1);
    throw notPlain;
  }
  if (special.test(text)) throw notPlain;
  return scalar(text);
}

const quoted = /^(?:"[^"\\]*"|'[^']*')$/u;
/** Begins like something else than text, or has a mapping or a comment in it. */
const special = /^[-?:,[\]{}#&*!|>%@`~.+]|: | #|:$/u;
const words = new Map<string, JsonValue>([
  ...["null", "Null", "NULL"].map((word): [string, JsonValue] => [word, null]),
  ...["true", "True", "TRUE"].map((word): [string, JsonValue] => [word, true]),
  ...["false", "False", "FALSE"].map((word): [string, JsonValue] => [word, false]),
]);

function scalar(text: string): JsonValue {
  const known = words.get(text);
  if (known !== undefined) return known;
  if (!/^\d/u.test(text)) return text;
  if (/^(?:0|[1-9]\d{0,14})$/u.test(text)) return Number(text);
  // Other spellings of numbers, or what merely looks like one.
  if (/^[\da-fox.e+_-]+$/iu.test(text)) throw notPlain;
  return text;
}

const token =
  / *(?:([{}[\],])|"([^"\\\p{Cc}\ufeff]*)"( *:)?|([A-Za-z_0-9][A-Za-z0-9_./@-]*(?: +[A-Za-z_0-9./@-]+)*)(:(?= ))?) */uy;

/** A flow collection that is all of the text. */
function flow(text: string): JsonValue {
  const reading = { text, at: 0 };
  const value = flowValue(reading, take(reading), 1);
  if (reading.at !== text.length) throw notPlain;
  return value;
}

interface Reading {
  readonly text: string;
  at: number;
}

interface Token {
  /** A sign of the syntax. */
  readonly sign: string | undefined;
  readonly word: string;
  readonly isQuoted: boolean;
  readonly isKey: boolean;
}

function take(reading: Reading): Token {
  token.lastIndex = reading.at;
  const found = token.exec(reading.text);
  if (found === null) throw notPlain;
  reading.at += found[0].length;
  const [, sign, inQuotes, quotedColon, bare, colon] = found;
  const isKey = quotedColon !== undefined || colon !== undefined;
  return { sign, word: inQuotes ?? bare ?? "", isQuoted: inQuotes !== undefined, isKey };
}

function flowValue(
  reading: Reading,
  { sign, word, isQuoted, isKey }: Token,
  depth: number,
): JsonValue {
  if (isKey || depth > limits.depth / 4) throw notPlain;
  if (sign === "{") return flowMapping(reading, depth);
  if (sign === "[") return flowList(reading, depth);
  if (sign !== undefined) throw notPlain;
  return isQuoted ? word : scalar(word);
}

function flowMapping(reading: Reading, depth: number): JsonValue {
  const members: Record<string, JsonValue> = {};
  let next = take(reading);
  if (next.sign === "}") return members;
  for (;;) {
    const { isKey, word } = next;
    if (!isKey || word === "__proto__" || word === "<<" || Object.hasOwn(members, word))
      throw notPlain;
    members[word] = flowValue(reading, take(reading), depth + 1);
    const { sign } = take(reading);
    if (sign === "}") return members;
    if (sign !== ",") throw notPlain;
    next = take(reading);
  }
}

function flowList(reading: Reading, depth: number): JsonValue {
  const items: JsonValue[] = [];
  let next = take(reading);
  if (next.sign === "]") return items;
  for (;;) {
    items.push(flowValue(reading, next, depth + 1));
    const { sign } = take(reading);
    if (sign === "]") return items;
    if (sign !== ",") throw notPlain;
    next = take(reading);
  }
}
