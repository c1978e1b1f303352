// Whole copies of an account's SQLite database: taken while a server works on it, and looked through before one is used.
import { existsSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { Failure } from "../../core/errors.ts";
import { knownMigrations } from "./migrate.ts";

/** All pages at once: what others write meanwhile would make a copy in parts begin anew again and again. */
const allPages = 2 ** 31 - 1;

/** How long a copy waits for somebody who holds the file. */
const busyMs = 5000;

/** Copies the database at `from` to the file `to`, as it is at one moment; a server may write to it meanwhile. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  if (!existsSync(from)) throw unreadableError(from);
  const source = openReadOnly(from);
  try {
    await source.backup(to, { progress: () => allPages });
    collapseToSingleFile(to);
  } catch (cause) {
    throw new Failure("unavailable", `${from} cannot be copied to ${to}`, {
      cause,
      remedy: "Check that the place exists, may be written to and has room.",
    });
  } finally {
    source.close();
  }
}

/** Makes a database that nobody has open one file, without a log beside it. */
export function collapseToSingleFile(path: string): void {
  const database = new Sqlite(path);
  database.pragma("journal_mode = DELETE");
  database.close();
}

/** What a copy was found to be. */
export interface InspectionResult {
  /** The name of the last migration that ran. */
  readonly schema: string;
  /** How the sealed values begin that are in it, as far as the key is named. */
  readonly sealPrefixes: readonly string[];
}

/**
 * Reads every page and every reference of the database at `path`. Fails with `corrupt` where it is damaged, not ours, or
 * made by a newer version. `columns` are those that hold something sealed, as `table.column`.
 */
export function inspectDatabase(path: string, columns: readonly string[]): InspectionResult {
  const database = openReadOnly(path);
  try {
    const integrity = database.pragma("integrity_check", { simple: true });
    if (integrity !== "ok") throw damagedError(path);
    if ((database.pragma("foreign_key_check") as unknown[]).length > 0) throw damagedError(path);
    const ran = queryNames(database, "select name from migrations order by name");
    const known = new Set(knownMigrations());
    const newer = ran.filter((name) => !known.has(name));
    if (newer.length > 0) {
      throw new Failure("corrupt", `${path} was made by a newer version of svc`, {
        remedy: "Restore it with that version.",
      });
    }
    return { schema: ran.at(-1) ?? "", sealPrefixes: sealPrefixes(database, columns) };
  } catch (cause) {
    throw cause instanceof Failure ? cause : damagedError(path, cause);
  } finally {
    database.close();
  }
}

/** A column of a table that an older version does not have holds nothing. */
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
  return new Failure("usage", `${path} is not there, or cannot be read`, {
    ...(cause === undefined ? {} : { cause }),
    remedy: "Name the folder that holds account.db; with several accounts each has one.",
  });
}

function damagedError(path: string, cause?: unknown): Failure {
  return new Failure("corrupt", `${path} is damaged, or not the database of an account`, {
    ...(cause === undefined ? {} : { cause }),
    remedy: "Use another backup.",
  });
}
