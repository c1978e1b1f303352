// The connection pool of one server to its PostgreSQL database, shared by all accounts; each use sets its schema.
import { setTimeout as pause } from "node:timers/promises";
import { DatabaseError, Pool, type PoolClient, types } from "pg";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { Semaphore } from "./semaphore.ts";

/**
 * A bounded pool of connections. If the database accepts fewer than the pool may have, the others wait for those that it
 * has. After a while the pool tries to have more again.
 */
export class ConnectionPool {
  /**
   * Limits connections that may write, over all accounts, so that writers waiting for a lock leave connections to
   * readers.
   */
  readonly writers: Semaphore;
  readonly #pool: Pool;
  readonly #most: number;
  /** The most connections at the moment. */
  #bound: number;
  /** When the database last refused a connection, in monotonic milliseconds. */
  #refusedAt = 0;
  /** The schema that a connection is set to. */
  readonly #schemas = new WeakMap<PoolClient, string>();

  /** Creates the pool; at most `most` connections open on demand. `application` is their name in the database. */
  constructor(url: string, application: string, most: number = limits.storeConnections) {
    this.#most = most;
    this.#bound = most;
    this.writers = new Semaphore(writersAmong(most));
    this.#pool = new Pool({
      connectionString: url,
      application_name: application,
      max: most,
      connectionTimeoutMillis: limits.storeConnectMs,
      query_timeout: limits.statementMs * 2,
      keepAlive: true,
      types: {
        getTypeParser: (oid, format) =>
          // Counts are 64-bit integers, which the driver returns as text by default.
          oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format),
      },
    });
    // The pool replaces a connection that breaks while idle.
    this.#pool.on("error", () => undefined);
    // Handle errors between two statements: the next statement reports them, and an unhandled error event would end the
    // process.
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
  }

  /** Takes a connection set to `schema`. The caller returns it with `release`. */
  async acquire(schema: string): Promise<PoolClient> {
    const client = await this.#connect();
    if (this.#schemas.get(client) === schema) return client;
    try {
      await client.query(`set search_path to ${schema}`);
    } catch (error) {
      client.release(true);
      throw error;
    }
    this.#schemas.set(client, schema);
    return client;
  }

  /** Runs `work` with a connection. Without a schema, `work` must qualify its names. */
  async withConnection<T>(
    schema: string | undefined,
    work: (client: PoolClient) => Promise<T>,
  ): Promise<T> {
    const client = await (schema === undefined ? this.#connect() : this.acquire(schema));
    let broken = true;
    try {
      const result = await work(client);
      broken = false;
      return result;
    } catch (error) {
      // An error from the database leaves the connection usable, unless the database closed it.
      broken = !(error instanceof DatabaseError) || error.severity !== "ERROR";
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Takes a connection, and waits for one while the database accepts no more. Throws `unavailable` with the cause. */
  async #connect(): Promise<PoolClient> {
    const started = performance.now();
    if (this.#bound < this.#most && started - this.#refusedAt > refusedMs) {
      this.#setBound(this.#most);
    }
    for (;;) {
      const isLate = performance.now() - started > limits.storeConnectMs;
      try {
        return await this.#pool.connect();
      } catch (cause) {
        if (isTimeout(cause) && this.#pool.totalCount >= this.#bound)
          throw busyFailure(this.#bound, cause);
        if (!isRefusal(cause)) throw cause;
        if (isLate) throw refusedFailure(cause);
        this.#refusedAt = performance.now();
        // Without a connection of its own there is nothing to wait for: others have all.
        if (this.#pool.totalCount === 0) await pause(refusedPauseMs);
        else this.#setBound(Math.min(this.#bound, this.#pool.totalCount));
      }
    }
  }

  #setBound(bound: number): void {
    this.writers.resize(writersAmong(bound) - writersAmong(this.#bound));
    this.#bound = bound;
    this.#pool.options.max = bound;
  }

  /** Closes all connections. */
  async end(): Promise<void> {
    await this.#pool.end();
  }
}

/** Time after which a pool that was refused a connection tries to have more again, in milliseconds. */
const refusedMs = 60_000;

/** Pause between attempts while others have all connections, in milliseconds. */
const refusedPauseMs = 100;

/** Returns how many of the connections may write. */
function writersAmong(connections: number): number {
  const readers = Math.min(limits.storeReaders, Math.ceil(connections * 0.3));
  return Math.max(1, connections - readers);
}

/** Returns whether the database refused a connection because it, the database or the role has too many. */
function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "53300";
}

function isTimeout(error: unknown): boolean {
  const text = "timeout exceeded when trying to connect";
  return error instanceof Error && error.message.startsWith(text);
}

function busyFailure(count: number, cause: unknown): Failure {
  const message = `all ${count} connections to PostgreSQL are in use; try again`;
  return new Failure("unavailable", message, { cause, retryAfter: 1 });
}

function refusedFailure(cause: unknown): Failure {
  const message =
    "PostgreSQL accepts no more connections of this role; raise its limit, or start each server with fewer --database-connections";
  return new Failure("unavailable", message, { cause, retryAfter: 1 });
}
