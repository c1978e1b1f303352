// Prints queries for SQLite so that it prepares each of them only once.
import { SqliteQueryCompiler } from "kysely";

/**
 * Prints parameters as `likely(?)`, which SQLite computes as `?`. The planner of SQLite looks at the value of a bare `?` in a
 * comparison or a limit, and parses and plans the statement again before each run, in case that another value gets a better
 * plan. That took most of the time of a read. There is no option against it in better-sqlite3. What the planner could do
 * only with the value needs a literal in the query: partial indexes, and a range of an index for `like` and `glob`.
 */
export class PreparingSqliteCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return "likely(?)";
  }
}
