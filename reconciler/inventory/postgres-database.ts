// A connection pool to a database of inventories, or of another state.
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseError, Pool, type QueryResultRow } from "pg";
import { backoffMs } from "../../client/retry.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Secret } from "../../core/secret.ts";
import { tlsProblemOf, withCheckedTls } from "../../core/system/postgres-address.ts";

/** Codes of PostgreSQL for a connection that ended or is refused: 08 lost, 57P stopped or starting. */
const connectionCodes = /^(?:08...|57P0[123])$/;

/** Returns true if a statement failed because there is no connection, and not because of its text. */
function isConnectionLost(error: unknown): boolean {
  if (!isFailure(error, "unavailable")) return false;
  return !(error.cause instanceof DatabaseError) || connectionCodes.test(error.cause.code ?? "");
}

/** What a database is used for. */
export interface DatabaseUse {
  /** For messages: `the inventories`. */
  readonly holds: string;
  readonly connections: number;
  readonly statementMs: number;
  /** Whether a statement about tables that do not exist has no rows. Default: it fails. */
  readonly mayLackTables?: boolean;
}

/** A small connection pool. Calls fail with `forbidden` or `unavailable`. */
export class Database {
  /** Host and database, without credentials. */
  readonly name: string;
  readonly #pool: Pool;
  readonly #holds: string;
  readonly #mayLackTables: boolean;

  /** Connects on first use. Fails with `usage` for an address that is no URL. */
  constructor(
    url: Secret,
    { holds, connections, statementMs, mayLackTables = false }: DatabaseUse,
  ) {
    const address = URL.parse(url.reveal());
    if (!address || !/^postgres(?:ql)?:$/.test(address.protocol)) {
      // The URL may contain a password, so it is not shown.
      throw new Failure("usage", `the address of the database of ${holds} is not a URL`, {
        remedy:
          "Write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters as %XX.",
      });
    }
    this.#holds = holds;
    this.#mayLackTables = mayLackTables;
    this.name = `postgres://${address.host}${address.pathname}`;
    this.#pool = new Pool({
      connectionString: withCheckedTls(address).href,
      application_name: "svc",
      max: connections,
      connectionTimeoutMillis: limits.storeConnectMs,
      query_timeout: statementMs * 2,
      // Ends a statement, also one that waits for a lock, before its client gives up and repeats it.
      statement_timeout: statementMs,
      keepAlive: true,
      allowExitOnIdle: true,
    });
    // The pool replaces a broken idle connection on the next request.
    this.#pool.on("error", () => undefined);
  }

  /** Runs a statement. */
  async query<Row extends QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<readonly Row[]> {
    try {
      const { rows } = await this.#pool.query<Row>(text, values && [...values]);
      return rows ?? [];
    } catch (error) {
      const code = error instanceof DatabaseError ? error.code : undefined;
      if (code === "42P01" && this.#mayLackTables) return [];
      throw this.#failure(error, code);
    }
  }

  /** Runs a statement that has the same effect twice, again and again for as long as a database restarts. */
  async queryAgain<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.query<Row>(text, values);
      } catch (error) {
        if (attempt >= limits.restartAttempts || !isConnectionLost(error)) throw error;
      }
      const firstMs = limits.retryFirstMs;
      await sleep(backoffMs(attempt, undefined, { firstMs, chance: Math.random() }));
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #failure(cause: unknown, code: string | undefined): Failure {
    const refused = code !== undefined && /^(?:28|42501|3D000)/.test(code);
    const tls = tlsProblemOf(cause);
    const why =
      cause instanceof DatabaseError
        ? cause.message
        : (tls?.problem ?? "no connection could be made");
    return new Failure(
      refused ? "forbidden" : "unavailable",
      `${this.#holds} in ${this.name} cannot be used: ${why}`,
      {
        cause,
        details: { path: this.name, ...(code !== undefined && { code }) },
        remedy:
          tls?.remedy ?? "Check the address, the user's rights and that the database answers.",
      },
    );
  }
}
