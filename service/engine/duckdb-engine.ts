// Runs DuckDB in a separate process for each deployment, so that its statements, crashes and memory use harm neither
// other deployments nor the server.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { entryFile } from "../model/entry-file.ts";
import { limitCpuTime } from "../model/limit-cpu-time.ts";
import type { Statement } from "../query/sql-fragments.ts";
import type { TableFile } from "./duckdb.ts";
import {
  canceledFailure,
  type DatabaseLimits,
  type QueryResult,
  type ResultRows,
  tooLongFailure,
} from "./engine.ts";
import { type EngineProcess, type OnPart, startEngineProcess } from "./engine-process.ts";
import { createLruCache, type LruCache } from "../../core/lru-cache.ts";

/** A table of a build, from a file in `seeds/`. */
export interface TableContent extends Omit<TableFile, "file"> {
  readonly content: Buffer;
}

/** The tables of a build. */
export interface SeedSet {
  readonly key: string;
  /** Reads them for the first statement on them. */
  readonly read: () => Promise<readonly TableContent[]>;
}

/** Limits of an engine, for tests. */
export interface EngineLimits extends DatabaseLimits {
  readonly engineIdleMs: number;
  readonly engineGraceMs: number;
  readonly engineOpenCpuMs: number;
  readonly engineOpenElapsedMs: number;
}

/** The engine of one deployment. Its process starts with the first statement, and again after it ended. */
export interface DuckDbEngine {
  /** Runs a statement on the tables of a build. Throws as {@link import("./engine.ts").QueryDatabase.run}. */
  run(seeds: SeedSet, statement: Statement, signal: AbortSignal): Promise<QueryResult>;
  /** The ID of the process; undefined unless it runs. */
  pid(): number | undefined;
  /** Returns the milliseconds of CPU time that the process has used; undefined unless it runs. */
  usedMs(): Promise<number | undefined>;
  /** Ends the process when its last statement has ended. */
  retire(): Promise<void>;
  /** Ends the process, and the statements that run. */
  close(): Promise<void>;
}

/** A process and its open databases. */
interface Started {
  readonly engine: EngineProcess;
  /** The IDs of databases by the key of their tables. */
  readonly databases: LruCache<number>;
}

/** Creates an engine. */
export function createDuckDbEngine(bounds: EngineLimits = limits): DuckDbEngine {
  let current: Promise<Started> | undefined;
  let pid: number | undefined;
  let isClosed = false;
  let isRetired = false;
  let running = 0;
  let idle: NodeJS.Timeout | undefined;
  const start = (): Promise<Started> => {
    if (current !== undefined) return current;
    const forget = () => {
      if (current !== started) return;
      current = undefined;
      pid = undefined;
    };
    const entry = entryFile("./duckdb-process.ts", import.meta.url);
    const started: Promise<Started> = startEngineProcess(entry, forget).then((engine) => {
      pid = engine.pid;
      return { engine, databases: openedDatabases(engine) };
    });
    started.catch(forget);
    current = started;
    return started;
  };
  const stop = async () => (await current)?.engine.stop();
  return {
    pid: () => pid,
    usedMs: async () => (current === undefined ? undefined : cpuMsOf((await current).engine)),
    async run(seeds, statement, signal) {
      if (isClosed || signal.aborted) throw canceledFailure();
      clearTimeout(idle);
      running++;
      try {
        const { engine, databases } = await start();
        const open = () => openDatabase(engine, seeds, bounds);
        const database = await databases.get(seeds.key, open);
        return await runStatement(engine, { database, statement, signal, bounds });
      } finally {
        running--;
        if (running === 0) {
          idle = setTimeout(() => void stop(), isRetired ? 0 : bounds.engineIdleMs);
          idle.unref();
        }
      }
    },
    async retire() {
      isRetired = true;
      if (running > 0) return;
      clearTimeout(idle);
      await stop();
    },
    async close() {
      isClosed = true;
      clearTimeout(idle);
      await stop();
    },
  };
}

let lastId = 0;

function openedDatabases(engine: EngineProcess): LruCache<number> {
  return createLruCache<number>(limits.queryDatabases, async (database) =>
    engine.send({ kind: "close", database }),
  );
}

/** Opens a database with tables, whose files pass through the folder of the process. */
async function openDatabase(
  engine: EngineProcess,
  { read }: SeedSet,
  { queryMs, queryMegabytes, engineOpenCpuMs, engineOpenElapsedMs }: EngineLimits,
): Promise<number> {
  const id = ++lastId;
  const seeds = await read();
  const tables: TableFile[] = [];
  for (const [index, { table, format, content }] of seeds.entries()) {
    const file = join(engine.folder, `${id}-${index}.${format}`);
    await writeFile(file, content, { mode: 0o600 });
    tables.push({ table, format, file });
  }
  try {
    const bounds = { queryMs, queryMegabytes };
    // CPU time that the process used before is not caused by these tables.
    const before = (await cpuMsOf(engine)) ?? 0;
    const usedMs = async () => ((await cpuMsOf(engine)) ?? before) - before;
    await limitCpuTime(engine.call({ kind: "open", id, tables, bounds }), {
      bounds: { cpuMs: engineOpenCpuMs, elapsedMs: engineOpenElapsedMs },
      usedMs,
      tooLarge: seedsTooLarge,
    });
    return id;
  } catch (error) {
    // DuckDB cannot interrupt everything.
    if (!isFailure(error, "invalid")) await engine.stop();
    throw error;
  } finally {
    for (const { file } of tables) await rm(file, { force: true });
  }
}

/** Returns the text for seed files that take too much CPU time. */
export function seedsTooLarge(seconds: number): string {
  return `the seed files take longer than ${seconds} seconds of CPU time to read; make them smaller`;
}

async function cpuMsOf(engine: EngineProcess): Promise<number | undefined> {
  let cpuMs: number | undefined;
  await engine.call({ kind: "usage", id: ++lastId }, (part) => {
    if (part.kind === "used") ({ cpuMs } = part);
  });
  return cpuMs;
}

interface RunOptions {
  readonly database: number;
  readonly statement: Statement;
  readonly signal: AbortSignal;
  readonly bounds: EngineLimits;
}

async function runStatement(
  engine: EngineProcess,
  { database, statement, signal, bounds }: RunOptions,
): Promise<QueryResult> {
  const id = ++lastId;
  const parts: ResultRows[] = [];
  let bytes = 0;
  const cancel = () => engine.send({ kind: "cancel", id });
  signal.addEventListener("abort", cancel, { once: true });
  const take: OnPart = (part) => {
    if (part.kind !== "rows") return;
    bytes += part.rows.length;
    parts.push(JSON.parse(part.rows) as ResultRows);
  };
  try {
    if (signal.aborted) throw canceledFailure();
    const run = () => engine.call({ kind: "run", id, database, statement }, take);
    await withDeadline(engine, bounds.queryMs + bounds.engineGraceMs, run);
    return { rows: parts.flat(), bytes };
  } catch (error) {
    throw signal.aborted ? canceledFailure() : error;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** Ends the process if a call takes too long: DuckDB cannot interrupt everything. */
async function withDeadline(
  engine: EngineProcess,
  ms: number,
  call: () => Promise<void>,
): Promise<void> {
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    void engine.stop();
  }, ms);
  try {
    await call();
  } catch (error) {
    throw isLate ? tooLongFailure(ms, error) : error;
  } finally {
    clearTimeout(late);
  }
}
