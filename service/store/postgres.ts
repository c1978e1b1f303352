// Opens an account's schema of a PostgreSQL database: bounded connections and waits, and one replica at a time brings it up to date.
import { Kysely } from "kysely";
import { Pool, type PoolClient, types } from "pg";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { migrate } from "./migrate.ts";
import type { OpenStore } from "./open.ts";
import { lockKey, postgresDialect } from "./postgres-dialect.ts";
import type { Tables } from "./schema.ts";
import { type OnStatement, timed } from "./timing.ts";
import { storeFailure } from "./transaction.ts";

/**
 * Opens the account in this schema, made where it is missing. Fails with `usage` for a URL or schema that is none and for a
 * database that cannot hold every text, `unavailable` where it does not answer.
 */
export async function openPostgres(
  url: string,
  schema: string,
  onStatement?: OnStatement,
): Promise<OpenStore> {
  if (!/^[a-z_][a-z0-9_]{0,44}$/.test(schema)) {
    throw new Failure("usage", `${JSON.stringify(schema)} cannot be a schema's name`, {
      remedy: "Use at most 45 lowercase letters, digits and underscores.",
    });
  }
  const pool = new Pool({
    connectionString: withSettings(url, schema),
    application_name: "svc",
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
  pool.on("error", () => undefined);
  const db = new Kysely<Tables>({
    dialect: postgresDialect(pool, schema),
    ...timed(onStatement),
  });
  try {
    await aloneIn(pool, schema, async (client) => {
      await refuseUnfit(client);
      await client.query(`create schema if not exists ${schema}`);
      await migrate(db, "postgres", schema);
    });
    return {
      db,
      dialect: "postgres",
      schema,
      alone: (work) => aloneIn(pool, schema, work),
      close: () => db.destroy(),
    };
  } catch (error) {
    await pool.end().catch(() => undefined);
    throw openFailure(error);
  }
}

/** The URL with what holds for every connection: where tables are looked for, and how long anything may take. */
function withSettings(text: string, schema: string): string {
  const url = URL.parse(text);
  if (!url) {
    // The text may hold a password, so it is not shown, and neither is an error that knows it.
    throw new Failure("usage", "the address of the database is not a URL", {
      remedy: "Write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters as %XX.",
    });
  }
  const settings = {
    search_path: schema,
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
async function aloneIn(
  pool: Pool,
  schema: string,
  work: (client: PoolClient) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  const key = lockKey(`open ${schema}`);
  let broken: Error | undefined;
  try {
    await client.query(`select pg_advisory_lock(${key})`);
    await work(client);
    await client.query(`select pg_advisory_unlock(${key})`);
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    // A connection that ends lets go of its locks.
    client.release(broken);
  }
}

/** Searches ignore case beyond ASCII, and names may hold any character. */
async function refuseUnfit(client: PoolClient): Promise<void> {
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
  const failure = storeFailure(error);
  if (failure instanceof Failure && failure.code !== "unavailable") return failure;
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  if (error instanceof Failure || !isAnswer(error)) {
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
function isAnswer(error: unknown): error is Error {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return /^(?:28...|3D000|42501)$/.test(String(error.code));
}
