// Runs planned queries on DuckDB in memory, or on PostgreSQL or MariaDB where the suite runs on it, for tests of their numbers.
import { randomBytes } from "node:crypto";
import { DuckDBInstance } from "@duckdb/node-api";
import { createConnection as createMysqlConnection } from "mysql2";
import { Client } from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { checkStatement } from "../../service/engine/check-statement.ts";
import { duckDbSettings } from "../../service/engine/duckdb.ts";
import type { CompiledModel } from "../../service/model/types.ts";
import { compileModel } from "../../service/model/compile.ts";
import type { QueryCaller } from "../../service/query/access.ts";
import { columnName } from "../../service/query/answer.ts";
import { type DatabaseAddress, readAll } from "../../service/engine/database-source.ts";
import type { Database } from "../../service/engine/databases.ts";
import { limits } from "../../core/limits/limits.ts";
import { openClickhouseSource } from "../../service/engine/clickhouse.ts";
import { mysqlOptions, readRows, startReading } from "../../service/engine/mysql.ts";
import { textTypes } from "../../service/engine/postgres.ts";
import type { Dialect } from "../../service/query/dialect.ts";
import { clickhouse } from "../../service/query/clickhouse-dialect.ts";
import { duckdb } from "../../service/query/duckdb-dialect.ts";
import { mysql } from "../../service/query/mysql-dialect.ts";
import { postgres } from "../../service/query/postgres-dialect.ts";
import { normalizeQueries } from "../../service/query/normalize.ts";
import { planQuery, type QueryPlan } from "../../service/query/query-to-sql.ts";
import type { Statement } from "../../service/query/sql-fragments.ts";
import { createTestDatabase, onClickhouse, onMysql, onPostgres } from "./test-database.ts";

/** A row by member. */
export type ResultRow = Readonly<Record<string, unknown>>;

/** A database. */
export interface TestDatabase {
  readonly dialect: Dialect;
  /** Its address, on a server. */
  readonly source?: Database;
  /** Runs a statement of a test. */
  readonly execute: (text: string, values?: Statement["values"]) => Promise<void>;
  /** Runs a planned statement. */
  readonly run: (statement: Statement) => Promise<readonly (readonly unknown[])[]>;
  readonly close: () => Promise<void>;
}

/** Opens a DuckDB database in memory. */
export async function openDuckDb(
  settings: readonly string[] = duckDbSettings,
): Promise<TestDatabase> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  const execute = async (text: string, values: Statement["values"] = []) =>
    void (await connection.run(text, [...values]));
  for (const text of settings) await execute(text);
  return {
    dialect: duckdb,
    execute,
    run: async ({ text, values }) => {
      await checkStatement(connection, text);
      const reader = await connection.runAndReadAll(text, [...values]);
      return reader.getRowsJson();
    },
    close: async () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Returns the address of a database in its URL. */
export function sourceOf(url: string): DatabaseAddress {
  const { hostname, port, pathname, username, password } = new URL(url);
  return {
    host: hostname,
    port: Number(port),
    database: pathname.slice(1),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    isEncrypted: undefined,
    authorities: undefined,
  };
}

/** Opens a separate database on the server of the run, with one connection for all statements. */
export async function openPostgres(): Promise<TestDatabase> {
  const place = await createTestDatabase();
  const client = new Client({ connectionString: place.data, types: textTypes });
  await client.connect();
  await client.query("CREATE SCHEMA rows; SET search_path = rows; SET TIME ZONE 'UTC'");
  return {
    dialect: postgres,
    source: { type: "postgres", at: sourceOf(place.data) },
    execute: async (text, values = []) => void (await client.query(text, [...values])),
    run: async ({ text, values }) =>
      (await client.query<unknown[]>({ text, values: [...values], rowMode: "array" })).rows,
    close: async () => {
      await client.end();
      await place.drop();
    },
  };
}

/** Opens a separate database on the MariaDB server of the run, with one connection for all statements. */
export async function openMysql(): Promise<TestDatabase> {
  const url = new URL(inject("mysql") ?? "");
  const name = `test_${randomBytes(6).toString("hex")}`;
  const administrator = createMysqlConnection({ uri: url.href, multipleStatements: true });
  const execute = async (text: string, values: Statement["values"] = []) =>
    void (await administrator.promise().query(inMysql(text), [...values]));
  await execute(
    `SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES', time_zone = '+00:00'; CREATE DATABASE ${name} CHARACTER SET utf8mb4; USE ${name}`,
  );
  url.pathname = name;
  const connection = createMysqlConnection({ ...mysqlOptions, uri: url.href });
  await startReading(connection, limits.queryMs);
  return {
    dialect: mysql,
    source: { type: "mysql", at: sourceOf(url.href) },
    execute,
    async run(statement) {
      // A new state of the data for each statement.
      await connection.promise().query("COMMIT");
      const { rows } = await readAll(readRows(connection, statement));
      return rows;
    },
    async close() {
      connection.destroy();
      await execute(`DROP DATABASE ${name}`);
      administrator.destroy();
    },
  };
}

/** Opens a separate database on the ClickHouse server of the run. */
export async function openClickhouse(): Promise<TestDatabase> {
  const url = new URL(inject("clickhouse") ?? "");
  const name = `test_${randomBytes(6).toString("hex")}`;
  const { username, password, origin } = url;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const ask = async (text: string, options: string) => {
    const address = `${origin}/?data_type_default_nullable=1&cast_keep_nullable=1&${options}`;
    const response = await fetch(address, {
      method: "POST",
      headers: { authorization },
      body: text,
    });
    if (!response.ok) throw new Error(`${await response.text()}: ${text}`);
  };
  await ask(`CREATE DATABASE ${name}`, "");
  url.pathname = name;
  const source = sourceOf(url.href);
  const database = openClickhouseSource(source, { privateHosts: [source.host] });
  return {
    dialect: clickhouse,
    source: { type: "clickhouse", at: source },
    async execute(text) {
      for (const one of inClickhouse(text).split(";"))
        if (one.trim() !== "") await ask(one, `database=${name}`);
    },
    run: async (statement) => (await database.run(statement, new AbortController().signal)).rows,
    close: () => ask(`DROP DATABASE ${name}`, ""),
  };
}

/** Returns SQL of a test with the types of ClickHouse. */
function inClickhouse(text: string): string {
  return text
    .replaceAll(/\bTIMESTAMP\b(?! ')/g, "DateTime64(6, 'UTC')")
    .replaceAll(/\bTIMESTAMP '/g, "toDateTime64('")
    .replaceAll(/(toDateTime64\('[^']*')/g, "$1, 6, 'UTC')");
}

/** Returns SQL of a test with the types and the tables of values of MariaDB. */
function inMysql(text: string): string {
  return text
    .replaceAll(
      /\(VALUES\s([^;]*?)\) AS (\w+)\s*(\([^)]*\))/g,
      "(WITH $2$3 AS (VALUES $1) SELECT * FROM $2) AS $2",
    )
    .replaceAll("DOUBLE PRECISION", "DOUBLE")
    .replaceAll("AS BIGINT", "AS SIGNED")
    .replaceAll(/\b(?:VARCHAR|TEXT)\b(?!\()/g, "VARCHAR(100)")
    .replaceAll(/\bTIMESTAMP\b(?! ')/g, "DATETIME(6)");
}

/** The databases on which queries of a suite run. */
const tested = onClickhouse
  ? { dialect: clickhouse, open: openClickhouse }
  : onMysql
    ? { dialect: mysql, open: openMysql }
    : onPostgres
      ? { dialect: postgres, open: openPostgres }
      : { dialect: duckdb, open: openDuckDb };

/** The dialect of the database on which queries of a suite run. */
export const testedDialect: Dialect = tested.dialect;

/** Opens a database of the type that the suite runs on. */
export const openTested = async (): Promise<TestDatabase> => tested.open();

/** Opens a database for the tests of a file, of the type that the suite runs on, and closes it after them. */
export function useQueryDatabase(statements: readonly string[]): () => TestDatabase {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await openTested();
    for (const text of statements) await database.execute(text);
  });
  afterAll(() => database?.close());
  return () => {
    if (database === undefined) throw new Error("the database is open in tests only");
    return database;
  };
}

/** Compiles a model that must be valid. */
export function validModel(content: string): CompiledModel {
  const own = onMysql ? inMysql(content) : content;
  const { model, errors } = compileModel([{ path: "model/test.yml", content: own }]);
  if (model === undefined) throw new Error(errors.map(({ message }) => message).join("\n"));
  return model;
}

/** A caller without groups. */
export const anyone: QueryCaller = {
  groups: [],
  roles: [],
  userAttributes: {},
  securityContext: {},
  isEmbedded: false,
};

/** The current time of planned queries. */
const now = new Date("2026-03-18T10:30:00Z");

/** Plans a query. */
export function plan(
  model: CompiledModel,
  query: JsonObject,
  caller: QueryCaller = anyone,
  { hidesFirst = false, allowsEqualRows = false } = {},
): QueryPlan {
  const [normalized] = normalizeQueries(query, now);
  if (normalized === undefined) throw new Error("no query");
  const clock = { now, timezone: normalized.timezone };
  const input = { model, caller, dialect: tested.dialect, clock, hidesFirst };
  return planQuery({ ...normalized, ...(allowsEqualRows && { allowsEqualRows }) }, input);
}

/** Plans a query and returns its rows. Numbers are numbers, times are text as the database prints them. */
export async function answer(
  database: TestDatabase,
  planned: QueryPlan,
): Promise<readonly ResultRow[]> {
  const rows = await database.run(planned.statement);
  return rows.map((row) =>
    Object.fromEntries(
      planned.columns.map((column, index) => [
        columnName(column),
        valueOf(row[index], column.type),
      ]),
    ),
  );
}

function valueOf(value: unknown, type: string): unknown {
  if (type === "boolean" && typeof value === "string") return value === "1";
  const isText = type === "string" || type === "time" || type === "boolean";
  return value === null || isText ? value : Number(value);
}
