// Checks that the seed files of a data model are tables, so that a build reports an error before the first query does.
import { createHash } from "node:crypto";
import { isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { createLruCache } from "../../core/lru-cache.ts";
import { seedTable } from "../../core/data-model/model-path.ts";
import type { CheckSeeds } from "../model/compiler.ts";
import { limitCpuTime, type WorkLimits } from "../model/limit-cpu-time.ts";
import type { ModelError, SeedFile } from "../model/types.ts";
import {
  createDuckDbEngine,
  type DuckDbEngine,
  seedsTooLarge,
  type TableContent,
} from "./duckdb-engine.ts";

/** Returns the tables of seed files: `seeds/orders.csv` becomes the table `orders`. */
export function tableContents(seeds: readonly SeedFile[]): readonly TableContent[] {
  return seeds.flatMap(({ path, content }) => {
    const table = seedTable(path);
    return table === undefined ? [] : [{ ...table, content }];
  });
}

const usualBounds: WorkLimits = {
  cpuMs: limits.seedCheckCpuMs,
  elapsedMs: limits.compileElapsedMs,
};

/** Returns a check that keeps its last results by the contents of the files. */
export function createSeedCheck(bounds: WorkLimits = usualBounds): CheckSeeds {
  const kept = createLruCache<readonly ModelError[]>(limits.seedChecksKept);
  return async (seeds) => {
    if (seeds.length === 0) return [];
    return kept.get(hashOf(seeds), () => checkSeeds(seeds, bounds));
  };
}

function hashOf(seeds: readonly SeedFile[]): string {
  const hash = createHash("sha256");
  for (const { path, content } of seeds)
    hash.update(`${path}\0${content.length}\n`).update(content);
  return hash.digest("hex");
}

/** Checks files in a separate process, which is ended if the check takes too long. */
async function checkSeeds(
  seeds: readonly SeedFile[],
  bounds: WorkLimits,
): Promise<readonly ModelError[]> {
  // The limits apply to all statements of the check together.
  const { cpuMs: engineOpenCpuMs, elapsedMs } = bounds;
  const opening = { engineOpenCpuMs, engineOpenElapsedMs: elapsedMs };
  const engine = createDuckDbEngine({ ...limits, queryMs: elapsedMs, ...opening });
  try {
    const usedMs = () => engine.usedMs();
    return await limitCpuTime(errorsOf(engine, seeds), { bounds, usedMs, tooLarge: seedsTooLarge });
  } finally {
    await engine.close();
  }
}

/** Reads all files as queries do, and if that fails, one by one for the error of each. */
async function errorsOf(
  engine: DuckDbEngine,
  seeds: readonly SeedFile[],
): Promise<readonly ModelError[]> {
  const problem = await problemOf(engine, seeds);
  if (problem === undefined) return [];
  const errors = await fileErrors(engine, seeds);
  if (errors.length > 0) return errors;
  const [{ path: fileName } = { path: "seeds" }] = seeds;
  return [{ message: problem, fileName, line: 1, column: 1 }];
}

/** Returns the errors of single files, which include two files for one table. */
async function fileErrors(
  engine: DuckDbEngine,
  seeds: readonly SeedFile[],
): Promise<readonly ModelError[]> {
  const tables = new Map<string, string>();
  const errors: ModelError[] = [];
  for (const seed of seeds) {
    const { path: fileName } = seed;
    const table = seedTable(fileName)?.table.toLowerCase() ?? "";
    const other = tables.get(table);
    const message =
      other === undefined
        ? await problemOf(engine, [seed])
        : `it is the same table as ${other}; rename one of the files`;
    tables.set(table, other ?? fileName);
    if (message === undefined) continue;
    errors.push({ message, fileName, ...placeIn(message) });
  }
  return errors;
}

/** Returns the reason why files cannot be read as tables of one database. */
async function problemOf(
  engine: DuckDbEngine,
  seeds: readonly SeedFile[],
): Promise<string | undefined> {
  const key = seeds.map(({ path }) => path).join("\n");
  const tables = { key, read: async () => tableContents(seeds) };
  try {
    const nothing = { text: "SELECT 1", values: [] };
    await engine.run(tables, nothing, new AbortController().signal);
    return undefined;
  } catch (error) {
    if (isFailure(error, "invalid")) return error.message;
    throw error;
  }
}

/** Returns the place that a message names, or the start of the file. */
function placeIn(message: string): { readonly line: number; readonly column: number } {
  const [, line = 1, column = 1] = /\bLine: (\d+)(?:, Column: (\d+))?/u.exec(message) ?? [];
  return { line: Number(line), column: Number(column) };
}
