// Opens a server's PostgreSQL database and the schemas of its accounts: waits are bounded, and one replica at a time
// migrates.
import { Kysely } from "kysely";
import type { PoolClient } from "pg";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { tlsProblemOf, withCheckedTls } from "../../core/system/postgres-address.ts";
import { ConnectionPool } from "./connection-pool.ts";
import type { LeaseHolders } from "./lease-holders.ts";
import { migrate } from "./migrate.ts";
import { postgresLeaseHolders } from "./postgres-lease-holders.ts";
import { defaultSchema, type OpenStore, type Stores, type StoreOptions } from "./stores.ts";
import { type Fence, lockKey, postgresDialect, rowsOf } from "./postgres-dialect.ts";
import type { Tables } from "./schema.ts";
import { type OnStatement, statementTimer } from "./timing.ts";
import { toStoreFailure } from "./transaction.ts";

/**
 * Opens the stores of a database. Throws `usage` for an invalid URL and for a database that cannot hold every text,
 * and `unavailable` if it does not answer.
 */
export async function openPostgres(
  url: string,
  { onStatement, application = "svc", connections: most }: StoreOptions = {},
): Promise<Stores> {
  const address = withSettings(url);
  const connections = new ConnectionPool(address, application, most);
  const leaseHolders = postgresLeaseHolders(address, application);
  try {
    await connections.withConnection(undefined, requireUnicodeDatabase);
  } catch (error) {
    await connections.end().catch(() => undefined);
    throw openFailure(error);
  }
  return {
    database: {
      query: async (text, values) =>
        rowsOf(
          await connections.withConnection(undefined, (client) => client.query(text, [...values])),
        ),
      withLock: (name, work) => withAdvisoryLock(connections, name, work),
    },
    open: ({ schema = defaultSchema }) =>
      openSchema(connections, schema, { onStatement, leaseHolders }),
    close: async () => {
      await leaseHolders.close();
      await connections.end();
    },
  };
}

async function openSchema(
  connections: ConnectionPool,
  schema: string,
  {
    onStatement,
    leaseHolders,
  }: { readonly onStatement: OnStatement | undefined; readonly leaseHolders: LeaseHolders },
): Promise<OpenStore> {
  if (!/^[a-z_][a-z0-9_]{0,44}$/.test(schema)) {
    throw new Failure("usage", `${JSON.stringify(schema)} is not a valid schema name`, {
      remedy: "Use at most 45 lowercase letters, digits and underscores.",
    });
  }
  const fence: Fence = { sealPrefix: undefined };
  const db = new Kysely<Tables>({
    dialect: postgresDialect(connections, schema, fence),
    ...statementTimer(onStatement),
  });
  try {
    await withAdvisoryLock(connections, `open ${schema}`, async (client) => {
      await client.query(`create schema if not exists ${schema}`);
      await migrate(db, "postgres", schema);
    });
  } catch (error) {
    await db.destroy();
    throw openFailure(error);
  }
  return {
    db,
    dialect: "postgres",
    fenceWrites: (sealPrefix) => void (fence.sealPrefix = sealPrefix),
    leaseHolders,
    close: () => db.destroy(),
  };
}

/** Returns the URL with the settings of every connection: an empty search path and time limits. */
function withSettings(text: string): string {
  const parsed = URL.parse(text);
  if (!parsed) {
    // The URL may contain a password, so neither it nor an error that contains it is shown.
    throw new Failure("usage", "the address of the database is not a valid URL", {
      remedy: "Write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters as %XX.",
    });
  }
  const url = withCheckedTls(parsed);
  const settings = {
    search_path: "pg_catalog",
    statement_timeout: limits.statementMs,
    lock_timeout: limits.writeWaitMs,
    idle_in_transaction_session_timeout: limits.statementMs,
    default_transaction_isolation: "read\\ committed",
    synchronous_commit: "on",
  };
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const theirs = url.searchParams.get("options") ?? "";
  url.searchParams.delete("options");
  // URLSearchParams encodes a space as a plus, which libpq does not decode.
  const options = encodeURIComponent([theirs, ...ours].join(" ").trim());
  return `${url.href}${url.search === "" ? "?" : "&"}options=${options}`;
}

/** Runs `work` while no other replica runs the same. */
function withAdvisoryLock(
  connections: ConnectionPool,
  name: string,
  work: (client: PoolClient) => Promise<void>,
): Promise<void> {
  const key = lockKey(name);
  return connections.withConnection(undefined, async (client) => {
    await client.query(`select pg_advisory_lock(${key})`);
    try {
      await work(client);
    } finally {
      // A closed connection has released the lock.
      await client.query(`select pg_advisory_unlock(${key})`).catch(() => undefined);
    }
  });
}

/** Throws unless the database holds every character and ignores case beyond ASCII. */
async function requireUnicodeDatabase(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ encoding: string; lower: string | null }>(
    `select current_setting('server_encoding') as encoding,
      case when current_setting('server_encoding') = 'UTF8' then lower('Ä') end as lower`,
  );
  const [found] = rows;
  if (found?.encoding === "UTF8" && found.lower === "ä") return;
  const why =
    found?.encoding === "UTF8"
      ? "its locale supports ASCII only"
      : `its encoding is ${found?.encoding}`;
  throw new Failure("usage", `the database cannot store and compare every text: ${why}`, {
    remedy: "Create it with ENCODING 'UTF8' LC_CTYPE 'C.UTF-8' TEMPLATE template0.",
  });
}

function openFailure(error: unknown): unknown {
  const tls = tlsProblemOf(error);
  if (tls !== undefined) {
    return new Failure("unavailable", `the database cannot be used: ${tls.problem}`, {
      cause: error,
      remedy: tls.remedy,
    });
  }
  const failure = toStoreFailure(error);
  if (failure instanceof Failure && failure.code !== "unavailable") return failure;
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  if (error instanceof Failure || !isAccessError(error)) {
    return failure instanceof Failure
      ? new Failure("unavailable", `the database does not answer${code}`, {
          cause: error,
          remedy: "Check its address, and that it is running and accepts connections.",
        })
      : failure;
  }
  return new Failure("unavailable", `the database rejects this server${code}: ${error.message}`, {
    cause: error,
    remedy:
      "Check the user, password and database in its address, and the right to create a schema.",
  });
}

/** Returns true for authorization errors: 28 is authentication, 3D an unknown database, 42501 a missing privilege. */
function isAccessError(error: unknown): error is Error {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return /^(?:28...|3D000|42501)$/.test(String(error.code));
}
