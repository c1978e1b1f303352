// Recognizes templates of SQL that are columns, or comparisons of columns. Pure.
import type { CompiledDimension, SqlPart, SqlTemplate } from "../model/types.ts";

const columnPattern = String.raw`\{\}(?:\s*\.\s*(?:\w+|"[^"]+"))?`;
const datePattern = String.raw`DATE\(\s*${columnPattern}\s*\)|CAST\(\s*${columnPattern}\s+AS\s+DATE\s*\)`;
const operandPattern = String.raw`\s*(?:${columnPattern}|${datePattern}|'[^'\\]*'|\d+(?:\.\d+)?)\s*`;
const comparisonPattern = `${operandPattern}(?:(?:=|<>|!=|[<>]=?)${operandPattern})?`;
const comparisons = new RegExp(`^${comparisonPattern}(?:AND${comparisonPattern})*$`, "i");

/** Returns whether a template has only columns, their dates, references and literals, and comparisons of them. */
export function comparesColumns(template: SqlTemplate): boolean {
  return comparisons.test(
    template.map((part) => (typeof part === "string" ? part : "{}")).join(""),
  );
}

/** Splits a template that compares columns into its comparisons: two sides of an equality, otherwise the whole. */
export function comparisonsOf(template: SqlTemplate): readonly (readonly SqlTemplate[])[] {
  return splitTemplate(template, /\bAND\b/i).map((one) => splitTemplate(one, /(?<![<>!])=/));
}

/** Splits a template where its text has a separator. */
function splitTemplate(template: SqlTemplate, separator: RegExp): readonly SqlTemplate[] {
  const pieces: SqlPart[][] = [[]];
  for (const part of template) {
    const [first = "", ...others] = typeof part === "string" ? part.split(separator) : [part];
    if (typeof first !== "string" || first.trim() !== "") pieces.at(-1)?.push(first);
    for (const one of others)
      pieces.push(typeof one === "string" && one.trim() === "" ? [] : [one]);
  }
  return pieces;
}

/** Returns the column that a template is, without its table. */
export function columnOf(template: SqlTemplate): string | undefined {
  const [first, ...rest] = template;
  const [text, ...more] = isTablePart(first) ? rest : template;
  if (typeof text !== "string" || more.length > 0) return undefined;
  return /^\s*(?:(?:\w+)?\s*\.)?\s*([a-z_]\w*)\s*$/i.exec(text)?.[1];
}

const isTablePart = (part: SqlPart | undefined) =>
  typeof part === "object" && part.kind === "table";

/** Returns whether a dimension is a column of its cube, named with its table. */
export function isColumn({ sql: own = [] }: CompiledDimension): boolean {
  return isTablePart(own[0]) && columnOf(own) !== undefined;
}
