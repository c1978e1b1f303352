// Writes docs/reference/benchmarks.md: a section a bench, with its commit and load.

/** A table as a bench printed it; the first row is its head. */
export interface BenchTable {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

/** The result of one bench. */
export interface BenchResult {
  readonly name: string;
  /** Where and when it was measured, as a sentence. */
  readonly measured: string;
  readonly tables: readonly BenchTable[];
}

const head = `<!-- Written by \`npm run bench\`. Do not edit. -->

# Benchmarks

\`npm run bench\` measures and writes this page; \`npm run bench -- NAME...\` replaces some of its sections. What each
bench measures is in [bench/README.md](../../bench/README.md). Compare ratios: other work on the machine slows both
sides of a ratio.`;

/** Returns the page: these results replace or add their sections, in the order of `names`. */
export function updatePage(
  before: string,
  results: readonly BenchResult[],
  names: readonly string[],
): string {
  const sections = new Map(
    before.split(/^(?=## )/mu).map((text) => [/^## (.*)/u.exec(text)?.[1] ?? "", text.trim()]),
  );
  for (const result of results) sections.set(result.name, sectionOf(result));
  const kept = names.flatMap((name) => sections.get(name) ?? []);
  return `${[head, ...kept].join("\n\n")}\n`;
}

function sectionOf({ name, measured, tables }: BenchResult): string {
  return [`## ${name}`, measured, ...tables.map(tableText)].join("\n\n");
}

function tableText({ title, rows: [titles = [], ...rows] }: BenchTable): string {
  const alignment = titles.map((_, column) => (column === 0 ? "---" : "--:"));
  const lines = [titles, alignment, ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return `${title}:\n\n${lines.join("\n")}`;
}
