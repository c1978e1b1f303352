// Copies an account's SQLite database while a server uses it, and verifies copies.
import { existsSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { Failure } from "../../core/errors.ts";
import { requireKnownMigrations } from "./migrate.ts";

/** Copy all pages in one step: concurrent writes would restart a copy in parts again and again. */
const allPages = 2 ** 31 - 1;

/** Maximum time that a copy waits for a lock on the file. */
const busyMs = 5000;

/** Copies the database at `from` consistently to the file `to`. A server may write meanwhile. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  if (!existsSync(from)) throw unreadableError(from);
  const source = openReadOnly(from);
  try {
    await source.backup(to, { progress: () => allPages });
    collapseToSingleFile(to);
  } catch (cause) {
    throw new Failure("unavailable", `${from} cannot be copied to ${to}`, {
      cause,
      remedy: "Check that the target exists, is writable and has free space.",
    });
  } finally {
    source.close();
  }
}

/** Merges the log of a closed database into its file. */
export function collapseToSingleFile(path: string): void {
  const database = new Sqlite(path);
  database.pragma("journal_mode = DELETE");
  database.close();
}

/** The result of verifying a copy. */
export interface InspectionResult {
  /** The name of the last migration. */
  readonly schema: string;
  /** The prefixes of its encrypted values, which identify keys. */
  readonly sealPrefixes: readonly string[];
}

/**
 * Reads every page and checks every reference of the database at `path`. Throws `corrupt` if it is damaged, foreign,
 * or from a newer version, and `refused` if it is older than the first migration. `columns` are the encrypted columns,
 * as `table.column`.
 */
export function inspectDatabase(path: string, columns: readonly string[]): InspectionResult {
  const database = openReadOnly(path);
  try {
    const integrity = database.pragma("integrity_check", { simple: true });
    if (integrity !== "ok") throw damagedError(path);
    if ((database.pragma("foreign_key_check") as unknown[]).length > 0) throw damagedError(path);
    const ran = queryNames(database, "select name from migrations order by name");
    requireKnownMigrations(ran, path);
    const schema = ran.at(-1);
    if (schema === undefined) throw damagedError(path);
    return { schema, sealPrefixes: sealPrefixes(database, columns) };
  } catch (cause) {
    throw cause instanceof Failure ? cause : damagedError(path, cause);
  } finally {
    database.close();
  }
}

/** Removes the account's binding to a secret key from the closed database at `path`. */
export function unbindSecretKey(path: string): void {
  const database = new Sqlite(path, { fileMustExist: true, timeout: busyMs });
  try {
    database.exec("update account set seal_prefix = null");
    database.pragma("journal_mode = DELETE");
  } finally {
    database.close();
  }
}

/** Databases of older versions may lack the table. */
function sealPrefixes(database: Sqlite.Database, columns: readonly string[]): string[] {
  const found = columns.flatMap((name) => {
    const [table = "", column = ""] = name.split(".");
    const has = database
      .prepare("select 1 from sqlite_master where type = 'table' and name = ?")
      .get(table);
    if (has === undefined) return [];
    const prefix = `substr("${column}", 1, instr(substr("${column}", 4), '.') + 3)`;
    return queryNames(database, `select distinct ${prefix} as name from "${table}"`);
  });
  return [...new Set(found)];
}

function queryNames(database: Sqlite.Database, query: string): string[] {
  return database
    .prepare(query)
    .all()
    .map((row) => String((row as { name: unknown }).name));
}

function openReadOnly(path: string): Sqlite.Database {
  try {
    return new Sqlite(path, { readonly: true, fileMustExist: true, timeout: busyMs });
  } catch (cause) {
    throw unreadableError(path, cause);
  }
}

function unreadableError(path: string, cause?: unknown): Failure {
  return new Failure("usage", `${path} does not exist or cannot be read`, {
    ...(cause === undefined ? {} : { cause }),
    remedy:
      "Pass the folder that contains account.db. With several accounts, each has its own folder.",
  });
}

function damagedError(path: string, cause?: unknown): Failure {
  return new Failure("corrupt", `${path} is damaged, or not the database of an account`, {
    ...(cause === undefined ? {} : { cause }),
    remedy: "Use another backup.",
  });
}
