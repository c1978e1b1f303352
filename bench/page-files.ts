// Reads and writes the pages of the benchmarks: `benchmarks.md`, and those in the folder `benchmarks`.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const folder = "benchmarks";

/** Returns the pages of the benches by their path in the folder of the reference. */
export function readPages(reference: string): ReadonlyMap<string, string> {
  if (!existsSync(join(reference, folder))) return new Map();
  const paths = readdirSync(join(reference, folder)).map((name) => `${folder}/${name}`);
  return new Map(paths.map((path) => [path, readFileSync(join(reference, path), "utf8")]));
}

/** Writes the pages, and removes those of benches that are not among them. */
export function writePages(reference: string, pages: ReadonlyMap<string, string>): void {
  for (const path of readPages(reference).keys()) {
    if (!pages.has(path)) rmSync(join(reference, path));
  }
  for (const [path, text] of pages) {
    mkdirSync(dirname(join(reference, path)), { recursive: true });
    writeFileSync(join(reference, path), text);
  }
}
