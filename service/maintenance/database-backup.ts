// Backups of an account that lies in a database: the same folders as of any other, so that one moves between folder and database.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { Failure } from "../../core/errors.ts";
import { openAdminDatabase, requireNoConnectedServers } from "./admin-database.ts";
import {
  type BackupManifest,
  type BackupOptions,
  writeBackup,
  verifyBackup,
  type RestoreResult,
} from "./backup.ts";
import { makeSealer } from "../security/seal.ts";
import { resealAll } from "../security/sealed-columns.ts";
import { type KeyRing, loadOrCreateKeyRing, accountKeyRing } from "../security/secret-key.ts";
import { collapseToSingleFile } from "../store/sqlite-copy.ts";
import { knownMigrations } from "../store/migrate.ts";
import type { Database, OpenStore, Stores } from "../store/stores.ts";
import { openSqlite } from "../store/sqlite.ts";
import { inSnapshot, inTransaction } from "../store/transaction.ts";
import { transfer } from "../store/transfer.ts";

/** An account in a database. */
export interface DatabaseAccount {
  readonly database: string;
  readonly schema: string;
  /** One of several accounts of its servers; undefined for the only one. */
  readonly name?: string | undefined;
  /** The key file that its servers are given. */
  readonly keyFile?: string | undefined;
}

/**
 * Writes a backup of the account into the folder `target`, which must be empty or missing, as it is at one moment: servers may
 * work on it meanwhile. Fails with `refused` for a target that holds something, `usage` where there is no such account, or
 * its key is to go along and is not in the key file.
 */
export async function backupDatabaseAccount(
  { database: url, schema, name, keyFile }: DatabaseAccount,
  target: string,
  how: BackupOptions = {},
): Promise<BackupManifest> {
  const { stores, database } = await openAdminDatabase(url);
  try {
    await requireAccount(database, schema);
    const keys = (): KeyRing => {
      // Made where it is missing, it would be the key of nothing.
      if (keyFile !== undefined && !existsSync(keyFile)) throw missingKeyError(keyFile);
      return loadServerKeyRing(keyFile, name);
    };
    const copyTo = (path: string): Promise<void> => copySchema(stores, schema, path);
    return await writeBackup({ copyTo, keys }, target, how);
  } finally {
    await stores.close();
  }
}

async function copySchema(stores: Stores, schema: string, path: string): Promise<void> {
  const folder = `${path}.copy`;
  const store = await stores.open({ schema });
  try {
    const copy = await openSqlite(folder);
    try {
      await inSnapshot(store.db, (db) => transfer({ db, dialect: "postgres" }, copy));
    } finally {
      await copy.close();
    }
    collapseToSingleFile(join(folder, "account.db"));
    await rename(join(folder, "account.db"), path);
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** How a backup is put into a database. */
export interface DatabaseRestoreOptions {
  /** The key that the backup was made under, where it is neither in the backup nor the servers' own. */
  readonly backupKeyFile?: string | undefined;
  /** Puts it in place of the account that is there, which is kept in a schema beside it. */
  readonly replace?: boolean;
}

/** Where an account is put together before it takes its place. No account can have this schema. */
const restoreSchema = "svc__restoring";

/**
 * Makes the account's schema of the backup in the folder `source`, and seals what is in it under the servers' key, which is made
 * where the key file is missing. All of the backup is checked first; then the schema appears in one step, or not at all. Fails
 * as a restore into a folder does: `corrupt`, `refused`, or `locked` where an account is to be replaced while servers run.
 */
export async function restoreDatabaseAccount(
  source: string,
  { database: url, schema, name, keyFile }: DatabaseAccount,
  { backupKeyFile, replace = false }: DatabaseRestoreOptions = {},
): Promise<RestoreResult> {
  const ring = loadServerKeyRing(keyFile, name);
  const backup = await verifyBackup(source, backupKeyFile, ring);
  const { stores, database } = await openAdminDatabase(url);
  const folder = await mkdtemp(join(tmpdir(), "svc-restore-"));
  try {
    const isThere = await hasSchema(database, schema);
    if (isThere && !replace) throw schemaExistsError(schema);
    if (isThere) await requireNoConnectedServers(database);
    await copyFile(backup.database, join(folder, "account.db"));
    let replaced: string | undefined;
    await database.withLock("restore", async () => {
      // What a run that was killed has left.
      await database.query(`drop schema if exists ${restoreSchema} cascade`, []);
      await fillSchema(stores, folder, [ring, backup.ring ?? ring]);
      replaced = isThere ? `svc__replaced_${randomBytes(6).toString("hex")}` : undefined;
      await swapSchema(database, schema, replaced);
    });
    return { manifest: backup.manifest, replaced };
  } finally {
    await rm(folder, { recursive: true, force: true });
    await stores.close();
  }
}

/** The copy is brought up to date first; an older version may have made the backup. */
async function fillSchema(
  stores: Stores,
  folder: string,
  [ring, before]: readonly [KeyRing, KeyRing],
): Promise<void> {
  const copy = await openSqlite(folder);
  try {
    const store = await stores.open({ schema: restoreSchema });
    try {
      await transfer(copy, store);
      await resetOperatorKey(store);
      const earlier = [...ring.earlier, before.current, ...before.earlier];
      await resealAll(store.db, makeSealer(ring.current, earlier));
    } finally {
      await store.close();
    }
  } finally {
    await copy.close();
  }
}

/** The first server makes an operator's key of its own, as the one that made the backup is another's. */
async function resetOperatorKey({ db }: OpenStore): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.deleteFrom("api_keys").where("is_bootstrap", "=", 1).execute();
    await tx.updateTable("account").set({ operator_salt: null, seal_prefix: null }).execute();
  });
}

/** Statements of one message are one transaction. */
async function swapSchema(
  database: Database,
  schema: string,
  replaced: string | undefined,
): Promise<void> {
  const aside = replaced === undefined ? "" : `alter schema ${schema} rename to ${replaced};`;
  await database.query(`${aside} alter schema ${restoreSchema} rename to ${schema}`, []);
}

function missingKeyError(keyFile: string): Failure {
  return new Failure("usage", `there is no key in ${keyFile}`, {
    remedy: "Name the key file that the servers of the database are given.",
  });
}

function loadServerKeyRing(keyFile: string | undefined, name: string | undefined): KeyRing {
  if (keyFile === undefined) {
    throw new Failure("usage", "with a database --secret-key-file has to be said", {
      remedy: "Name the key file that its servers are given.",
    });
  }
  const ring = loadOrCreateKeyRing(keyFile);
  return name === undefined ? ring : accountKeyRing(ring, name);
}

/** Opened, an account of an older version would be brought up to date under the servers that use it. */
async function requireAccount(database: Database, schema: string): Promise<void> {
  const known = knownMigrations();
  const isThere = (await hasSchema(database, schema)) && (await hasMigrations(database, schema));
  if (!isThere) {
    throw new Failure("usage", `the database has no account in the schema ${schema}`, {
      remedy: "Name it with --schema, or several with --accounts FILE.",
    });
  }
  const rows = await database.query(`select name from ${schema}.migrations`, []);
  const ran = new Set((rows as readonly { name: string }[]).map(({ name }) => name));
  if (ran.size === known.length && known.every((name) => ran.has(name))) return;
  throw new Failure("refused", `another version of svc made the schema ${schema}`, {
    remedy: "Back it up with the version that serves it.",
  });
}

async function hasSchema(database: Database, schema: string): Promise<boolean> {
  if (!/^[a-z_][a-z0-9_]{0,44}$/.test(schema)) {
    throw new Failure("usage", `${JSON.stringify(schema)} cannot be a schema's name`);
  }
  const found = await database.query("select 1 from pg_namespace where nspname = $1", [schema]);
  return found.length > 0;
}

async function hasMigrations(database: Database, schema: string): Promise<boolean> {
  const found = await database.query("select to_regclass($1) as there", [`${schema}.migrations`]);
  return (found as readonly { there: unknown }[]).some(({ there }) => there !== null);
}

function schemaExistsError(schema: string): Failure {
  return new Failure("refused", `the database has a schema ${schema} already`, {
    remedy: "Put the backup in its place with --replace, once its servers are stopped.",
  });
}
