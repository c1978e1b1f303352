// Reads the seed files of a project as tables. A CSV file has one header, one delimiter, and rows of one length.
import { readFileSync } from "node:fs";
import { Failure } from "../../core/errors.ts";
import { textLiteral } from "../model/text-literal.ts";

/** A file that is read once. */
interface TableSource {
  readonly format: "csv" | "parquet";
  readonly file: string;
}

/**
 * Returns the expression that reads a file. The options of CSV are given, because DuckDB would skip rows, and the
 * header with them, until the rest of a file is a table. All rows choose the types of columns: from the first rows
 * only, later values 1.5 and 007 would be read as 2 and 7. Throws `invalid` for a CSV file without a header.
 */
export function readSeedFile(
  { format, file }: TableSource,
  types: Readonly<Record<string, string>> | "text" = {},
): string {
  const name = textLiteral(file);
  if (format === "parquet") return `read_parquet(${name})`;
  const content = readFileSync(file, "utf8");
  if (content.trim() === "") throw new Failure("invalid", "it is empty; give it a header");
  const delimiter = delimiterOf(content);
  const known = types === "text" ? "all_varchar=true" : `types=${structOf(types)}`;
  const typed = types !== "text" && Object.keys(types).length === 0 ? "" : `, ${known}`;
  return `read_csv(${name}, delim='${delimiter}', quote='"', escape='"', comment='', header=true, skip=0, sample_size=-1${typed})`;
}

function structOf(types: Readonly<Record<string, string>>): string {
  const members = Object.entries(types).map(
    ([name, type]) => `${textLiteral(name)}: ${textLiteral(type)}`,
  );
  return `{${members.join(", ")}}`;
}

/** Returns the name of a table or column in SQL. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Digits after the point of decimals that people enter. Longer fractions are mostly doubles that a program wrote. */
const enteredScale = 12;

/**
 * Returns the expression of the decimal type that holds every value of a text column exactly; null in SQL if none does, and
 * for long fractions that a double gives back. DuckDB reads decimals as doubles, whose sums differ from those of the
 * decimals in the file.
 */
export function decimalTypeOf(column: string): string {
  const text = `trim(${quotedName(column)})`;
  const part = (value: string, at: 1 | 2) => `length(split_part(${value}, '.', ${at}))`;
  const [whole, scale] = [`max(${part(`ltrim(${text}, '+-0')`, 1)})`, `max(${part(text, 2)})`];
  // DuckDB found numbers, so that only exponents and words such as nan are left to exclude. Patterns would take seconds.
  const isDecimal = `bool_and(translate(${text}, '0123456789.+-', '') = '')`;
  const exact = (value: string) => `TRY_CAST(${value} AS DECIMAL(38,20))`;
  const double = exact(`CAST(TRY_CAST(${text} AS DOUBLE) AS VARCHAR)`);
  const isOther = `${double} IS DISTINCT FROM ${exact(text)}`;
  const isRounded = `bool_or(CASE WHEN ${part(text, 2)} > ${enteredScale} THEN ${isOther} END)`;
  const fits = `${whole} + ${scale} <= 38 AND (${scale} <= ${enteredScale} OR ${isRounded})`;
  // Of the largest width, so that results have room.
  return `CASE WHEN ${isDecimal} AND ${fits} THEN printf('DECIMAL(38,%d)', ${scale}) END`;
}

/** Returns the most frequent delimiter in the header. */
function delimiterOf(content: string): string {
  const header = /^(?:"[^"]*"|[^"\r\n])*/u.exec(content)?.[0].replace(/"[^"]*"/gu, "") ?? "";
  const count = (delimiter: string): number => header.split(delimiter).length;
  return [",", ";", "\t", "|"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

/**
 * Returns the part of DuckDB's message that is about the file, without its advice on options that users cannot set. If
 * DuckDB finds no table at all, it names no line; then the place is the first invalid row.
 */
export function seedProblem(message: string, { format, file }: TableSource): string {
  if (/error when sniffing file/iu.test(message)) {
    const odd = format === "csv" ? oddRow(readFileSync(file, "utf8")) : undefined;
    const usual =
      "its rows have different numbers of columns or different ends of lines, or a quote is not closed";
    if (odd === undefined) return usual;
    const column = odd.column === undefined ? "" : `, Column: ${odd.column}`;
    return `${odd.problem} (Line: ${odd.line}${column})`;
  }
  const [problem = message] = message.split(/\n *Possible (?:fixes|solutions?):/iu);
  return problem.trim().replaceAll(/\n+/gu, "; ");
}

/** An error in a row, with its line, and for a single character also its column, both from 1. */
interface OddRow {
  readonly line: number;
  readonly column?: number;
  readonly problem: string;
}

/**
 * Returns the first invalid row, which has wrong quotes or a different number of values than the header; undefined if
 * there is none.
 */
function oddRow(content: string): OddRow | undefined {
  const delimiter = delimiterOf(content);
  let columns: number | undefined;
  let [line, column, start, values] = [1, 0, 1, 1];
  let at: "start" | "bare" | "quoted" | "closed" = "start";
  for (const character of `${content.trimEnd()}\n`) {
    column++;
    if (character === "\n") [line, column] = [line + 1, 0];
    if (at === "quoted") {
      if (character === '"') at = "closed";
    } else if (character === delimiter) {
      values++;
      at = "start";
    } else if (character === "\n") {
      columns ??= values;
      if (values !== columns) {
        const problem = `its rows have different numbers of columns: the header has ${columns}, and this row ${values}`;
        return { line: start, problem };
      }
      [start, values, at] = [line, 1, "start"];
    } else if (character === '"' && at !== "bare") at = "quoted";
    else if (at === "start" && character !== "\uFEFF") at = "bare";
    else if (at === "closed" && character.trim() !== "") {
      const problem = `text follows the closing quote of a value; write "" for a quotation mark inside quotes`;
      return { line, column, problem };
    }
  }
  return at === "quoted" ? { line: start, problem: "a quote is not closed" } : undefined;
}
