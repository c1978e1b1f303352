// Kysely's driver for SQLite through better-sqlite3: one connection, taken in turn, each statement prepared once.
import type Sqlite from "better-sqlite3";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";

/** Prepared statements kept; lists of values make ever new texts, so the cache starts over when it is full. */
const statementsMax = 500;

/** The dialect over one open database, which it closes when Kysely is destroyed. */
export function sqliteDialect(database: Sqlite.Database): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(database),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Hands out the only connection to one user at a time: whoever reads waits for an open transaction. */
class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #database: Sqlite.Database;
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  constructor(database: Sqlite.Database) {
    this.#database = database;
    this.#connection = new SqliteConnection(database);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken = false;
  }

  async beginTransaction(): Promise<void> {
    this.#connection.run("begin immediate");
  }

  async commitTransaction(): Promise<void> {
    this.#connection.run("commit");
  }

  async rollbackTransaction(): Promise<void> {
    if (this.#database.inTransaction) this.#connection.run("rollback");
  }

  async destroy(): Promise<void> {
    this.#database.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: Sqlite.Database;
  readonly #statements = new Map<string, Sqlite.Statement>();

  constructor(database: Sqlite.Database) {
    this.#database = database;
  }

  /** Runs a statement that has neither parameters nor rows. */
  run(text: string): void {
    this.#prepare(text).run();
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.#prepare(sql);
    if (statement.reader) return { rows: statement.all(parameters) as Row[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return {
      rows: [],
      numAffectedRows: BigInt(changes),
      insertId: BigInt(lastInsertRowid),
    };
  }

  // oxlint-disable-next-line require-yield -- the interface asks for it; nothing here reads row by row
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error("streaming is not supported on SQLite");
  }

  #prepare(text: string): Sqlite.Statement {
    const known = this.#statements.get(text);
    if (known) return known;
    if (this.#statements.size >= statementsMax) this.#statements.clear();
    const statement = this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}
