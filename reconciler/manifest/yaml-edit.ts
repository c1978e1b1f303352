// Edits values in the text of a YAML file. Keeps comments, order, quotes and layout.
import {
  type Document as YamlDocument,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseAllDocuments,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { equal, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { withoutEnvironment } from "../../core/text/yaml-environment.ts";

/** One edit: sets a value, or removes it if undefined. An index after the last item of a list appends. */
export interface Edit {
  readonly path: readonly string[];
  readonly value: JsonValue | undefined;
}

/** Edits of one document; `index` counts documents that are not empty. */
export interface DocumentEdits {
  readonly index: number;
  readonly edits: readonly Edit[];
}

/** A text after the edits, and the documents that could not be edited, by index. */
export interface EditedText {
  readonly text: string;
  readonly unedited: ReadonlySet<number>;
}

/**
 * Edits documents of a text, each at most once in the list. Each edit changes the text, and is verified by parsing. If
 * that fails, the library prints the whole document, which keeps comments but not all white space. A document stays
 * unchanged if neither gives the expected value, such as when another value is an alias of the edited one.
 */
export function editDocuments(text: string, all: readonly DocumentEdits[]): EditedText {
  const before = parsed(text);
  const apart = editedApart(before, all);
  return isExpected(before, apart, all) ? apart : editedInTurn(text, all);
}

/** Edits each document in the text of it and of the next one: to parse the whole text for each edit takes quadratic time. */
function editedApart({ text, documents }: ParsedText, all: readonly DocumentEdits[]): EditedText {
  const ends = documents.map(({ range }) => range[2]);
  const parts = [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
  const edited = [...parts];
  const unedited = new Set<number>();
  for (const { index, edits } of all) {
    const [current = "", next = ""] = parts.slice(index, index + 2);
    const result = editDocument(current + next, 0, edits);
    if (result === undefined) unedited.add(index);
    else edited[index] = result.slice(0, result.length - next.length);
  }
  return { text: edited.join(""), unedited };
}

/** Edits documents that only the whole text gives their values, such as after `%YAML 1.1`, which holds for later ones too. */
function editedInTurn(text: string, all: readonly DocumentEdits[]): EditedText {
  const unedited = new Set<number>();
  let current = text;
  for (const { index, edits } of all) {
    const result = editDocument(current, index, edits);
    if (result === undefined) unedited.add(index);
    else current = result;
  }
  return { text: current, unedited };
}

/** Returns whether the text has the expected values, and nothing else changed. */
function isExpected(
  before: ParsedText,
  { text, unedited }: EditedText,
  all: readonly DocumentEdits[],
): boolean {
  const expected = [...before.values];
  for (const { index, edits } of all) {
    if (unedited.has(index)) continue;
    for (const { path, value } of edits)
      expected[index] = withEdit(expected[index] ?? null, path, value);
  }
  return sameValues(parsed(text).values, expected);
}

function editDocument(text: string, index: number, edits: readonly Edit[]): string | undefined {
  let current: ParsedText | undefined = parsed(text);
  for (const edit of edits) current = current && applyEdit(current, index, edit);
  return current?.text;
}

function applyEdit(before: ParsedText, index: number, edit: Edit): ParsedText | undefined {
  const value = withEdit(before.values[index] ?? null, edit.path, edit.value);
  const expected = before.values.with(index, value);
  for (const write of [splice, rewritten]) {
    const text = write(before, index, edit);
    const after = text === undefined ? undefined : parsedResult(text);
    if (after !== undefined && sameValues(after.values, expected)) return after;
  }
  return undefined;
}

/** A text with its documents that are not empty. */
interface ParsedText {
  readonly text: string;
  readonly documents: readonly YamlDocument.Parsed[];
  readonly values: readonly JsonValue[];
}

function parsed(text: string): ParsedText {
  const options = { stringKeys: true, uniqueKeys: false, keepSourceTokens: false } as const;
  const all = withoutEnvironment(() => parseAllDocuments(text, options));
  const contents = (Array.isArray(all) ? all : []).flatMap((document) => {
    const value = document.contents && (document.toJS({ maxAliasCount: 100 }) as JsonValue);
    return value === null ? [] : [{ document, value }];
  });
  const documents = contents.map(({ document }) => document);
  const values = contents.map(({ value }) => value);
  return { text, documents, values };
}

/** Returns undefined if the edit removed an anchor that an alias needs. */
function parsedResult(text: string): ParsedText | undefined {
  try {
    return parsed(text);
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

function sameValues(left: readonly JsonValue[], right: readonly JsonValue[]): boolean {
  return left.length === right.length && left.every((value, index) => equal(value, right[index]));
}

/** Returns the expected value of the document. */
function withEdit(
  current: JsonValue | undefined,
  [step, ...rest]: readonly string[],
  value: JsonValue | undefined,
): JsonValue {
  if (step === undefined) return value ?? null;
  if (Array.isArray(current)) {
    const index = Number(step);
    if (rest.length > 0) return current.with(index, withEdit(current[index], rest, value));
    return current.toSpliced(index, 1, ...(value === undefined ? [] : [value]));
  }
  const members: JsonObject = isObject(current) ? current : {};
  const { [step]: inner, ...others } = members;
  if (rest.length === 0 && value === undefined) return others;
  return { ...members, [step]: rest.length === 0 ? (value ?? null) : withEdit(inner, rest, value) };
}

/** Makes the edit in the text. Undefined if that is not possible. */
function splice(
  { text, documents }: ParsedText,
  index: number,
  { path, value }: Edit,
): string | undefined {
  let parent: unknown = documents[index]?.contents;
  for (const [depth, step] of path.entries()) {
    if (isAlias(parent) || !(isMap(parent) || isSeq(parent))) return undefined;
    const current = memberOf(parent, step);
    const rest = path.slice(depth + 1);
    if (current === undefined) {
      return value === undefined ? text : added(text, parent, { step, value: nested(rest, value) });
    }
    if (rest.length === 0) {
      if (value === undefined) return removed(text, parent, current);
      return replaced(text, parent, { current, value });
    }
    parent = current.value;
  }
  return undefined;
}

interface Member {
  readonly key: Node | undefined;
  readonly value: Node | null;
}

function memberOf(parent: YAMLMap | YAMLSeq, step: string): Member | undefined {
  if (isSeq(parent)) {
    const item = parent.items[Number(step)] as Node | undefined;
    return item === undefined ? undefined : { key: undefined, value: item };
  }
  const pair = parent.items.find(({ key }) => isScalar(key) && key.value === step);
  return pair && { key: pair.key as Node, value: pair.value as Node | null };
}

function nested(steps: readonly string[], value: JsonValue): JsonValue {
  return steps.reduceRight<JsonValue>((inner, step) => ({ [step]: inner }), value);
}

function replaced(
  text: string,
  parent: YAMLMap | YAMLSeq,
  { current, value }: { readonly current: Member; readonly value: JsonValue },
): string | undefined {
  const [start, end] = rangeOf(text, current.value);
  if (start === undefined || end === undefined) return undefined;
  const old = text.slice(start, end);
  const isFlow = parent.flow === true || /^[[{]/u.test(old) || isSeq(parent);
  if (isFlow || !isLong(value)) {
    const gap = start === end && text[start - 1] === ":" ? " " : "";
    return text.slice(0, start) + gap + inline(value, old) + text.slice(end);
  }
  const keyEnd = current.key?.range?.[1];
  if (keyEnd === undefined) return undefined;
  const block = blockOf(value, columnOf(text, current.key));
  return `${text.slice(0, keyEnd)}:${block}${text.slice(end)}`;
}

function added(
  text: string,
  parent: YAMLMap | YAMLSeq,
  { step, value }: { readonly step: string; readonly value: JsonValue },
): string | undefined {
  const last = parent.items.at(-1);
  const lastNode = isMap(parent) ? (parent.items.at(-1)?.value ?? parent.items.at(-1)?.key) : last;
  const [, end] = rangeOf(text, lastNode as Node | null);
  const key = isMap(parent) ? `${inline(step, "")}: ` : "";
  if (parent.flow === true) {
    const close = (parent.range?.[1] ?? 0) - 1;
    if (end === undefined)
      return `${text.slice(0, close)}${key}${inline(value, "")}${text.slice(close)}`;
    return `${text.slice(0, end)}, ${key}${inline(value, "")}${text.slice(end)}`;
  }
  const first = isMap(parent) ? (parent.items[0]?.key as Node | undefined) : undefined;
  const column = isMap(parent) ? columnOf(text, first) : dashColumn(text, parent);
  if (end === undefined || column === undefined) return undefined;
  const lineEnd = text.indexOf("\n", end) < 0 ? text.length : text.indexOf("\n", end);
  const body = isMap(parent)
    ? `${inline(step, "")}:${isLong(value) ? blockOf(value, column) : ` ${inline(value, "")}`}`
    : `- ${inline(value, "")}`;
  return `${text.slice(0, lineEnd)}\n${" ".repeat(column)}${body}${text.slice(lineEnd)}`;
}

/** Removes whole lines. Undefined if the member shares a line with another. */
function removed(
  text: string,
  parent: YAMLMap | YAMLSeq,
  { key, value }: Member,
): string | undefined {
  if (parent.flow === true || parent.items.length === 1) return undefined;
  const begin = (key ?? value)?.range?.[0];
  const [, end] = rangeOf(text, value ?? key ?? null);
  if (begin === undefined || end === undefined) return undefined;
  const lineStart = text.lastIndexOf("\n", begin - 1) + 1;
  const before = text.slice(lineStart, begin);
  if (!(isSeq(parent) ? /^ *- *$/u : /^ *$/u).test(before)) return undefined;
  const lineEnd = text.indexOf("\n", end);
  return text.slice(0, lineStart) + (lineEnd < 0 ? "" : text.slice(lineEnd + 1));
}

/** Returns start and end of a value, without the line end after a block scalar. */
function rangeOf(text: string, node: Node | null): readonly [number?, number?] {
  const range = node?.range;
  if (range == null) return [];
  const ended = text.slice(range[0], range[1]).replace(/\s+$/u, "");
  return [range[0], range[0] + ended.length];
}

function columnOf(text: string, node: Node | undefined): number | undefined {
  const offset = node?.range?.[0];
  return offset === undefined ? undefined : offset - (text.lastIndexOf("\n", offset - 1) + 1);
}

function dashColumn(text: string, parent: YAMLSeq): number | undefined {
  const offset = (parent.items[0] as Node | undefined)?.range?.[0];
  if (offset === undefined) return undefined;
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const indent = /^( *)- +$/u.exec(text.slice(lineStart, offset));
  return indent?.[1]?.length;
}

/** Returns true for a value that needs several lines. Text that starts or ends with white space is quoted instead. */
function isLong(value: JsonValue): boolean {
  if (typeof value === "string")
    return value.includes("\n") && /^\S/u.test(value) && /\S\n?$/u.test(value);
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** Formats a value in one line, with the quotes of the old value. */
function inline(value: JsonValue, old: string): string {
  if (typeof value === "string" && old.startsWith('"')) return JSON.stringify(value);
  const isPlain = typeof value === "string" && !/[\n\r\t]/u.test(value);
  if (isPlain && old.startsWith("'")) return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === "string" && !isPlain) return JSON.stringify(value);
  const text = stringify([value], {
    collectionStyle: "flow",
    lineWidth: 0,
    flowCollectionPadding: false,
  });
  return text.trimEnd().slice(1, -1);
}

/** Formats a block value after the colon of a key in this column. */
function blockOf(value: JsonValue, column = 0): string {
  const lines = stringify({ k: value }, { lineWidth: 0 }).slice(0, -1).split("\n");
  const [first = "", ...rest] = lines;
  const indent = " ".repeat(column);
  return [first.slice("k:".length), ...rest.map((line) => (line === "" ? "" : indent + line))].join(
    "\n",
  );
}

/** Changes the nodes of the document, which cannot be used after it. */
function rewritten(
  { text, documents }: ParsedText,
  index: number,
  { path, value }: Edit,
): string | undefined {
  const document = documents[index];
  if (document === undefined) return undefined;
  const [start, end] = [document.contents?.range[0] ?? 0, document.range[1]];
  withoutComment(document.contents);
  try {
    if (value === undefined) document.deleteIn(path.map(stepIn));
    else document.setIn(path.map(stepIn), document.createNode(value));
    const { contents } = document;
    const written = contents === null ? "\n" : stringify(contents, { lineWidth: 0 });
    return text.slice(0, start) + written + text.slice(end);
  } catch {
    // The edit removed an anchor that an alias needs.
    return undefined;
  }
}

/** Detaches the comment above the contents, which stays in the text. */
function withoutComment(contents: Node | null): void {
  if (contents === null) return;
  delete contents.commentBefore;
  const first = isMap(contents) ? contents.items[0]?.key : undefined;
  if (isScalar(first)) delete first.commentBefore;
}

function stepIn(step: string): string | number {
  return /^[0-9]+$/u.test(step) ? Number(step) : step;
}
