// Kysely driver for PostgreSQL: reads use any connection of the pool; writes of one account are serialized across
// replicas. Kysely's own driver does not do that: see PostgresDriver.
import { createHash } from "node:crypto";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
  type TransactionSettings,
} from "kysely";
import { DatabaseError, type PoolClient, type QueryResult as PgResult } from "pg";
import { Failure, invariant } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { unknownOutcome } from "./transaction.ts";
import { Semaphore } from "./semaphore.ts";

/** Transactions of one account in this process: one that runs, and one that waits for the lock in the database. */
const maxConcurrentWriters = 2;

/** The check before every write, once its value is known. */
export interface Fence {
  /** The prefix of values encrypted under the key that this process has for the account. */
  sealPrefix: string | undefined;
}

/** Creates the dialect for one account's schema on a shared pool. */
export function postgresDialect(
  connections: ConnectionPool,
  schema: string,
  fence: Fence,
): Dialect {
  const begin = beginStatement(schema);
  const shared: DriverState = {
    connections,
    schema,
    writeSemaphore: new Semaphore(maxConcurrentWriters),
    begin,
    fence,
  };
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(shared),
    createIntrospector: (db) => introspector(db, schema),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

interface DriverState {
  readonly connections: ConnectionPool;
  readonly schema: string;
  readonly writeSemaphore: Semaphore;
  readonly begin: string;
  readonly fence: Fence;
}

/**
 * Begins a transaction and waits for the account's lock, in one message. The transaction is READ COMMITTED: each
 * statement sees everything committed before it got the lock, and no other transaction writes meanwhile.
 */
function beginStatement(schema: string): string {
  return `begin; select pg_advisory_xact_lock(${lockKey(`write ${schema}`)})`;
}

/** Sent with the begin message: no extra round trip, and evaluated after the lock is taken. */
const sealPrefixQuery = "; select seal_prefix from account";

function requireCurrentKey(answer: PgResult | readonly PgResult[], sealPrefix: string): void {
  const [account] = rowsOf(answer) as { seal_prefix: string | null }[];
  if (account?.seal_prefix === sealPrefix) return;
  throw new Failure(
    "unavailable",
    "the account's secret key was rotated since this server started",
    {
      remedy: "Restart the server with the new key file.",
    },
  );
}

/** Lists the tables for migrations: only tables of the account's schema, regardless of other schemas. */
function introspector(db: Kysely<unknown>, schema: string): DatabaseIntrospector {
  return {
    getSchemas: async () => {
      const found = sql<{ name: string }>`select nspname as name from pg_namespace
        where nspname = ${schema}`;
      return (await found.execute(db)).rows;
    },
    getTables: async () => {
      const found = sql<{ name: string }>`select relname as name from pg_class
        where relnamespace = (select oid from pg_namespace where nspname = ${schema}) and relkind = 'r'`;
      const { rows } = await found.execute(db);
      return rows.map(({ name }) => ({
        name,
        schema,
        isView: false,
        isForeign: false,
        columns: [],
      }));
    },
  };
}

/** Returns the number of an advisory lock. */
export function lockKey(name: string): bigint {
  return createHash("sha256").update(`svc ${name}`).digest().readBigInt64BE();
}

/**
 * Acquires a connection on first use. Replaces Kysely's driver, which lacks the following rules for safe writes. A
 * transaction waits for its turn before it takes a connection, so that waiting writers leave connections to readers;
 * takes the account's lock in the message that begins it, without a round trip; fails if PostgreSQL answers a commit
 * with ROLLBACK; reports a commit without an answer as an unknown outcome; and discards a connection that may be in a
 * transaction.
 */
class PostgresDriver implements Driver {
  readonly #shared: DriverState;

  constructor(shared: DriverState) {
    this.#shared = shared;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    return new PostgresConnection(this.#shared);
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(
    connection: PostgresConnection,
    { accessMode }: TransactionSettings,
  ): Promise<void> {
    await (accessMode === "read only" ? connection.beginReadOnly() : connection.begin());
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    await connection.end("commit");
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    await connection.end("rollback");
  }

  /** Does not close the pool, because it is shared. */
  async destroy(): Promise<void> {}
}

class PostgresConnection implements DatabaseConnection {
  readonly #shared: DriverState;
  #client: PoolClient | undefined;
  /** An open transaction may have written. */
  #isWriteTransaction = false;
  /** Releases the semaphores of a transaction. */
  #releaseSlots = (): void => undefined;

  constructor(shared: DriverState) {
    this.#shared = shared;
  }

  async begin(): Promise<void> {
    const { writeSemaphore: turns, connections, schema, begin, fence } = this.#shared;
    await turns.acquire(limits.writeWaitMs);
    let writes = false;
    try {
      await connections.writers.acquire(limits.writeWaitMs);
      writes = true;
      this.#client = await connections.acquire(schema);
      this.#isWriteTransaction = true;
      this.#releaseSlots = () => {
        connections.writers.release();
        turns.release();
      };
    } catch (error) {
      if (writes) connections.writers.release();
      turns.release();
      throw error;
    }
    try {
      if (fence.sealPrefix === undefined) await this.#client.query(begin);
      else requireCurrentKey(await this.#client.query(begin + sealPrefixQuery), fence.sealPrefix);
    } catch (error) {
      await this.end("rollback");
      throw error;
    }
  }

  /** Begins a snapshot, which neither waits nor blocks. */
  async beginReadOnly(): Promise<void> {
    const { connections, schema } = this.#shared;
    this.#client = await connections.acquire(schema);
    this.#isWriteTransaction = false;
    this.#releaseSlots = () => undefined;
    try {
      await this.#client.query("begin isolation level repeatable read read only");
    } catch (error) {
      await this.end("rollback");
      throw error;
    }
  }

  /**
   * Rolls back. Also called after a failed commit, when nothing is left to roll back. Throws `unknown_outcome` if it
   * is uncertain whether the commit took effect.
   */
  async end(how: "commit" | "rollback"): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    let broken: Error | undefined;
    let command = "";
    try {
      ({ command } = await client.query(how));
    } catch (error) {
      broken = error instanceof Error ? error : new Error("a transaction did not end");
      // The database rolls back when the connection closes. The original error is already reported.
      if (how === "rollback") return;
      throw this.#isWriteTransaction && !isDefiniteFailure(error) ? unknownOutcome(error) : error;
    } finally {
      this.#client = undefined;
      // Discard a connection that may still be in a transaction.
      client.release(broken);
      this.#releaseSlots();
    }
    invariant(how === "rollback" || command === "COMMIT", "a failed transaction was committed");
  }

  async executeQuery<Row>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#client) return toQueryResult(await this.#client.query(text, [...parameters]));
    const { connections, schema } = this.#shared;
    return toQueryResult(
      await connections.withConnection(schema, (client) => client.query(text, [...parameters])),
    );
  }

  // oxlint-disable-next-line require-yield -- the interface requires it; this driver does not read row by row
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error("streaming is not supported on PostgreSQL");
  }
}

/**
 * Returns true if a commit certainly did not take effect: the database reported it, or never received it. Errors that
 * end a connection (08, 57, 58, XX) can replace the response of a successful commit, and 40003 states this explicitly.
 */
function isDefiniteFailure(error: unknown): boolean {
  if (!(error instanceof DatabaseError))
    return error instanceof Error && notSentPattern.test(error.message);
  return !/^(?:08|40003|57|58|XX)/.test(error.code ?? "XX");
}

/** Messages of pg if it knows before sending that the connection is closed. */
const notSentPattern = /is not queryable$/;

/** Returns the last result of a text with several statements. */
function toQueryResult<Row>(answer: PgResult | readonly PgResult[]): QueryResult<Row> {
  const last = lastResult(answer);
  if (last === undefined) return { rows: [] };
  const { command, rowCount, rows } = last;
  const changes = /^(?:INSERT|UPDATE|DELETE|MERGE)$/.test(command) && rowCount !== null;
  const found = rows as Row[];
  return changes ? { rows: found, numAffectedRows: BigInt(rowCount) } : { rows: found };
}

/** Returns the rows of the last statement of a text. */
export function rowsOf(answer: PgResult | readonly PgResult[]): readonly object[] {
  return (lastResult(answer)?.rows ?? []) as object[];
}

function lastResult(answer: PgResult | readonly PgResult[]): PgResult | undefined {
  return Array.isArray(answer) ? answer.at(-1) : (answer as PgResult);
}
