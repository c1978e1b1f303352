// The statements of one SQLite connection, each prepared once.
import type Sqlite from "better-sqlite3";
import type { CompiledQuery, QueryResult } from "kysely";

/**
 * Maximum number of cached statements. Lists of values of different lengths have different texts, so the cache is emptied when it is full.
 */
const maxCachedStatements = 500;

/** Runs statements on an open database. */
export class Statements {
  readonly #database: Sqlite.Database;
  readonly #prepared = new Map<string, Sqlite.Statement>();
  /** Grows with each statement that can change the visible data, including a commit. */
  writes = 0;

  constructor(database: Sqlite.Database) {
    this.#database = database;
  }

  /** True inside a transaction. */
  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** Returns true for a statement that changes nothing. */
  isReadOnly(text: string): boolean {
    return this.#prepare(text).readonly;
  }

  /** Runs a statement without parameters and rows. */
  run(text: string): void {
    this.#prepare(text).run();
    this.writes++;
  }

  /** Runs a query and returns its rows, or the number of changes. */
  execute<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const statement = this.#prepare(sql);
    if (!statement.readonly) this.writes++;
    if (statement.reader) return { rows: statement.all(parameters) as Row[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return {
      rows: [],
      numAffectedRows: BigInt(changes),
      insertId: BigInt(lastInsertRowid),
    };
  }

  close(): void {
    this.#database.close();
  }

  #prepare(text: string): Sqlite.Statement {
    const known = this.#prepared.get(text);
    if (known) return known;
    if (this.#prepared.size >= maxCachedStatements) this.#prepared.clear();
    const statement = this.#database.prepare(text);
    this.#prepared.set(text, statement);
    return statement;
  }
}
