// Writes the rows of a rollup to a DuckDB file in batches.
import { statSync } from "node:fs";
import type { DuckDBAppender, DuckDBResult } from "@duckdb/node-api";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { columnOf, rollupTable } from "../rollups/rollup-table.ts";

/** Limits of a file, for tests. */
export type RollupFileLimits = { readonly [K in "rollupRows" | "rollupBytes"]: number };

/** Batches after which a file is written and its size is checked. */
const batchesPerFlush = 50;

/**
 * Writes all rows of a result to a file, which must not exist. Throws `limit_reached` if they are too many or too large; the
 * file is then incomplete.
 */
export async function writeRollupFile(
  result: DuckDBResult,
  file: string,
  { rollupRows, rollupBytes }: RollupFileLimits = limits,
): Promise<void> {
  const { DuckDBInstance: instances } = await import("@duckdb/node-api");
  const instance = await instances.create(file, {
    threads: "1",
    memory_limit: `${limits.queryMegabytes}MB`,
    temp_directory: "",
  });
  let appender: DuckDBAppender | undefined;
  try {
    const connection = await instance.connect();
    const columns = result
      .columnTypes()
      .map((type, index) => `${columnOf(index)} ${type.toString()}`);
    await connection.run(`CREATE TABLE ${rollupTable} (${columns.join(", ")})`);
    appender = await connection.createAppender(rollupTable);
    let rows = 0;
    for (let batch = 1; ; batch++) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      rows += chunk.rowCount;
      if (rows > rollupRows) throw tooLarge(`${rollupRows} rows`);
      appender.appendDataChunk(chunk);
      if (batch % batchesPerFlush > 0) continue;
      appender.flushSync();
      if (sizeOf(file) + sizeOf(`${file}.wal`) > rollupBytes)
        throw tooLarge(`${rollupBytes} bytes`);
    }
    appender.closeSync();
    await connection.run("CHECKPOINT");
    connection.closeSync();
    if (sizeOf(file) > rollupBytes) throw tooLarge(`${rollupBytes} bytes`);
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    // Who reads the message need not know where the server keeps files.
    throw new Error(error.message.replaceAll(file, "the file"), { cause: error });
  } finally {
    instance.closeSync();
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function tooLarge(most: string): Failure {
  return new Failure("limit_reached", `it has more than ${most}; use fewer or coarser members`);
}
