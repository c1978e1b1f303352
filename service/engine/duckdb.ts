// DuckDB in memory with the seed data of one build: without files, network and extensions, and with limits.
import type { DuckDBConnection, DuckDBInstance, DuckDBResult } from "@duckdb/node-api";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Statement } from "../query/sql-fragments.ts";
import { checkStatement } from "./check-statement.ts";
import {
  canceledFailure,
  type DatabaseLimits,
  tooLargeFailure,
  tooLongFailure,
  unreadableRows,
} from "./engine.ts";
import { writeRollupFile } from "./rollup-file.ts";
import { decimalTypeOf, quotedName, readSeedFile, seedProblem } from "./seed-files.ts";

/** A database in this process. */
export interface DuckDb {
  /**
   * Runs one statement, and passes its rows on as JSON texts of lists of rows. Throws like a {@link
   * import("./engine.ts").QueryDatabase}.
   */
  run(statement: Statement, signal: AbortSignal, onRows: (rows: string) => void): Promise<void>;
  /** Writes the rows of one statement to a new file of a rollup. Throws as {@link run}, and for too many rows. */
  store(statement: Statement, signal: AbortSignal, file: string): Promise<void>;
  /** Closes the database when its last statement has ended. */
  close(): Promise<void>;
}

/** A table in a file that the database reads once. */
export interface TableFile {
  readonly table: string;
  readonly format: "csv" | "parquet";
  readonly file: string;
}

/**
 * Settings of every database. In DuckDB 1.5.5, `common_subplan` returns wrong sums where subqueries share joins.
 * `cte_inlining` and `window_self_join` copy plans, and return NULL or no rows for a prepared filter on VALUES.
 * `column_lifetime` loses columns that conditions on several optional joins need, which fails the query.
 */
export const duckDbSettings = [
  "SET GLOBAL TimeZone = 'UTC'",
  "SET GLOBAL disabled_optimizers = 'common_subplan,column_lifetime,cte_inlining,window_self_join'",
] as const;

/** Opens a database with tables. Throws `invalid` if a file cannot be read as a table. */
export async function openDuckDb(
  tables: readonly TableFile[],
  bounds: DatabaseLimits = limits,
): Promise<DuckDb> {
  return openDatabase(":memory:", tables, bounds);
}

/** Opens the file of a rollup, which it only reads. Throws `invalid` if it cannot be read. */
export async function openRollupFile(file: string, bounds: DatabaseLimits): Promise<DuckDb> {
  try {
    return await openDatabase(file, [], bounds);
  } catch (cause) {
    throw new Failure("invalid", unreadableRows, { cause });
  }
}

async function openDatabase(
  path: string,
  tables: readonly TableFile[],
  bounds: DatabaseLimits,
): Promise<DuckDb> {
  // The library is large: a server without queries does not load it.
  const { DuckDBInstance: instances } = await import("@duckdb/node-api");
  const instance = await instances.create(path, {
    threads: String(limits.queryThreads),
    memory_limit: `${bounds.queryMegabytes}MB`,
    // Prevents spilling to disk.
    temp_directory: "",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    ...(path !== ":memory:" && { access_mode: "READ_ONLY" }),
  });
  try {
    await loadTables(instance, tables);
  } catch (error) {
    instance.closeSync();
    throw error;
  }
  const running = new Set<Promise<unknown>>();
  const whileOpen = async (work: Promise<void>) => {
    running.add(work);
    try {
      await work;
    } finally {
      running.delete(work);
    }
  };
  return {
    run: (statement, signal, onRows) => {
      const read = (result: DuckDBResult) => readRows(result, onRows);
      return whileOpen(runStatement(instance, statement, { bounds, signal, read }));
    },
    store: (statement, signal, file) => {
      const read = (result: DuckDBResult) => writeRollupFile(result, file);
      const own = { ...bounds, queryMs: limits.rollupBuildMs };
      return whileOpen(runStatement(instance, statement, { bounds: own, signal, read }));
    },
    async close() {
      await Promise.allSettled(running);
      instance.closeSync();
    },
  };
}

/** Reads the files, then locks the database. */
async function loadTables(instance: DuckDBInstance, tables: readonly TableFile[]): Promise<void> {
  const connection = await instance.connect();
  try {
    for (const text of duckDbSettings) await connection.run(text);
    for (const tableFile of tables) {
      const { table, format, file } = tableFile;
      try {
        await loadTable(connection, tableFile);
      } catch (error) {
        const problem = seedProblem(messageOf(error), tableFile).replaceAll(
          file,
          `${table}.${format}`,
        );
        const text = `the seed file of the table ${table} cannot be read: ${problem}`;
        throw new Failure("invalid", text, { cause: error });
      }
    }
    await connection.run("SET enable_external_access = false");
    await connection.run("SET lock_configuration = true");
  } finally {
    connection.closeSync();
  }
}

/** Loads a file. A column of decimals has a type that holds each of them exactly, if there is one. */
async function loadTable(connection: DuckDBConnection, tableFile: TableFile): Promise<void> {
  const name = quotedName(tableFile.table);
  const create = `CREATE OR REPLACE TABLE ${name} AS SELECT * FROM`;
  await connection.run(`${create} ${readSeedFile(tableFile)}`);
  if (tableFile.format === "parquet") return;
  const described = await connection.runAndReadAll(
    `SELECT column_name FROM (DESCRIBE ${name}) WHERE column_type = 'DOUBLE'`,
  );
  const doubles = described.getRowsJson().map(([column]) => column as string);
  if (doubles.length === 0) return;
  const types = await connection.runAndReadAll(
    `SELECT ${doubles.map(decimalTypeOf).join(", ")} FROM ${readSeedFile(tableFile, "text")}`,
  );
  const found = types.getRowsJson()[0] ?? [];
  const decimals = doubles.flatMap((column, index): [string, string][] => {
    const type = found[index];
    return typeof type === "string" ? [[column, type]] : [];
  });
  if (decimals.length === 0) return;
  await connection.run(`${create} ${readSeedFile(tableFile, Object.fromEntries(decimals))}`);
}

/** Interval at which a statement is interrupted until it ends. */
const interruptMs = 20;

interface RunOptions {
  readonly bounds: DatabaseLimits;
  readonly signal: AbortSignal;
  readonly read: (result: DuckDBResult) => Promise<void>;
}

/** Runs a statement on a separate connection, so that an interrupt stops only this statement. */
async function runStatement(
  instance: DuckDBInstance,
  statement: Statement,
  { bounds, signal, read }: RunOptions,
): Promise<void> {
  const connection = await instance.connect();
  let isLate = false;
  let repeated: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    // DuckDB forgets an interrupt that arrives before the statement starts.
    repeated ??= setInterval(() => connection.interrupt(), interruptMs);
  };
  const timer = setTimeout(() => {
    isLate = true;
    interrupt();
  }, bounds.queryMs);
  signal.addEventListener("abort", interrupt, { once: true });
  try {
    // It may have been aborted before there was a listener.
    if (signal.aborted) throw canceledFailure();
    await streamStatement(connection, statement, read);
  } catch (error) {
    if (signal.aborted) throw canceledFailure();
    if (isLate) throw tooLongFailure(bounds.queryMs, error);
    if (error instanceof Failure) throw error;
    const message = messageOf(error);
    if (!/^Out of Memory Error/i.test(message)) {
      throw new Failure("invalid", message, { cause: error });
    }
    const text = `the query needs more than ${bounds.queryMegabytes} MB of memory; filter or group more`;
    throw new Failure("limit_reached", text, { cause: error });
  } finally {
    signal.removeEventListener("abort", interrupt);
    clearTimeout(timer);
    clearInterval(repeated);
    connection.closeSync();
  }
}

/** A prepared statement is one statement, whatever the text of the data model contains. */
async function streamStatement(
  connection: DuckDBConnection,
  { text, values }: Statement,
  read: RunOptions["read"],
): Promise<void> {
  await checkStatement(connection, text);
  const prepared = await connection.prepare(text);
  try {
    prepared.bind([...values]);
    await read(await prepared.stream());
  } finally {
    prepared.destroySync();
  }
}

/** Passes rows on in chunks, so that a large result stops at the limit, and other requests run between them. */
async function readRows(result: DuckDBResult, onRows: (rows: string) => void): Promise<void> {
  let bytes = 0;
  for await (const chunk of result.yieldRowsJson()) {
    const rows = JSON.stringify(chunk);
    bytes += rows.length;
    if (bytes > limits.queryResultBytes) throw tooLargeFailure();
    onRows(rows);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
