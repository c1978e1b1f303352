// Kysely's driver for PostgreSQL: reads take any connection of the pool, writes of one account take turns across all replicas.
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
import { limits } from "../../core/limits.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { unknownOutcome } from "./transaction.ts";
import { Semaphore } from "./semaphore.ts";

/** Transactions of one account and process at a time: one that works, and one that waits in the database to work next. */
const maxConcurrentWriters = 2;

/** What stands before every write, once it is known. */
export interface Fence {
  /** How everything begins that is sealed under the key that this process knows the account by. */
  sealPrefix: string | undefined;
}

/** The dialect over connections that others use as well, for one account's schema. */
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
 * Begins a transaction and waits for the account's turn, in one message. What comes after is READ COMMITTED: each statement
 * sees all that was committed before the turn, and nobody else writes meanwhile.
 */
function beginStatement(schema: string): string {
  return `begin; select pg_advisory_xact_lock(${lockKey(`write ${schema}`)})`;
}

/** In the message of the beginning: no further round trip, and asked once the turn has come. */
const sealPrefixQuery = "; select seal_prefix from account";

function requireCurrentKey(answer: PgResult | readonly PgResult[], sealPrefix: string): void {
  const [account] = rowsOf(answer) as { seal_prefix: string | null }[];
  if (account?.seal_prefix === sealPrefix) return;
  throw new Failure(
    "unavailable",
    "the account's secret key was changed since this server started",
    {
      remedy: "Start the server again with the key file that was changed.",
    },
  );
}

/**
 * What migrations ask before they begin: which tables there are. Only of the account's own schema, however many others lie
 * beside it, and however busily they come and go.
 */
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

/** The number of an advisory lock of ours. */
export function lockKey(name: string): bigint {
  return createHash("sha256").update(`svc ${name}`).digest().readBigInt64BE();
}

/** A connection is taken when something is to be asked, and for a transaction only when its turn has come. */
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

  /** The connections are not the account's alone. */
  async destroy(): Promise<void> {}
}

class PostgresConnection implements DatabaseConnection {
  readonly #shared: DriverState;
  #client: PoolClient | undefined;
  /** What is open may have changed something. */
  #isWriteTransaction = false;
  /** Lets go of the turns that a transaction holds. */
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

  /** A snapshot: it waits for nobody, and nobody for it. */
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
   * Also called after a commit that failed, when there is nothing left to undo. Fails with `unknown_outcome` where nobody
   * can say whether what was written was committed.
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
      // What is not undone now is undone when the connection ends; why it was to be undone is told already.
      if (how === "rollback") return;
      throw this.#isWriteTransaction && !isDefiniteFailure(error) ? unknownOutcome(error) : error;
    } finally {
      this.#client = undefined;
      // A connection that may still be in a transaction is not used again.
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

  // oxlint-disable-next-line require-yield -- the interface asks for it; nothing here reads row by row
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error("streaming is not supported on PostgreSQL");
  }
}

/**
 * True where a commit was certainly not carried out: the database itself says so, or was never asked. What ends a
 * connection (08, 57, 58, XX) may come in the place of the answer to a commit that was, and 40003 says as much.
 */
function isDefiniteFailure(error: unknown): boolean {
  if (!(error instanceof DatabaseError))
    return error instanceof Error && notSentPattern.test(error.message);
  return !/^(?:08|40003|57|58|XX)/.test(error.code ?? "XX");
}

/** What pg says where it knows before it sends anything that the connection is gone. */
const notSentPattern = /is not queryable$/;

/** What the database answered; the last answer where one text held several statements. */
function toQueryResult<Row>(answer: PgResult | readonly PgResult[]): QueryResult<Row> {
  const last = lastResult(answer);
  if (last === undefined) return { rows: [] };
  const { command, rowCount, rows } = last;
  const changes = /^(?:INSERT|UPDATE|DELETE|MERGE)$/.test(command) && rowCount !== null;
  const found = rows as Row[];
  return changes ? { rows: found, numAffectedRows: BigInt(rowCount) } : { rows: found };
}

/** The rows of the last statement of a text. */
export function rowsOf(answer: PgResult | readonly PgResult[]): readonly object[] {
  return (lastResult(answer)?.rows ?? []) as object[];
}

function lastResult(answer: PgResult | readonly PgResult[]): PgResult | undefined {
  return Array.isArray(answer) ? answer.at(-1) : (answer as PgResult);
}
