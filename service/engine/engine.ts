// What runs the SQL of planned queries. DuckDB is one; another database implements the same interface.
import type { Statement } from "../query/sql.ts";

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
  /** Runs one statement that reads. Throws `invalid` with the database's message, `timeout` and `limit_reached`. */
  run(statement: Statement): Promise<QueryResult>;
  /** Closes the database when its last statement has ended. */
  close(): Promise<void>;
}
