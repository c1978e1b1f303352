// The statements of one SQLite connection, each prepared once.
import type Sqlite from "better-sqlite3";
import type { CompiledQuery, QueryResult } from "kysely";

/** Prepared statements kept; lists of values make ever new texts, so the cache starts over when it is full. */
const maxCachedStatements = 500;

/** Runs statements on one open database. */
export class Statements {
  readonly #database: Sqlite.Database;
  readonly #prepared = new Map<string, Sqlite.Statement>();

  constructor(database: Sqlite.Database) {
    this.#database = database;
  }

  /** True between the beginning of a transaction and its end. */
  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** True for a statement that changes nothing. */
  isReadOnly(text: string): boolean {
    return this.#prepare(text).readonly;
  }

  /** Runs a statement that has neither parameters nor rows. */
  run(text: string): void {
    this.#prepare(text).run();
  }

  /** Runs a query and answers all its rows, or what it changed. */
  execute<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const statement = this.#prepare(sql);
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
