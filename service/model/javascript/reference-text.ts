// Writes texts of JavaScript files, in which the sandbox marks references, as the data-model language spells them.
import { marks } from "./sandbox-program.ts";

/** Returns whether a text has references. */
export function hasReferences(text: string): boolean {
  return /[\uFDD0-\uFDD2]/u.test(text);
}

/** Returns SQL with its references in braces; other braces are escaped. Throws a `TypeError` for a reference that is cut or cannot be written. */
export function sqlText(text: string): string {
  return partsOf(text)
    .map((part) =>
      typeof part === "string" ? part.replace(/[{}]/gu, "\\$&") : `{${referenceText(part)}}`,
    )
    .join("");
}

/** Returns a text whose references are written as paths, in braces or without. Throws as {@link sqlText}. */
export function pathText(text: string, braces: readonly [string, string] = ["", ""]): string {
  return partsOf(text)
    .map((part) => (typeof part === "string" ? part : braces.join(referenceText(part))))
    .join("");
}

interface Reference {
  readonly path: string;
  /** What the reference is called with; undefined if it is not called. */
  readonly values: readonly string[] | undefined;
}

const cut = "a reference is cut; use it whole";

/** Splits a text at its references. */
function partsOf(text: string): readonly (string | Reference)[] {
  const parts: (string | Reference)[] = [];
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf(marks.open, at);
    const plain = text.slice(at, start < 0 ? undefined : start);
    if (hasReferences(plain)) throw new TypeError(cut);
    if (plain !== "") parts.push(plain);
    if (start < 0) break;
    const end = endOf(text, start);
    parts.push(referenceOf(text.slice(start + 1, end)));
    at = end + 1;
  }
  return parts;
}

/** Returns the offset of the mark that ends the reference at `start`. References nest in what they are called with. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === marks.open) depth++;
    else if (text[at] === marks.close && --depth === 0) return at;
  }
  throw new TypeError(cut);
}

function referenceOf(inner: string): Reference {
  const values: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= inner.length; at++) {
    const character = inner[at];
    if (character === marks.open) depth++;
    else if (character === marks.close) depth--;
    else if (character === undefined || (character === marks.separator && depth === 0)) {
      values.push(inner.slice(from, at));
      from = at + 1;
    }
  }
  const [path = "", ...rest] = values;
  return {
    path,
    values: inner.includes(marks.separator) ? rest.filter((one) => one !== "") : undefined,
  };
}

/** Returns a reference as it is between braces. */
function referenceText({ path, values }: Reference): string {
  if (values === undefined) return path;
  const texts = values.map((one) => one.slice(1));
  if (path === "SQL_UTILS.convertTz")
    return `${path}(${texts.map((one) => quoted(sqlText(one))).join(",")})`;
  if (path === "FILTER_GROUP") return `${path}(${texts.map((one) => pathText(one)).join(",")})`;
  return `${path}(${values.map(argumentText).join(",")})`;
}

/** Returns what `filter()` is called with: a text in quotes, or a function of values as a Python lambda. */
function argumentText(value: string): string {
  if (value.startsWith("t")) return quoted(sqlText(value.slice(1)));
  const [, count = "", text = ""] = /^f(\d+):([^]*)$/u.exec(value) ?? [];
  const names = Array.from({ length: Number(count) }, (_, index) => `v${index}`);
  const sql = partsOf(text)
    .map((part) => {
      if (typeof part === "string") return part.replace(/[{}]/gu, "$&$&");
      const [, index] = /^\?(\d+)$/u.exec(part.path) ?? [];
      return `{${index === undefined ? referenceText(part) : `v${index}`}}`;
    })
    .join("");
  return `lambda ${names.join(", ")}: f${quoted(sql)}`;
}

/** Returns a text between quotes that it does not contain. */
function quoted(text: string): string {
  const quote = ["'", '"', "'''", '"""'].find(
    (mark) => !text.includes(mark) && !(mark.length > 1 && text.endsWith(mark.charAt(0))),
  );
  if (quote === undefined)
    throw new TypeError("a text for filter() or convertTz() has all kinds of quotes; use fewer");
  return `${quote}${text}${quote}`;
}
