// Kysely driver for SQLite with better-sqlite3: one connection for writes, and one for committed reads.
//
// Kysely's own dialect has one connection behind a mutex: each commit waits for the disk alone, reads wait for
// transactions, and each query is prepared again. Under the load of `npm run bench -- sessions`, by turns, it created
// 0.20 (known users) and 0.29 (new users) of the sessions of this driver, and answered 0.39 of the reads of a group. This
// driver without group commit: 0.24 and 0.30 of the sessions. Without statements that are prepared once: 0.52 and 0.45,
// and 0.30 of the reads. Without results kept until the next write: 0.77 of the reads, and each query of an embed session
// reads all dashboards that it may view, 18 ms for 100 of them.
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
import { GroupCommit } from "./group-commit.ts";
import { PreparingSqliteCompiler } from "./sqlite-compiler.ts";
import { Statements } from "./statements.ts";
import { setWriteCount } from "./write-count.ts";

/** The open connections to one database. Without a reader, reads and writes share one connection. */
export interface SqliteConnections {
  readonly writer: Sqlite.Database;
  readonly reader?: Sqlite.Database;
}

/** Creates the dialect over open connections and closes them when Kysely is destroyed. */
export function sqliteDialect({ writer, reader }: SqliteConnections): Dialect {
  const statements = new Statements(writer);
  const shared: DriverState = {
    writer: statements,
    reader: reader && new Statements(reader),
    groupCommit: new GroupCommit(statements),
  };
  return {
    createAdapter: () => {
      const adapter = new GroupCommitAdapter();
      setWriteCount(adapter, statements);
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
