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
import type { DatabaseRows } from "./engine-messages.ts";
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

/** The file of a rollup. */
export interface RollupFile {
  /** A path that no other rollup, nor another version of this one, ever has. */
  readonly file: string;
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
  /** Runs a statement on the tables of a build, or on a rollup. Throws as {@link import("./engine.ts").QueryDatabase.run}. */
  run(on: SeedSet | RollupFile, statement: Statement, signal: AbortSignal): Promise<QueryResult>;
  /**
   * Writes the rows of a statement on the tables of a build, or rows of a server, to a new file. Throws as {@link run}, for
   * too many rows, and `locked` while another server reads rows of the same owner.
   */
  store(from: SeedRows | DatabaseRows, to: StoreOptions): Promise<void>;
  /** The ID of the process; undefined unless it runs. */
  pid(): number | undefined;
  /** Returns the milliseconds of CPU time that the process has used; undefined unless it runs. */
  usedMs(): Promise<number | undefined>;
  /** Ends the process when its last statement has ended. */
  retire(): Promise<void>;
  /** Ends the process, and the statements that run. */
  close(): Promise<void>;
}

/** The rows of a statement on the tables of a build. */
export interface SeedRows {
  readonly seeds: SeedSet;
  readonly statement: Statement;
}

/** The file to write. */
interface StoreOptions extends RollupFile {
  readonly signal: AbortSignal;
}

/** A process and its open databases. */
interface Started {
  readonly engine: EngineProcess;
  /** The IDs of databases by the key of their tables. */
  readonly databases: LruCache<number>;
  /** The IDs of databases by their files. */
  readonly rollups: LruCache<number>;
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
      const databases = openedDatabases(engine, limits.queryDatabases);
      return { engine, databases, rollups: openedDatabases(engine, limits.rollupsOpen) };
    });
    started.catch(forget);
    current = started;
    return started;
  };
  const stop = async () => (await current)?.engine.stop();
  /** Keeps the process running while it works. */
  const whileRunning = async <T>(
    signal: AbortSignal,
    work: (started: Started) => Promise<T>,
  ): Promise<T> => {
    if (isClosed || signal.aborted) throw canceledFailure();
    clearTimeout(idle);
    running++;
    try {
      return await work(await start());
    } finally {
      running--;
      if (running === 0) {
        idle = setTimeout(() => void stop(), isRetired ? 0 : bounds.engineIdleMs);
        idle.unref();
      }
    }
  };
  return {
    pid: () => pid,
    usedMs: async () => (current === undefined ? undefined : cpuMsOf((await current).engine)),
    run: (on, statement, signal) =>
      whileRunning(signal, async (started) => {
        const database = await openedDatabase(started, on, bounds);
        return runStatement(started.engine, { database, statement, signal, bounds });
      }),
    store: (rows, { file, signal }) =>
      whileRunning(signal, async (started) => {
        const from =
          "from" in rows
            ? ({ kind: "store-rows", ...rows } as const)
            : ({
                kind: "store",
                database: await openedDatabase(started, rows.seeds, bounds),
                statement: rows.statement,
              } as const);
        const ms = limits.rollupBuildMs + bounds.engineGraceMs;
        await cancelable(started.engine, { signal, ms }, (id) =>
          started.engine.call({ ...from, id, file }),
        );
      }),
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

function openedDatabases(engine: EngineProcess, most: number): LruCache<number> {
  const drop = async (database: number) => engine.send({ kind: "close", database });
  return createLruCache<number>(most, { drop });
}

function openedDatabase(
  { engine, databases, rollups }: Started,
  on: SeedSet | RollupFile,
  bounds: EngineLimits,
): Promise<number> {
  if ("read" in on) return databases.get(on.key, () => openDatabase(engine, on, bounds));
  return rollups.get(on.file, async () => {
    const id = ++lastId;
    const { queryMs, queryMegabytes } = bounds;
    await engine.call({ kind: "open-rollup", id, ...on, bounds: { queryMs, queryMegabytes } });
    return id;
  });
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
  const parts: ResultRows[] = [];
  let bytes = 0;
  const take: OnPart = (part) => {
    if (part.kind !== "rows") return;
    bytes += part.rows.length;
    parts.push(JSON.parse(part.rows) as ResultRows);
  };
  const run = (id: number) => engine.call({ kind: "run", id, database, statement }, take);
  await cancelable(engine, { signal, ms: bounds.queryMs + bounds.engineGraceMs }, run);
  return { rows: parts.flat(), bytes };
}

/** Makes a call that the signal cancels. */
async function cancelable(
  engine: EngineProcess,
  { signal, ms }: { readonly signal: AbortSignal; readonly ms: number },
  call: (id: number) => Promise<void>,
): Promise<void> {
  const id = ++lastId;
  const cancel = () => engine.send({ kind: "cancel", id });
  signal.addEventListener("abort", cancel, { once: true });
  try {
    if (signal.aborted) throw canceledFailure();
    await withDeadline(engine, ms, () => call(id));
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
