// The interface of databases that run the SQL of planned queries, such as DuckDB.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { slowQueryText } from "../../core/text/slow-query.ts";
import type { Statement } from "../query/sql-fragments.ts";

/** A value of a result. Numbers that a double cannot hold are text, and so are times. */
export type ResultValue = string | number | boolean | null;

/** Rows in the order of the columns of the statement. */
export type ResultRows = readonly (readonly ResultValue[])[];

/** The result of a statement. */
export interface QueryResult {
  readonly rows: ResultRows;
  /** Bytes of the rows as JSON. */
  readonly bytes: number;
}

/** A database that queries read. */
export interface QueryDatabase {
  /**
   * Runs one statement that reads. Throws `invalid` with the database's message, `timeout`, `limit_reached`, and
   * `aborted` once the signal is.
   */
  run(statement: Statement, signal: AbortSignal): Promise<QueryResult>;
  /** Closes the database when its last statement has ended. */
  close(): Promise<void>;
}

/** Limits of a database, for tests. */
export interface DatabaseLimits {
  readonly queryMs: number;
  readonly queryMegabytes: number;
}

/** Returns the failure of a query that took too long. */
export function tooLongFailure(queryMs: number, cause: unknown): Failure {
  const text = `${slowQueryText} ${queryMs / 1000} seconds; filter or group more`;
  return new Failure("timeout", text, { cause });
}

/** Returns the failure of a query whose result is too large. */
export function tooLargeFailure(): Failure {
  return new Failure(
    "limit_reached",
    `the result has more than ${limits.queryResultBytes} bytes; use a smaller limit or fewer members`,
  );
}

/** Returns the failure of a query that no request waits for any more. */
export function canceledFailure(): Failure {
  return new Failure("aborted", "the query was canceled, because no request asked for it any more");
}

/** The failure to open the file of a rollup. */
export const unreadableRows = "the file of its rows cannot be read";
