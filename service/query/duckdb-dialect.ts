// The SQL of queries on DuckDB.
import { type Dialect, isNotDistinct, timeLiteral } from "./dialect.ts";
import { postgres } from "./postgres-dialect.ts";
import { bind, raw, sql } from "./sql-fragments.ts";

const { inByteOrder: _, ...shared } = postgres;

/** DuckDB, which has most from PostgreSQL. */
export const duckdb: Dialect = {
  ...shared,
  looksUpKeys: false,
  name: "duckdb",
  types: { ...shared.types, text: "VARCHAR", wholeNumber: "HUGEINT" },
  isSame: isNotDistinct,
  approximateDistinct: (expression) => sql`approx_count_distinct(${expression})`,
  bucketSeconds: (time, seconds, origin) =>
    sql`time_bucket(to_seconds(CAST(${bind(seconds)} AS BIGINT)), ${time}, ${timeLiteral(origin, shared)})`,
  // DuckDB never moves an expression that can fail below a condition.
  fence: [],
  joinFence: raw(" OFFSET 0"),
};

/** DuckDB with rows of another database. Throws `invalid` for queries that order text, or match parts of it. */
export const duckdbOfOthers: Dialect = { ...duckdb, isTextOpaque: true };
