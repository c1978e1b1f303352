// Finds the line of a template that a line of its result comes from. Marks in the texts of the templates name their lines.

/** A part of a template: text, or a tag, expression or comment. */
interface TemplatePart {
  readonly isText: boolean;
  readonly start: number;
  readonly end: number;
}

/** A place in a template. */
export interface TemplatePlace {
  readonly name: string;
  readonly line: number;
}

/** Characters around a mark. Unicode reserves them for the inside of programs. */
const [open, close] = ["\uFDD0", "\uFDD1"];
const mark = /\uFDD0(\d+),(\d+)\uFDD1/gu;

/** Returns the offset of a name in the tags and expressions of a template; undefined if they do not use it. */
export function nameInTags(text: string, name: RegExp): number | undefined {
  for (const { isText, start, end } of partsOf(text)) {
    const at = isText || text.startsWith("{#", start) ? -1 : text.slice(start, end).search(name);
    if (at >= 0) return start + at;
  }
  return undefined;
}

/** Returns templates whose texts have the marks of their lines. */
export function markLines(templates: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...templates].map(([name, text], index) => [name, marked(text, index)]));
}

function marked(text: string, template: number): string {
  let line = 1;
  const parts = partsOf(text).map(({ isText, start, end }) => {
    const lines = text.slice(start, end).split("\n");
    const written = lines.map((one, index) => {
      if (index > 0) line++;
      // Tags can remove the white space around them.
      return isText ? one.replace(/\S(?=\s*$)/u, `$&${open}${template},${line}${close}`) : one;
    });
    return written.join("\n");
  });
  return parts.join("");
}

/**
 * Returns the places of the lines of a result by the result of the marked templates; undefined if the marks changed it, as
 * they do where a template compares texts.
 */
export function placesOfLines(
  result: string,
  markedResult: string,
  names: readonly string[],
): readonly TemplatePlace[] | undefined {
  if (markedResult.replace(mark, "") !== result) return undefined;
  let place: TemplatePlace = { name: "", line: 1 };
  return markedResult.split("\n").map((line) => {
    const [found] = line.matchAll(mark);
    const name = names[Number(found?.[1] ?? -1)];
    if (name !== undefined) place = { name, line: Number(found?.[2]) };
    return place;
  });
}

const ends: Readonly<Record<string, RegExp>> = {
  "{{": /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\}\}/gsu,
  "{%": /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|%\}/gsu,
  "{#": /#\}/gu,
};
const rawTag = /^\{%[-+]?\s*raw\s*[-+]?%\}$/u;
const endOfRaw = /\{%[-+]?\s*endraw\s*[-+]?%\}/gu;

/** Splits a template into texts and tags. */
function partsOf(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  const add = (start: number, end: number, isText: boolean) => {
    if (end > start) parts.push({ start, end, isText });
  };
  const begin = /\{[{%#]/gu;
  let at = 0;
  for (let tag = begin.exec(text); tag; tag = begin.exec(text)) {
    add(at, tag.index, true);
    at = endOfTag(text, tag.index, tag[0]);
    add(tag.index, at, false);
    if (rawTag.test(text.slice(tag.index, at))) {
      endOfRaw.lastIndex = at;
      const end = endOfRaw.exec(text);
      add(at, end?.index ?? text.length, true);
      at = end?.index ?? text.length;
    }
    begin.lastIndex = at;
  }
  add(at, text.length, true);
  return parts;
}

/** A line of YAML that begins a text of several lines. */
const blockStart = /^(\s*)(?:- +)*(?:[^\s#].*:\s+|- +)?[|>][-+\d]*\s*$/u;
/** The beginning of a comment of YAML, after text without quotes. */
const commentStart = /^(?:[^"'#]*\s)?#/u;
const laterComment = /^[^"'#]*\s#/u;
const tagOrNewline = /\{[{%#]|\n/gu;

/** Returns a template with comments of YAML that have no tags. Lines and columns stay the same. */
export function plainComments(text: string): string {
  let result = "";
  /** The indentation of the key of a text of several lines, which has no comments. */
  let block: number | undefined;
  let isQuoted = false;
  for (let at = 0; at < text.length;) {
    const isLineStart = at === 0 || text[at - 1] === "\n";
    if (isLineStart) {
      const line = text.slice(at, endOfLine(text, at));
      const indent = line.search(/\S/u);
      if (block !== undefined && indent >= 0 && indent <= block) block = undefined;
      if (block === undefined && blockStart.test(line)) block = indent;
      isQuoted = false;
    }
    // Only the text up to the next tag is read, because one line may have very many.
    tagOrNewline.lastIndex = at;
    const next = tagOrNewline.exec(text);
    const before = text.slice(at, next?.index);
    const isComment =
      block === undefined && !isQuoted && (isLineStart ? commentStart : laterComment).test(before);
    if (next === null || next[0] === "\n" || isComment) {
      const end = endOfLine(text, at);
      result += text.slice(at, end).replace(/\{[{%#]/gu, "{ ");
      at = end;
      continue;
    }
    isQuoted ||= /["']/u.test(before);
    const start = next.index;
    let after = endOfTag(text, start, text.slice(start, start + 2));
    if (rawTag.test(text.slice(start, after))) {
      endOfRaw.lastIndex = after;
      after = endOfRaw.exec(text) ? endOfRaw.lastIndex : text.length;
    }
    result += text.slice(at, after);
    at = after;
  }
  return result;
}

function endOfLine(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? text.length : newline + 1;
}

function endOfTag(text: string, start: number, kind: string): number {
  const end = ends[kind] ?? /$/gu;
  end.lastIndex = start + kind.length;
  for (let found = end.exec(text); found; found = end.exec(text))
    if (!/^["']/u.test(found[0])) return found.index + found[0].length;
  return text.length;
}
