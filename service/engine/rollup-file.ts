// Writes the rows of a rollup to a DuckDB file in batches.
import { rmSync, statSync } from "node:fs";
import type { DuckDBConnection, DuckDBInstance, DuckDBResult } from "@duckdb/node-api";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { textLiteral } from "../model/text-literal.ts";
import type { ResultRows } from "./engine.ts";
import { columnOf, rollupTable } from "../rollups/rollup-table.ts";

/** Limits of a file, for tests. */
export type RollupFileLimits = { readonly [K in "rollupRows" | "rollupBytes"]: number };

/**
 * Writes all rows of a result to a file, which must not exist. Throws `limit_reached` if they are too many or too large; the
 * file is then incomplete.
 */
export async function writeRollupFile(
  result: DuckDBResult,
  file: string,
  { rollupRows, rollupBytes }: RollupFileLimits = limits,
): Promise<void> {
  const instance = await openFile(file);
  try {
    await writing(file, async () => {
      const connection = await instance.connect();
      const columns = result
        .columnTypes()
        .map((type, index) => `${columnOf(index)} ${type.toString()}`);
      await connection.run(`CREATE TABLE ${rollupTable} (${columns.join(", ")})`);
      await connection.run("BEGIN");
      const appender = await connection.createAppender(rollupTable);
      let rows = 0;
      for (;;) {
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) break;
        rows += chunk.rowCount;
        if (rows > rollupRows) throw tooLarge(`${rollupRows} rows`);
        appender.appendDataChunk(chunk);
        appender.flushSync();
        // Its texts would stay in memory until the garbage is collected.
        chunk.reset();
        if (sizeOf(file) > rollupBytes) throw tooLarge(`${rollupBytes} bytes`);
      }
      appender.closeSync();
      await connection.run("COMMIT");
      await connection.run("CHECKPOINT");
      connection.closeSync();
      if (sizeOf(file) > rollupBytes) throw tooLarge(`${rollupBytes} bytes`);
    });
  } finally {
    instance.closeSync();
  }
}

async function openFile(file: string): Promise<DuckDBInstance> {
  const { DuckDBInstance: instances } = await import("@duckdb/node-api");
  return instances.create(file, {
    threads: "1",
    memory_limit: `${limits.queryMegabytes}MB`,
    temp_directory: "",
  });
}

/** Works on a file. Errors of DuckDB become failures, which do not say where the server keeps files. */
async function writing<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    const { message } = error;
    if (/out of memory|could not allocate/iu.test(message))
      throw tooLarge(`${limits.queryMegabytes} MB in memory`, error);
    throw new Failure("invalid", message.replaceAll(file, "the file"), { cause: error });
  }
}

/** A column of rows of another database, as the data model declares it. */
export interface RollupColumn {
  /** `cube.member`. */
  readonly member: string;
  /** The type of the member: `string`, `number`, `boolean` or `time`; others are text. */
  readonly type: string;
}

/**
 * The types in which the values of a server's types are stored, so that they are equal, have the same order, unless they are
 * text, and are written as there.
 */
const storedTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  boolean: { bool: "BOOLEAN", int: "BOOLEAN" },
  time: { date: "TIMESTAMP", timestamp: "TIMESTAMP", timestamptz: "TIMESTAMP" },
  number: {
    int: "BIGINT",
    int2: "BIGINT",
    int4: "BIGINT",
    int8: "BIGINT",
    numeric: "DECIMAL",
    float8: "DOUBLE",
    // The least and the last of times are numbers in a data model.
    date: "DATE",
    timestamp: "TIMESTAMP",
    timestamptz: "TIMESTAMPTZ",
  },
};
const textTypes = new Set(
  "text varchar enum uuid int int2 int4 int8 date timestamp timestamptz".split(" "),
);

/** Returns the type in which a column is stored. Throws `invalid` for a type that DuckDB does not compare as the server does. */
function storedType({ member, type }: RollupColumn, name: string): string {
  const kinds = storedTypes[type];
  const stored = kinds ? kinds[name] : textTypes.has(name) ? "VARCHAR" : undefined;
  if (stored !== undefined) return stored;
  const message = `the values of ${member}, a ${type}, have the type ${name}, which is not stored`;
  throw new Failure("invalid", message);
}

/** The rows of a complete file that are from before a time. */
export interface KeptRows {
  readonly file: string;
  /** The position of the column of the time. */
  readonly column: number;
  /** A calendar time in UTC. Rows without a time are kept too. */
  readonly before: string;
}

/** Writes rows, which arrive as text, to the file of a rollup, and then gives each column its type. */
export interface RollupWriter {
  /** Sets the types of the columns on the server. Throws `invalid` for one that cannot be stored. */
  setTypes(names: readonly string[]): void;
  /** Adds rows of another file. */
  keep(rows: KeptRows): Promise<void>;
  /** Throws `limit_reached` if they are too many or too large. */
  add(rows: ResultRows): Promise<void>;
  finish(): Promise<void>;
  close(): void;
}

/** Opens a new file. The rows are kept beside it until it is finished. */
export async function openRollupWriter(
  file: string,
  columns: readonly RollupColumn[],
  { rollupRows, rollupBytes }: RollupFileLimits = limits,
): Promise<RollupWriter> {
  const staged = `${file}.raw`;
  const names = columns.map((_, index) => columnOf(index));
  const { instance, connection, appender } = await writing(file, async () => {
    const opened = await openFile(staged);
    const on = await opened.connect();
    await on.run("SET GLOBAL TimeZone = 'UTC'");
    await on.run(
      `CREATE TABLE ${rollupTable} (${names.map((name) => `${name} VARCHAR`).join(", ")})`,
    );
    return { instance: opened, connection: on, appender: await on.createAppender(rollupTable) };
  });
  let types: readonly string[] = [];
  let count = 0;
  let unflushed = 0;
  const check = (path: string) => {
    if (sizeOf(path) + sizeOf(`${path}.wal`) > rollupBytes) throw tooLarge(`${rollupBytes} bytes`);
  };
  return {
    setTypes(found) {
      types = columns.map((column, index) => storedType(column, found[index] ?? ""));
    },
    keep: ({ file: other, column, before }) =>
      writing(other, async () => {
        await connection.run(`ATTACH ${textLiteral(other)} AS kept (READ_ONLY)`);
        const texts = names.map((name) => `CAST(${name} AS VARCHAR)`).join(", ");
        const time = columnOf(column);
        const inserted = await connection.run(
          `INSERT INTO ${rollupTable} SELECT ${texts} FROM kept.${rollupTable} WHERE ${time} IS NULL OR ${time} < CAST($1 AS TIMESTAMP)`,
          [before],
        );
        count += inserted.rowsChanged;
        await connection.run("DETACH kept");
      }),
    add: (rows) =>
      writing(file, async () => {
        count += rows.length;
        if (count > rollupRows) throw tooLarge(`${rollupRows} rows`);
        for (const row of rows) {
          for (const value of row) {
            const text = value === null ? null : String(value);
            unflushed += textBytes + (text?.length ?? 0);
            if (text === null) appender.appendNull();
            else appender.appendVarchar(text);
          }
          appender.endRow();
        }
        if (unflushed < unflushedMax) return;
        unflushed = 0;
        appender.flushSync();
        check(staged);
      }),
    finish: () =>
      writing(file, async () => {
        appender.closeSync();
        await copyTyped(connection, { file, columns, types });
        check(file);
      }),
    close() {
      connection.closeSync();
      instance.closeSync();
      for (const end of ["", ".wal"]) rmSync(`${staged}${end}`, { force: true });
    },
  };
}

/** Copies the rows, which are text, to another file, in the types of their columns. */
async function copyTyped(
  connection: DuckDBConnection,
  {
    file,
    columns,
    types,
  }: {
    readonly file: string;
    readonly columns: readonly RollupColumn[];
    readonly types: readonly string[];
  },
): Promise<void> {
  const expressions = types.map((type, index) =>
    type === "DECIMAL" ? exactDecimal(columnOf(index)) : `'${type}'`,
  );
  const found = await connection.runAndReadAll(
    // The number makes it one row.
    `SELECT ${expressions.join(", ")}, count(*) FROM ${rollupTable}`,
  );
  const list = columns.map(({ member }, index) => {
    const type = found.getRowsJson()[0]?.[index];
    const name = columnOf(index);
    if (typeof type === "string") return `CAST(${name} AS ${type}) AS ${name}`;
    const message = `the values of ${member} are not all decimals of at most 38 digits`;
    throw new Failure("invalid", message);
  });
  await connection.run(`ATTACH ${textLiteral(file)} AS target`);
  await connection.run(
    `CREATE TABLE target.${rollupTable} AS SELECT ${list.join(", ")} FROM ${rollupTable}`,
  );
  await connection.run("CHECKPOINT target");
}

/** Bytes of a text in memory besides its characters. */
const textBytes = 16;

/** The size of rows in memory after which a file is written and its size is checked. */
const unflushedMax = 16 * 1024 * 1024;

/** Returns the expression of the decimal type of the largest width that holds every value of a column; null in SQL if none does. */
function exactDecimal(column: string): string {
  const digits = (at: 1 | 2) => `length(ltrim(split_part(${column}, '.', ${at}), '-'))`;
  const scale = `COALESCE(max(${digits(2)}), 0)`;
  const fits = `COALESCE(bool_and(translate(${column}, '0123456789.-', '') = ''), true) AND COALESCE(max(${digits(1)}), 0) + ${scale} <= 38`;
  return `CASE WHEN ${fits} THEN printf('DECIMAL(38,%d)', ${scale}) END`;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function tooLarge(most: string, cause?: Error): Failure {
  const message = `it has more than ${most}; use fewer or coarser members`;
  return new Failure("limit_reached", message, { cause });
}
