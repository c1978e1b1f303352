// Prints the title and the table of a bench, with rounded numbers.
import Table from "cli-table3";
import type { BenchTable } from "./page.ts";

const printed: BenchTable[] = [];

/** Returns the tables that were printed since the last call. */
export function takePrintedTables(): readonly BenchTable[] {
  return printed.splice(0);
}

/** Prints a table; the first row is its head. */
export function printTable(title: string, all: BenchTable["rows"]): void {
  printed.push({ title, rows: all });
  const [head = [], ...rows] = all;
  const plain = { head: [], border: [] };
  const colAligns = head.map((_, column) =>
    column === 0 ? ("left" as const) : ("right" as const),
  );
  const table = new Table({ head: [...head], style: plain, colAligns });
  for (const row of rows) table.push([...row]);
  console.log(`\n${title}\n${table.toString()}`);
}

/** Milliseconds in words: `12.3 ms`, `1.23 s`. */
export function formatMs(ms: number): string {
  return ms < 1000 ? `${ms.toPrecision(3)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** `6 reads, 10 writes`. */
export function formatCalls(reads: number, writes: number): string {
  return `${reads} reads, ${writes} writes`;
}

/** `1.23 x`. */
export function formatFactor(factor: number): string {
  return `${factor.toFixed(2)} x`;
}
