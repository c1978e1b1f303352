// Writes docs/reference/benchmarks.md from what the benches measured: a section for each, with its commit and load.

import { comparisonSection } from "./comparison.ts";

/** A table as a bench printed it; the first row is its head. */
export interface BenchTable {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

/** Where and when a bench was measured. */
export interface Measurement {
  /** ISO 8601, without the time. */
  readonly date: string;
  /** The short id, and whether files differed from it. */
  readonly commit: string;
  /** The average number of processes that ran or waited in the minute before, and in the minute that it ended in. */
  readonly load: readonly [before: number, after: number];
  readonly machine: string;
  /** How long the bench took. */
  readonly seconds: number;
}

/** The result of one bench. */
export interface BenchResult {
  readonly name: string;
  readonly measurement: Measurement;
  readonly tables: readonly BenchTable[];
}

const header = `<!-- Written by \`npm run bench\`. Do not edit. -->

# Benchmarks

\`npm run bench\` measures and writes this page; \`npm run bench -- NAME...\` replaces some of its sections. What each bench measures is in
[bench/README.md](../../bench/README.md). Compare ratios: other work on the machine slows both sides of a ratio.
`;

/** Returns whether a commit, by its short ID, belongs to the history of what is checked out. */
export type IsInHistory = (commit: string) => boolean;

/**
 * Returns the page with the sections of these results replaced or added; sections keep the order of `names`. A section that
 * was measured at a commit outside of the history, or with local changes, says nothing about this code and is removed.
 */
export function updatePage(
  page: string,
  results: readonly BenchResult[],
  { names, isInHistory }: { readonly names: readonly string[]; readonly isInHistory: IsInHistory },
): string {
  const sections = new Map(
    page
      .split(/^(?=## )/mu)
      .filter((part) => part.startsWith("## "))
      .filter((part) => isCurrent(part, isInHistory))
      .map((part) => [part.slice("## ".length, part.indexOf("\n")), part.trim()]),
  );
  for (const result of results) sections.set(result.name, sectionOf(result));
  const kept = names.flatMap((name) => sections.get(name) ?? []);
  return `${[header.trim(), comparisonSection(sections), ...kept].join("\n\n")}\n`;
}

const measuredAt =
  /^Measured on \S+ at commit (?<commit>[0-9a-f]+)(?<changed> with local changes)?,/mu;

function isCurrent(section: string, isInHistory: IsInHistory): boolean {
  const { commit, changed } = measuredAt.exec(section)?.groups ?? {};
  return commit !== undefined && changed === undefined && isInHistory(commit);
}

function sectionOf({ name, measurement, tables }: BenchResult): string {
  const { date, commit, load, machine, seconds } = measurement;
  const loads = load.map((one) => one.toFixed(1)).join(" before and ");
  const measured = `Measured on ${date} at commit ${commit}, in ${seconds} s, with a load of ${loads} after, on ${machine}.`;
  return [`## ${name}`, measured, ...tables.map(tableText)].join("\n\n");
}

function tableText({ title, rows: [head = [], ...rows] }: BenchTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const alignment = head.map((_, column) => (column === 0 ? "---" : "--:"));
  return [`${title}:`, "", line(head), line(alignment), ...rows.map(line)].join("\n");
}
