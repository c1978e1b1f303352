// Runs planned queries on DuckDB in memory, or on PostgreSQL where the suite runs on it, for tests of their numbers.
import { DuckDBInstance } from "@duckdb/node-api";
import { Client } from "pg";
import { afterAll, beforeAll } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { checkStatement } from "../../service/engine/check-statement.ts";
import { duckDbSettings } from "../../service/engine/duckdb.ts";
import type { CompiledModel } from "../../service/model/types.ts";
import { compileModel } from "../../service/model/compile.ts";
import type { QueryCaller } from "../../service/query/access.ts";
import { columnName } from "../../service/query/answer.ts";
import { type PostgresSource, textTypes } from "../../service/engine/postgres.ts";
import type { Dialect } from "../../service/query/dialect.ts";
import { duckdb } from "../../service/query/duckdb-dialect.ts";
import { postgres } from "../../service/query/postgres-dialect.ts";
import { normalizeQueries } from "../../service/query/normalize.ts";
import { planQuery, type QueryPlan } from "../../service/query/query-to-sql.ts";
import type { Statement } from "../../service/query/sql-fragments.ts";
import { createTestDatabase, onPostgres } from "./test-database.ts";

/** A row by member. */
export type ResultRow = Readonly<Record<string, unknown>>;

/** A database. */
export interface TestDatabase {
  readonly dialect: Dialect;
  /** Its address, on PostgreSQL. */
  readonly source?: PostgresSource;
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
export function postgresSourceOf(url: string): PostgresSource {
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
    source: postgresSourceOf(place.data),
    execute: async (text, values = []) => void (await client.query(text, [...values])),
    run: async ({ text, values }) =>
      (await client.query<unknown[]>({ text, values: [...values], rowMode: "array" })).rows,
    close: async () => {
      await client.end();
      await place.drop();
    },
  };
}

/** Opens a database for the tests of a file, of the type that the suite runs on, and closes it after them. */
export function useQueryDatabase(statements: readonly string[]): () => TestDatabase {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await (onPostgres ? openPostgres() : openDuckDb());
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
  const { model, errors } = compileModel([{ path: "model/test.yml", content }]);
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
): QueryPlan {
  const [normalized] = normalizeQueries(query, now);
  if (normalized === undefined) throw new Error("no query");
  const clock = { now, timezone: normalized.timezone };
  return planQuery(normalized, { model, caller, dialect: onPostgres ? postgres : duckdb, clock });
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
  const isText = type === "string" || type === "time" || type === "boolean";
  return value === null || isText ? value : Number(value);
}
