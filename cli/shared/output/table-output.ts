// Prints rows that a command read: as a table, as CSV, or the answer as JSON.
import { alignColumns } from "../../../core/text/align-columns.ts";
import { csvText, spreadsheetText } from "../../../core/text/csv.ts";
import { Failure } from "../../../core/errors.ts";
import { escapeInvisible } from "../../../core/text/escape-text.ts";
import type { JsonValue } from "../../../core/json.ts";
import type { OutputFlags } from "./output-options.ts";
import type { Output } from "./output.ts";
import { terminalWidth } from "../streams.ts";
import { plainText, selectCells, type Table } from "./table.ts";
import type { ColumnFlags, TableFlags } from "./table-options.ts";

/** A table, and the answer that it comes from. */
export interface TableResult extends Table {
  readonly json: JsonValue;
}

const columnFlags = ["wide", "columns", "sort"] as const;

/** Returns the form of the result, as the options of `runAction`. Fails with `usage` for flags of another form. */
export function tableForm(flags: TableFlags): Pick<OutputFlags, "output" | "jq"> {
  const { output, json, jq } = flags;
  const isJson = json === true || jq !== undefined || output === "json";
  if (isJson) refuseColumnFlags(flags);
  if (isJson && output !== undefined && output !== "json") {
    const flag = jq === undefined ? "--json" : "--jq";
    throw new Failure("usage", `${flag} prints JSON, and --output ${output} does not`);
  }
  return { output: isJson ? "json" : "text", ...(jq !== undefined && { jq }) };
}

/** Fails with `usage` for flags of tables. */
export function refuseColumnFlags(flags: ColumnFlags): void {
  const given = columnFlags.find((name) => flags[name] !== undefined);
  if (given === undefined) return;
  throw new Failure("usage", `--${given} is about tables, and the output is JSON`, {
    remedy: "Choose and sort members of the JSON with --jq.",
  });
}

/** Prints rows in the form of the flags. CSV has every character of a value, unless a terminal shows it. */
export function printTable(
  output: Output,
  flags: ColumnFlags & { readonly output?: string; readonly excel?: true },
  table: TableResult,
): void {
  const isCsv = flags.output === "csv" && !output.isJson;
  if (isCsv && !process.stdout.isTTY) {
    const { titles, rows } = selectCells(table, flags);
    const lines = [titles, ...rows.map((row) => row.map(plainText))];
    process.stdout.write(csvText(flags.excel === true ? lines.map(forSpreadsheet) : lines));
    return;
  }
  const text = (): string => {
    const { titles, rows } = selectCells(table, flags);
    const cells = [titles.map(escapeInvisible), ...rows.map((row) => row.map(cellText))];
    return isCsv ? csvText(cells) : tableText(cells, flags);
  };
  output.result({ text, json: () => table.json });
}

function forSpreadsheet(row: readonly string[]): readonly string[] {
  return row.map(spreadsheetText);
}

/** Returns the lines of a table, shortened to the width of the terminal unless `--wide` is set. */
export function tableText(cells: readonly (readonly string[])[], { wide }: ColumnFlags): string {
  return alignColumns(cells, wide === true ? undefined : terminalWidth()).join("\n");
}

/** Returns a value on one line, without characters that control a terminal. */
export function cellText(value: unknown): string {
  return escapeInvisible(plainText(value));
}
