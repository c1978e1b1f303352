// Kysely driver for SQLite with better-sqlite3: one connection for writes, and one for committed reads.
import type Sqlite from "better-sqlite3";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from "kysely";
import { setDirectRead } from "./direct-reads.ts";
import { GroupCommit } from "./group-commit.ts";
import { PreparingSqliteCompiler } from "./sqlite-compiler.ts";
import { Statements } from "./statements.ts";
import { type OnStatement, timeRead } from "./timing.ts";
import { setWriteCount } from "./write-count.ts";

/** The open connections to one database. Without a reader, reads and writes share one connection. */
export interface SqliteConnections {
  readonly writer: Sqlite.Database;
  readonly reader?: Sqlite.Database;
}

/** Creates the dialect over open connections and closes them when Kysely is destroyed. */
export function sqliteDialect(
  { writer, reader }: SqliteConnections,
  onStatement?: OnStatement,
): Dialect {
  const statements = new Statements(writer);
  const committed = reader && new Statements(reader);
  const shared: DriverState = {
    writer: statements,
    reader: committed,
    groupCommit: new GroupCommit(statements),
  };
  return {
    createAdapter: () => {
      const adapter = new GroupCommitAdapter();
      setWriteCount(adapter, statements);
      if (committed)
        setDirectRead(
          adapter,
          timeRead((query) => committed.read(query), onStatement),
        );
      return adapter;
    },
    createDriver: () => new SqliteDriver(shared),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new PreparingSqliteCompiler(),
  };
}

interface DriverState {
  readonly writer: Statements;
  readonly reader: Statements | undefined;
  readonly groupCommit: GroupCommit;
}

/** Replaces Kysely's mutex, since GroupCommit decides whose turn it is, and runs migrations in one transaction. */
class GroupCommitAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** SQLite also rolls back changes of tables, so a start that is interrupted during its migrations can be repeated. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** A connection for Kysely is only a client of the shared connections. */
class SqliteDriver implements Driver {
  readonly #shared: DriverState;

  constructor(shared: DriverState) {
    this.#shared = shared;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#shared);
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await this.#shared.groupCommit.begin();
    connection.inTransaction = true;
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    connection.inTransaction = false;
    await this.#shared.groupCommit.commit();
  }

  /** Rolls back. Also called after a failed commit, when nothing is left to roll back. */
  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    if (!connection.inTransaction) return;
    connection.inTransaction = false;
    await this.#shared.groupCommit.rollback();
  }

  async destroy(): Promise<void> {
    const { groupCommit: turns, writer, reader } = this.#shared;
    await turns.runExclusive(() => {
      reader?.close();
      writer.close();
    });
  }
}

class SqliteConnection implements DatabaseConnection {
  inTransaction = false;
  readonly #shared: DriverState;

  constructor(shared: DriverState) {
    this.#shared = shared;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { writer, reader, groupCommit: turns } = this.#shared;
    if (this.inTransaction) return writer.execute(query);
    if (reader?.isReadOnly(query.sql)) return reader.execute(query);
    return turns.runExclusive(() => writer.execute<Row>(query));
  }

  // oxlint-disable-next-line require-yield -- the interface requires it; this driver does not read row by row
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error("streaming is not supported on SQLite");
  }
}
