// The connection pool of one server to its PostgreSQL database, shared by all accounts; each use sets its schema.
import { DatabaseError, Pool, type PoolClient, types } from "pg";
import { limits } from "../../core/limits/limits.ts";
import { Semaphore } from "./semaphore.ts";

/** A bounded pool of connections. */
export class ConnectionPool {
  /**
   * Limits connections that may write, over all accounts, so that writers waiting for a lock leave connections to
   * readers.
   */
  readonly writers = new Semaphore(limits.storeConnections - limits.storeReaders);
  readonly #pool: Pool;
  /** The schema that a connection is set to. */
  readonly #schemas = new WeakMap<PoolClient, string>();

  /** Creates the pool; connections open on demand. `application` is their name in the database. */
  constructor(url: string, application: string) {
    this.#pool = new Pool({
      connectionString: url,
      application_name: application,
      max: limits.storeConnections,
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
    const client = await this.#pool.connect();
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
    const client = await (schema === undefined ? this.#pool.connect() : this.acquire(schema));
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

  /** Closes all connections. */
  async end(): Promise<void> {
    await this.#pool.end();
  }
}
