// Prints queries for SQLite so that it prepares each of them only once.
import { SqliteQueryCompiler } from "kysely";

/**
 * Prints parameters as `likely(?)`, which SQLite computes as `?`. The planner of SQLite looks at the value of a bare
 * `?` in a comparison or a limit, and parses and plans the statement again before each run, in case another value gets
 * a better plan. This took most of the time of a read, and better-sqlite3 has no option to disable it. Plans that
 * depend on the value need a literal in the query: partial indexes, and index ranges for `like` and `glob`.
 */
export class PreparingSqliteCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return "likely(?)";
  }
}
