// Opens a server's PostgreSQL database, and in it the schemas of accounts: bounded waits, and one replica at a time brings one up to date.
import { Kysely } from "kysely";
import type { PoolClient } from "pg";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { migrate } from "./migrate.ts";
import { defaultSchema, type OpenStore, type Stores, type StoreOptions } from "./stores.ts";
import { type Fence, lockKey, postgresDialect, rowsOf } from "./postgres-dialect.ts";
import type { Tables } from "./schema.ts";
import { type OnStatement, statementTimer } from "./timing.ts";
import { toStoreFailure } from "./transaction.ts";

/**
 * The stores of a database. Fails with `usage` for a URL that is none and for a database that cannot hold every text,
 * `unavailable` where it does not answer.
 */
export async function openPostgres(
  url: string,
  { onStatement, application = "svc" }: StoreOptions = {},
): Promise<Stores> {
  const connections = new ConnectionPool(withSettings(url), application);
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
    open: ({ schema = defaultSchema }) => openSchema(connections, schema, onStatement),
    close: () => connections.end(),
  };
}

async function openSchema(
  connections: ConnectionPool,
  schema: string,
  onStatement: OnStatement | undefined,
): Promise<OpenStore> {
  if (!/^[a-z_][a-z0-9_]{0,44}$/.test(schema)) {
    throw new Failure("usage", `${JSON.stringify(schema)} cannot be a schema's name`, {
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
    close: () => db.destroy(),
  };
}

/** The URL with what holds for every connection: no tables before a schema is named, and how long anything may take. */
function withSettings(text: string): string {
  const url = URL.parse(text);
  if (!url) {
    // The text may hold a password, so it is not shown, and neither is an error that knows it.
    throw new Failure("usage", "the address of the database is not a URL", {
      remedy: "Write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters as %XX.",
    });
  }
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
  // Parameters that are added by name spell a space as a plus, which libpq's URLs do not.
  const options = encodeURIComponent([theirs, ...ours].join(" ").trim());
  return `${url.href}${url.search === "" ? "?" : "&"}options=${options}`;
}

/** Runs `work` while no other replica does the same. */
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
      // A connection that is gone has let go of it.
      await client.query(`select pg_advisory_unlock(${key})`).catch(() => undefined);
    }
  });
}

/** Searches ignore case beyond ASCII, and names may hold any character. */
async function requireUnicodeDatabase(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ encoding: string; lower: string | null }>(
    `select current_setting('server_encoding') as encoding,
      case when current_setting('server_encoding') = 'UTF8' then lower('Ä') end as lower`,
  );
  const [found] = rows;
  if (found?.encoding === "UTF8" && found.lower === "ä") return;
  const why =
    found?.encoding === "UTF8" ? "its locale knows ASCII only" : `it is ${found?.encoding}`;
  throw new Failure("usage", `the database cannot hold and compare every text: ${why}`, {
    remedy: "Create it with ENCODING 'UTF8' LC_CTYPE 'C.UTF-8' TEMPLATE template0.",
  });
}

function openFailure(error: unknown): unknown {
  const failure = toStoreFailure(error);
  if (failure instanceof Failure && failure.code !== "unavailable") return failure;
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  if (error instanceof Failure || !isAccessError(error)) {
    return failure instanceof Failure
      ? new Failure("unavailable", `the database does not answer${code}`, {
          cause: error,
          remedy: "Check its address, and that it runs and takes connections.",
        })
      : failure;
  }
  return new Failure("unavailable", `the database refuses this server${code}: ${error.message}`, {
    cause: error,
    remedy: "Check user, password and database of its address, and the right to create a schema.",
  });
}

/** True for errors about who may do what: 28 is authorisation, 3D an unknown database, 42501 a missing right. */
function isAccessError(error: unknown): error is Error {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return /^(?:28...|3D000|42501)$/.test(String(error.code));
}
