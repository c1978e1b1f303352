// DuckDB in memory with the seed data of one build: without files, network and extensions, and with limits.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import type { Statement } from "../query/sql.ts";
import { checkStatement } from "./check-statement.ts";
import type { QueryDatabase, QueryResult, ResultValue } from "./engine.ts";

/** A table of a build, from a file in `seeds/`. */
export interface SeedFile {
  readonly table: string;
  readonly format: "csv" | "parquet";
  readonly content: Buffer;
}

/** Limits of a database, for tests. */
export interface DuckDbLimits {
  readonly queryMs: number;
  readonly queryMegabytes: number;
}

/** Settings of every database. `common_subplan` of DuckDB 1.5.5 returns wrong sums where subqueries share joins. */
export const duckDbSettings = [
  "SET GLOBAL TimeZone = 'UTC'",
  "SET GLOBAL disabled_optimizers = 'common_subplan'",
] as const;

/** Opens a database with tables. Throws `invalid` if a file cannot be read as a table. */
export async function openDuckDb(
  seeds: readonly SeedFile[],
  bounds: DuckDbLimits = limits,
): Promise<QueryDatabase> {
  // The library is large: a server without queries does not load it.
  const { DuckDBInstance: instances } = await import("@duckdb/node-api");
  const instance = await instances.create(":memory:", {
    threads: String(limits.queryThreads),
    memory_limit: `${bounds.queryMegabytes}MB`,
    // Nothing spills to the disk.
    temp_directory: "",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  try {
    await loadSeeds(instance, seeds);
  } catch (error) {
    instance.closeSync();
    throw error;
  }
  const running = new Set<Promise<unknown>>();
  return {
    async run(statement) {
      const result = runStatement(instance, statement, bounds);
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    },
    async close() {
      await Promise.allSettled(running);
      instance.closeSync();
    },
  };
}

/** Reads the files through a private folder, then locks the database. */
async function loadSeeds(instance: DuckDBInstance, seeds: readonly SeedFile[]): Promise<void> {
  const connection = await instance.connect();
  const folder = await mkdtemp(join(tmpdir(), "svc-seeds-"));
  try {
    for (const text of duckDbSettings) await connection.run(text);
    for (const [index, { table, format, content }] of seeds.entries()) {
      const file = join(folder, `${index}.${format}`);
      await writeFile(file, content, { mode: 0o600 });
      const read = format === "csv" ? "read_csv" : "read_parquet";
      const name = `"${table.replaceAll('"', '""')}"`;
      const text = `CREATE TABLE ${name} AS SELECT * FROM ${read}('${file.replaceAll("'", "''")}')`;
      await connection.run(text).catch((error: unknown) => {
        throw new Failure(
          "invalid",
          `the seed file of the table ${table} cannot be read: ${messageOf(error).replaceAll(file, `${table}.${format}`)}`,
          { cause: error },
        );
      });
    }
    await connection.run("SET enable_external_access = false");
    await connection.run("SET lock_configuration = true");
  } finally {
    connection.closeSync();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs a statement on a connection of its own, so that an interrupt stops nothing else. */
async function runStatement(
  instance: DuckDBInstance,
  { text, values }: Statement,
  { queryMs, queryMegabytes }: DuckDbLimits,
): Promise<QueryResult> {
  const connection = await instance.connect();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    connection.interrupt();
  }, queryMs);
  try {
    return await readRows(connection, { text, values });
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (isLate) {
      const seconds = queryMs / 1000;
      throw new Failure(
        "timeout",
        `the query takes longer than ${seconds} seconds; filter or group more`,
        { cause: error },
      );
    }
    const message = messageOf(error);
    if (/^Out of Memory Error/i.test(message)) {
      throw new Failure(
        "limit_reached",
        `the query needs more than ${queryMegabytes} MB of memory; filter or group more`,
        { cause: error },
      );
    }
    throw new Failure("invalid", message, { cause: error });
  } finally {
    clearTimeout(timer);
    connection.closeSync();
  }
}

/** A prepared statement is one statement, whatever the text of the data model contains. */
async function readRows(
  connection: DuckDBConnection,
  { text, values }: Statement,
): Promise<QueryResult> {
  await checkStatement(connection, text);
  const prepared = await connection.prepare(text);
  try {
    prepared.bind([...values]);
    const result = await prepared.stream();
    const rows: (readonly ResultValue[])[] = [];
    let bytes = 0;
    // In chunks, so that a large result stops at the limit, and other requests run between them.
    for await (const chunk of result.yieldRowsJson()) {
      for (const row of chunk as ResultValue[][]) {
        bytes += JSON.stringify(row).length;
        rows.push(row);
      }
      if (bytes > limits.queryResultBytes) {
        throw new Failure(
          "limit_reached",
          `the result has more than ${limits.queryResultBytes} bytes; use a smaller limit or fewer members`,
        );
      }
    }
    return { rows, bytes };
  } finally {
    prepared.destroySync();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
