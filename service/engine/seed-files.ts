// How the seed files of a project are read as tables: a CSV file has one header, one delimiter, and rows of one length.
import { readFileSync } from "node:fs";
import { Failure } from "../../core/errors.ts";

/** A file that is read once. */
interface TableSource {
  readonly format: "csv" | "parquet";
  readonly file: string;
}

/**
 * Returns the expression that reads a file. The options of CSV are given, because DuckDB would skip rows, and the header
 * with them, until the rest of a file is a table. All rows choose the types of columns: from the first ones alone, 1.5 and
 * 007 further down would be read as 2 and 7. Throws `invalid` for a CSV file without a header.
 */
export function readSeedFile({ format, file }: TableSource): string {
  const name = `'${file.replaceAll("'", "''")}'`;
  if (format === "parquet") return `read_parquet(${name})`;
  const content = readFileSync(file, "utf8");
  if (content.trim() === "") throw new Failure("invalid", "it is empty; give it a header");
  const delimiter = delimiterOf(content);
  return `read_csv(${name}, delim='${delimiter}', quote='"', escape='"', comment='', header=true, skip=0, sample_size=-1)`;
}

/** Returns the delimiter that the header has most of. */
function delimiterOf(content: string): string {
  const header = /^(?:"[^"]*"|[^"\r\n])*/u.exec(content)?.[0].replace(/"[^"]*"/gu, "") ?? "";
  const count = (delimiter: string): number => header.split(delimiter).length;
  return [",", ";", "\t", "|"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

/**
 * Returns the part of DuckDB's message that is about the file, without its advice on options that users cannot set. DuckDB names no line
 * where it finds no table at all; then it is the first row of another length than the header.
 */
export function seedProblem(message: string, { format, file }: TableSource): string {
  if (/error when sniffing file/iu.test(message)) {
    const odd = format === "csv" ? oddRow(readFileSync(file, "utf8")) : undefined;
    const usual =
      "its rows have different numbers of columns or different ends of lines, or a quote is not closed";
    return odd === undefined ? usual : `${odd.problem} (Line: ${odd.line})`;
  }
  const [problem = message] = message.split(/\n *Possible (?:fixes|solutions?):/iu);
  return problem.trim().replaceAll(/\n+/gu, "; ");
}

/** Returns the first row whose number of values is not that of the header, or whose quote is not closed; undefined if there is none. */
function oddRow(content: string): { readonly line: number; readonly problem: string } | undefined {
  const delimiter = delimiterOf(content);
  let columns: number | undefined;
  let line = 1;
  let start = 1;
  let values = 1;
  let isQuoted = false;
  for (const character of `${content.trimEnd()}\n`) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) values++;
    if (character !== "\n") continue;
    line++;
    if (isQuoted) continue;
    columns ??= values;
    if (values !== columns) {
      const problem = `its rows have different numbers of columns: the header has ${columns}, and this row ${values}`;
      return { line: start, problem };
    }
    [start, values] = [line, 1];
  }
  return isQuoted ? { line: start, problem: "a quote is not closed" } : undefined;
}
