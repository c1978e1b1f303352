// Opens an account's SQLite database: durable, foreign keys on, one server at a time on a data folder.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { Kysely } from "kysely";
import { Failure } from "../../core/errors.ts";
import { makePrivateFolder } from "./private-files.ts";
import { type SqliteConnections, sqliteDialect } from "./sqlite-dialect.ts";
import { migrate } from "./migrate.ts";
import type { OpenStore } from "./stores.ts";
import type { Tables } from "./schema.ts";
import { type OnStatement, statementTimer } from "./timing.ts";

/** How long opening waits for another process that holds the file, such as a backup. */
const busyMs = 5000;

/**
 * Opens the store in the folder `data`, made where it is missing, or in memory for `:memory:`, and brings its tables up to
 * date. Fails with `locked` while another server uses the folder, and with `corrupt` for a file that is not ours.
 */
export async function openSqlite(data: string, onStatement?: OnStatement): Promise<OpenStore> {
  if (data === ":memory:") {
    return openStore({ writer: new Sqlite(":memory:") }, { release: () => {}, onStatement });
  }
  const release = lockFolder(data);
  try {
    const path = join(data, "account.db");
    const writer = new Sqlite(path, { timeout: busyMs });
    chmodSync(path, 0o600);
    const reader = new Sqlite(path, { timeout: busyMs });
    return await openStore({ writer, reader }, { release, onStatement });
  } catch (cause) {
    release();
    throw openFailure(cause, data);
  }
}

async function openStore(
  connections: SqliteConnections,
  { release, onStatement }: { release: () => void; onStatement: OnStatement | undefined },
): Promise<OpenStore> {
  const { writer, reader } = connections;
  try {
    configureConnection(writer);
    if (reader) configureConnection(reader).pragma("query_only = ON");
    const db = new Kysely<Tables>({
      dialect: sqliteDialect(connections),
      ...statementTimer(onStatement),
    });
    await migrate(db, "sqlite");
    // Waiting inside of SQLite stops the whole process; from now on writes wait outside of it.
    for (const connection of [writer, reader]) connection?.pragma("busy_timeout = 0");
    return {
      db,
      dialect: "sqlite",
      fenceWrites: () => undefined,
      close: async () => {
        await db.destroy();
        release();
      },
    };
  } catch (cause) {
    reader?.close();
    writer.close();
    throw cause;
  }
}

function configureConnection(database: Sqlite.Database): Sqlite.Database {
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  // The built-in one knows ASCII only, and searches compare in lower case.
  return database.function("lower", { deterministic: true }, (text) =>
    typeof text === "string" ? text.toLowerCase() : text,
  );
}

/**
 * Takes the folder for this process with an exclusive lock of the operating system on a file, which a crash lets go of.
 * Returns what lets go of it.
 */
export function lockFolder(data: string): () => void {
  let lock: Sqlite.Database | undefined;
  try {
    makePrivateFolder(data);
    lock = new Sqlite(join(data, "lock.db"), { timeout: 0 });
    chmodSync(join(data, "lock.db"), 0o600);
    lock.exec("begin exclusive");
  } catch (cause) {
    lock?.close();
    if (isSqlite(cause, "SQLITE_BUSY")) {
      throw new Failure("locked", `another server is using the data folder ${data}`, {
        cause,
        remedy: "Stop it first, or give this one a folder of its own.",
      });
    }
    throw openFailure(cause, data);
  }
  const held = lock;
  return () => held.close();
}

function openFailure(cause: unknown, data: string): unknown {
  if (cause instanceof Failure) return cause;
  if (isSqlite(cause, "SQLITE_NOTADB") || isSqlite(cause, "SQLITE_CORRUPT")) {
    return new Failure("corrupt", `the database in ${data} is damaged or not an SQLite file`, {
      cause,
      remedy: "Restore it from a backup, or start with an empty folder.",
    });
  }
  return new Failure("unavailable", `the data folder ${data} cannot be used`, {
    cause,
    remedy: "Check that it is a folder that this user may write to, on a disk with room.",
  });
}

function isSqlite(error: unknown, code: string): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith(code);
}
