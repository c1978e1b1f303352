// Kysely's driver for SQLite through better-sqlite3: one connection that writes, and one that reads what is committed.
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
import { GroupCommit } from "./group-commit.ts";
import { Statements } from "./statements.ts";

/** The open connections to one database; without one that only reads, reading takes turns with writing. */
export interface SqliteConnections {
  readonly writer: Sqlite.Database;
  readonly reader?: Sqlite.Database;
}

/** The dialect over open connections, which it closes when Kysely is destroyed. */
export function sqliteDialect({ writer, reader }: SqliteConnections): Dialect {
  const statements = new Statements(writer);
  const shared: DriverState = {
    writer: statements,
    reader: reader && new Statements(reader),
    groupCommit: new GroupCommit(statements),
  };
  return {
    createAdapter: () => new MultiConnectionAdapter(),
    createDriver: () => new SqliteDriver(shared),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

interface DriverState {
  readonly writer: Statements;
  readonly reader: Statements | undefined;
  readonly groupCommit: GroupCommit;
}

/** Kysely would let one at a time in; whose turn it is, is ours to say. */
class MultiConnectionAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** What Kysely takes for a connection is only somebody who may have a turn. */
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

  /** Also called where the commit failed, after which there is nothing left to undo. */
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

  // oxlint-disable-next-line require-yield -- the interface asks for it; nothing here reads row by row
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error("streaming is not supported on SQLite");
  }
}
