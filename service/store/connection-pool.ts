// The connections of one server to its PostgreSQL database: a bounded number that all accounts share, each set to the schema
// of whoever uses it.
import { DatabaseError, Pool, type PoolClient, types } from "pg";
import { limits } from "../../core/limits.ts";
import { Semaphore } from "./semaphore.ts";

/** Connections that are taken to ask something and given back. */
export class ConnectionPool {
  /** Turns at the connections that may write, over all accounts: those that wait for a lock leave some to readers. */
  readonly writers = new Semaphore(limits.storeConnections - limits.storeReaders);
  readonly #pool: Pool;
  /** The schema that a connection was last set to. */
  readonly #schemas = new WeakMap<PoolClient, string>();

  /** None is opened before it is needed; the database shows them as those of `application`. */
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
          // Counts are whole numbers of 64 bits, which would come as text.
          oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format),
      },
    });
    // One that breaks while nobody uses it is replaced with the next request.
    this.#pool.on("error", () => undefined);
    // One that breaks between two statements of somebody tells that with the next; untold, it would end the process.
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
  }

  /** Takes one whose tables are those of `schema`; whoever takes it gives it back with `release`. */
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

  /** Lends one while `work` runs; where it names no schema, `work` has to. */
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
      // What the database itself refused leaves the connection whole, unless it ended it with that.
      broken = !(error instanceof DatabaseError) || error.severity !== "ERROR";
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Ends all of them. */
  async end(): Promise<void> {
    await this.#pool.end();
  }
}
