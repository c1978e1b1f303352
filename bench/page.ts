// Writes a page for each bench, with its commit and load, and an index of the pages.

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
  /** Cores that other processes used right before and right after. */
  readonly othersCores: readonly [before: number, after: number];
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

const notice = "<!-- Written by `npm run bench`. Do not edit. -->";

const introduction = `\`npm run bench\` measures and writes these pages; \`npm run bench -- NAME...\` replaces some of them. What each bench measures
is in [bench/README.md](../../bench/README.md). Compare ratios: other work on the machine slows both sides of a ratio.`;

/** The page that compares, and links the page of each bench. */
const indexPath = "benchmarks.md";

/** Returns whether a commit, by its short ID, belongs to the history of the checkout. */
export type IsInHistory = (commit: string) => boolean;

/**
 * Returns the pages by their path in the reference folder; these results replace or add theirs. Omits pages that were
 * measured at a commit outside the history or with local changes, because they do not describe this code. Also omits
 * pages of benches that are not in `names`.
 */
export function updatePages(
  before: ReadonlyMap<string, string>,
  results: readonly BenchResult[],
  { names, isInHistory }: { readonly names: readonly string[]; readonly isInHistory: IsInHistory },
): ReadonlyMap<string, string> {
  const pages = new Map<string, string>();
  for (const name of names) {
    const result = results.find((one) => one.name === name);
    const old = before.get(pathOf(name));
    if (result !== undefined) pages.set(name, benchPage(result));
    else if (old !== undefined && isCurrent(old, isInHistory)) pages.set(name, old);
  }
  const written = [...pages].map(([name, text]) => [pathOf(name), text] as const);
  return new Map([[indexPath, indexPage(pages)], ...written]);
}

function pathOf(name: string): string {
  return `benchmarks/${name.replaceAll(" ", "-")}.md`;
}

const measuredAt =
  /^Measured on (?<date>\S+) at commit (?<commit>[0-9a-f]+)(?<changed> with local changes)?,/mu;

function isCurrent(text: string, isInHistory: IsInHistory): boolean {
  const { commit, changed } = measuredAt.exec(text)?.groups ?? {};
  return commit !== undefined && changed === undefined && isInHistory(commit);
}

function indexPage(pages: ReadonlyMap<string, string>): string {
  const rows = [...pages].map(([name, text]) => {
    const { date = "", commit = "" } = measuredAt.exec(text)?.groups ?? {};
    const state = /: (?<state>calm|loaded)\.$/mu.exec(text)?.groups?.["state"];
    return [`[${name}](${pathOf(name)})`, date, commit, state ?? "-"];
  });
  const head = ["bench", "measured on", "at commit", "machine"];
  const benches = `## Benches\n\n${linesOf([head, head.map(() => "---"), ...rows])}`;
  return pageText("Benchmarks", [introduction, comparisonSection(pages), benches]);
}

function benchPage({ name, measurement, tables }: BenchResult): string {
  const { date, commit, load, othersCores, machine, seconds } = measurement;
  const loads = load.map((one) => one.toFixed(1)).join(" before and ");
  const others = othersCores.map((one) => one.toFixed(2)).join(" before and ");
  const measured = `Measured on ${date} at commit ${commit}, in ${seconds} s, with a load of ${loads} after, on ${machine}. Other work took ${others} cores after: ${machineState(othersCores)}.`;
  const above = `[Benchmarks](../${indexPath})`;
  return pageText(`Benchmark: ${name}`, [measured, ...tables.map(tableText), above]);
}

/** A measurement is doubtful if other processes use more cores than this. */
const calmCores = 0.25;

function machineState(othersCores: Measurement["othersCores"]): "calm" | "loaded" {
  return othersCores.every((cores) => cores <= calmCores) ? "calm" : "loaded";
}

function pageText(title: string, parts: readonly string[]): string {
  return `${[notice, `# ${title}`, ...parts].join("\n\n")}\n`;
}

function tableText({ title, rows: [head = [], ...rows] }: BenchTable): string {
  const alignment = head.map((_, column) => (column === 0 ? "---" : "--:"));
  return `${title}:\n\n${linesOf([head, alignment, ...rows])}`;
}

function linesOf(rows: BenchTable["rows"]): string {
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
