// Prints rows that a command read: as a table, as CSV, or the answer as JSON.
import { alignColumns } from "../../core/align-columns.ts";
import { csvText } from "../../core/csv.ts";
import { escapeInvisible, truncate } from "../../core/escape-text.ts";
import type { JsonValue } from "../../core/json.ts";
import type { Output } from "./output.ts";

/** Flags of a command that prints rows. */
export interface TableFlags {
  readonly output?: "table" | "json" | "csv";
  readonly json?: true;
}

/** Rows with their columns, and the answer that they come from. */
export interface TableResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly json: JsonValue;
}

/** Characters of a cell in a table. */
const cellMax = 200;

/** Returns the form of the result, as the options of `runAction`. */
export function tableForm({ output, json }: TableFlags): { readonly output: "json" | "text" } {
  return { output: json === true || output === "json" ? "json" : "text" };
}

/** Prints rows in the form of the flags. CSV has every character of a value, unless a terminal shows it. */
export function printTable(output: Output, flags: TableFlags, result: TableResult): void {
  const { columns, rows, json } = result;
  const isCsv = flags.output === "csv" && !output.isJson;
  if (isCsv && !process.stdout.isTTY) {
    process.stdout.write(csvText([columns, ...rows.map((row) => row.map(plainText))]));
    return;
  }
  const cells = rows.map((row) => row.map(cellText));
  const text = () =>
    isCsv ? csvText([columns, ...cells]) : alignColumns([columns, ...cells]).join("\n");
  output.result({ text, json: () => json });
}

/** Returns a value on one line, without characters that control a terminal. */
export function cellText(value: unknown): string {
  return truncate(escapeInvisible(plainText(value)), cellMax);
}

function plainText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(plainText).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
