// Opens an account's SQLite database: durable, with foreign keys, and one server at a time per data folder.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { Kysely } from "kysely";
import { Failure } from "../../core/errors.ts";
import { codeOf, systemErrorText } from "../../core/system/system-error.ts";
import { databaseFile } from "./data-folder.ts";
import { makePrivateFolder } from "../../files/atomic-files.ts";
import { type SqliteConnections, sqliteDialect } from "./sqlite-dialect.ts";
import { singleLeaseHolder } from "./lease-holders.ts";
import { migrate } from "./migrate.ts";
import type { OpenStore } from "./stores.ts";
import type { Tables } from "./schema.ts";
import { type OnStatement, statementTimer } from "./timing.ts";

/** Maximum time that opening waits for another process that uses the file, such as a backup. */
const busyMs = 5000;

/** Options of a SQLite store. */
export interface SqliteOptions {
  readonly onStatement?: OnStatement | undefined;
  /** Called when the folder is locked and before its database is opened. May throw. */
  readonly onLocked?: ((folder: string) => void) | undefined;
}

/**
 * Opens the store in the folder `data`, or in memory for `:memory:`, and migrates it. Throws `locked` while another
 * server uses the folder, and `corrupt` for a foreign or damaged file.
 */
export async function openSqlite(
  data: string,
  { onStatement, onLocked }: SqliteOptions = {},
): Promise<OpenStore> {
  if (data === ":memory:") return openInMemory(onStatement);
  const release = lockFolder(data);
  try {
    onLocked?.(data);
    const path = join(data, databaseFile);
    const writer = new Sqlite(path, { timeout: busyMs });
    chmodSync(path, 0o600);
    const reader = new Sqlite(path, { timeout: busyMs });
    return await openStore({ writer, reader }, { place: data, release, onStatement });
  } catch (cause) {
    release();
    throw openFailure(cause, data);
  }
}

/** A migrated database without rows. Each further database in memory starts as a copy of it. */
let migrated: Buffer | undefined;

async function openInMemory(onStatement: OnStatement | undefined): Promise<OpenStore> {
  const writer = new Sqlite(migrated ?? ":memory:");
  const isMigrated = migrated !== undefined;
  const place = { place: "memory", release: () => undefined };
  const store = await openStore({ writer }, { ...place, onStatement, isMigrated });
  migrated ??= writer.serialize();
  return store;
}

async function openStore(
  connections: SqliteConnections,
  {
    place,
    release,
    onStatement,
    isMigrated = false,
  }: {
    place: string;
    release: () => void;
    onStatement: OnStatement | undefined;
    isMigrated?: boolean;
  },
): Promise<OpenStore> {
  const { writer, reader } = connections;
  try {
    configureConnection(writer);
    if (reader) configureConnection(reader).pragma("query_only = ON");
    const db = new Kysely<Tables>({
      dialect: sqliteDialect(connections),
      ...statementTimer(onStatement),
    });
    if (!isMigrated) await migrate(db, "sqlite").catch((cause) => migrationFailure(cause, place));
    // Waiting inside SQLite would block the process. From here on GroupCommit waits instead.
    for (const connection of [writer, reader]) connection?.pragma("busy_timeout = 0");
    return {
      db,
      dialect: "sqlite",
      fenceWrites: () => undefined,
      leaseHolders: singleLeaseHolder,
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
  // SQLite's own lower() supports ASCII only, and searches compare in lower case.
  return database.function("lower", { deterministic: true }, (text) =>
    typeof text === "string" ? text.toLowerCase() : text,
  );
}

/**
 * Locks the folder for this process with an operating system lock, which ends with the process. Returns the release
 * function.
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
        remedy: "Stop it first, or use another folder.",
      });
    }
    throw openFailure(cause, data);
  }
  const held = lock;
  return () => held.close();
}

/** Throws a refusal by SQLite in a migration as `corrupt`, and other errors, such as a full disk, unchanged. */
function migrationFailure(cause: unknown, place: string): never {
  if (!isSqlite(cause, "SQLITE_ERROR") && !isSqlite(cause, "SQLITE_CONSTRAINT")) throw cause;
  throw new Failure("corrupt", `the database in ${place} cannot be migrated: ${cause.message}`, {
    cause,
    remedy: "Restore it from a backup, or use the version that wrote it. Nothing was changed.",
  });
}

/** Returns the error of opening a folder with the name of the folder. */
function openFailure(cause: unknown, data: string): unknown {
  if (cause instanceof Failure) return cause;
  if (damagedCodes.some((code) => isSqlite(cause, code))) {
    return new Failure("corrupt", `the database in ${data} is damaged or not an SQLite file`, {
      cause,
      remedy: "Restore it from a backup, or start with an empty folder.",
    });
  }
  if (codeOf(cause) === "") return cause;
  const reason = cause instanceof Sqlite.SqliteError ? cause.message : systemErrorText(cause);
  return new Failure("unavailable", `the data folder ${data} cannot be used: ${reason}`, {
    cause,
    remedy: "Check that it is a folder that this user can write to, on a disk with free space.",
  });
}

/** Codes of a file that SQLite cannot read. The last one means an unknown format. */
const damagedCodes = ["SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR"];

function isSqlite(error: unknown, code: string): error is Error {
  return error instanceof Sqlite.SqliteError && error.code.startsWith(code);
}
