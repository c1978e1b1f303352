// Runs planned queries on a DuckDB database in memory, for tests of their numbers.
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { checkStatement } from "../../service/engine/check-statement.ts";
import { duckDbSettings } from "../../service/engine/duckdb.ts";
import type { CompiledModel } from "../../service/model/types.ts";
import { compileModel } from "../../service/model/compile.ts";
import type { QueryCaller } from "../../service/query/access.ts";
import { columnName } from "../../service/query/answer.ts";
import { duckdb } from "../../service/query/dialect.ts";
import { normalizeQueries } from "../../service/query/normalize.ts";
import { planQuery, type QueryPlan } from "../../service/query/plan.ts";
import type { Statement } from "../../service/query/sql.ts";

/** A row by member. */
export type ResultRow = Readonly<Record<string, unknown>>;

/** A database. */
export interface TestDatabase {
  readonly connection: DuckDBConnection;
  readonly run: (statement: Statement) => Promise<readonly (readonly unknown[])[]>;
  readonly close: () => void;
}

/** Opens an empty database and runs statements in it. */
async function openDuckDb(statements: readonly string[]): Promise<TestDatabase> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  for (const text of [...duckDbSettings, ...statements]) await connection.run(text);
  return {
    connection,
    run: async ({ text, values }) => {
      await checkStatement(connection, text);
      const reader = await connection.runAndReadAll(text, [...values]);
      return reader.getRowsJson();
    },
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Opens a database for the tests of a file, and closes it after them. The result returns it in a test. */
export function useDuckDb(statements: readonly string[]): () => TestDatabase {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await openDuckDb(statements);
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

/** A caller in no group. */
export const anyone: QueryCaller = {
  groups: [],
  roles: [],
  userAttributes: {},
  securityContext: {},
};

/** The present of planned queries. */
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
  return planQuery(normalized, { model, caller, dialect: duckdb, clock });
}

/** Plans a query and returns its rows. Numbers are numbers, times are text as DuckDB prints them. */
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
