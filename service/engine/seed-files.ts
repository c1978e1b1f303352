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

/** Returns the part of DuckDB's message that is about the file, without its advice on options that users cannot set. */
export function seedProblem(message: string): string {
  if (/error when sniffing file/iu.test(message)) {
    return "its rows have different numbers of columns or different ends of lines, or a quote is not closed";
  }
  const [problem = message] = message.split(/\n *Possible (?:fixes|solutions?):/iu);
  return problem.trim().replaceAll(/\n+/gu, "; ");
}
