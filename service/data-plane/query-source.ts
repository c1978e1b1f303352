// The databases that queries run on, and their results.
import type { QueryResult } from "../engine/engine.ts";
import type { RefreshedQuery, RefreshedResult } from "../engine/refreshed-results.ts";
import type { Dialect } from "../query/dialect.ts";
import type { RefreshCheck } from "../query/refresh.ts";
import type { Statement } from "../query/sql-fragments.ts";

/** A database that the cubes of a build read. */
export interface QuerySource {
  readonly dialect: Dialect;
  /** Returns the check of cubes of a statement that declare none. */
  readonly defaultCheck: (statement: Statement) => RefreshCheck;
  /** Runs a statement once for all requests that ask for it, and keeps its result until its data changes. */
  run(query: RefreshedQuery): Promise<RefreshedResult<DatedResult>>;
  /** Ends an answered request, so that the next one may run its statement again. */
  finish(query: RefreshedQuery): void;
}

/** A result, and the time at which it was computed. */
export interface DatedResult extends QueryResult {
  readonly at: string;
}
