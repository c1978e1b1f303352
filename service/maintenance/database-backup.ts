// Backups of an account in a database. The format is the same as for folders, so that accounts can move between them.
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
import { knownMigrations, requireKnownMigrations } from "../store/migrate.ts";
import type { Database, OpenStore, Stores } from "../store/stores.ts";
import { openSqlite } from "../store/sqlite.ts";
import { inSnapshot, inTransaction } from "../store/transaction.ts";
import { transfer } from "../store/transfer.ts";

/** An account in a database. */
export interface DatabaseAccount {
  readonly database: string;
  readonly schema: string;
  /** The name of one of several accounts; undefined for a single account. */
  readonly name?: string | undefined;
  /** The key file of its servers. */
  readonly keyFile?: string | undefined;
}

/**
 * Writes a consistent backup of the account into the folder `target`, which must be empty or missing. Servers may be
 * running. Throws `refused` if the target is not empty, and `usage` if there is no such account or the key to include
 * is not in the key file.
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
      // Do not create a missing key file here: a new key would decrypt nothing.
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

/** Options of a restore into a database. */
export interface DatabaseRestoreOptions {
  /** The key of the backup, if it is neither in the backup nor the servers' own key. */
  readonly backupKeyFile?: string | undefined;
  /** Replaces the existing account, which is kept in a renamed schema. */
  readonly replace?: boolean;
}

/** The schema in which a restore builds the account. No account can have this name. */
const restoreSchema = "svc__restoring";

/**
 * Restores the backup in the folder `source` to the account's schema and encrypts its secrets under the servers' key.
 * Creates the key file if it is missing. Checks the whole backup first; then the schema appears in one step or not at
 * all. Throws as a restore into a folder does: `corrupt`, `refused`, or `locked` if an account is to be replaced while
 * servers run.
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
      // Remove the schema of an interrupted restore.
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

/** Migrates the copy first, because an older version may have created the backup. */
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

/** Removes the operator's key of the original server; the first start creates a new one. */
async function resetOperatorKey({ db }: OpenStore): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.deleteFrom("api_keys").where("is_bootstrap", "=", 1).execute();
    await tx.updateTable("account").set({ operator_salt: null, seal_prefix: null }).execute();
  });
}

/** PostgreSQL runs the statements of one message in one transaction. */
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
    remedy: "Pass the key file of the database's servers.",
  });
}

function loadServerKeyRing(keyFile: string | undefined, name: string | undefined): KeyRing {
  if (keyFile === undefined) {
    throw new Failure("usage", "a database needs --secret-key-file", {
      remedy: "Pass the key file of its servers.",
    });
  }
  const ring = loadOrCreateKeyRing(keyFile);
  return name === undefined ? ring : accountKeyRing(ring, name);
}

/** Checks the version without opening the account: opening would migrate it while older servers use it. */
async function requireAccount(database: Database, schema: string): Promise<void> {
  const isThere = (await hasSchema(database, schema)) && (await hasMigrations(database, schema));
  if (!isThere) {
    throw new Failure("usage", `the database has no account in the schema ${schema}`, {
      remedy: "Name the schema with --schema, or several accounts with --accounts FILE.",
    });
  }
  const rows = await database.query(`select name from ${schema}.migrations`, []);
  const ran = (rows as readonly { name: string }[]).map(({ name }) => name);
  requireKnownMigrations(ran, `the schema ${schema}`);
  if (knownMigrations().every((name) => ran.includes(name))) return;
  throw new Failure("refused", `the schema ${schema} belongs to an older version of svc`, {
    remedy: "Back it up with the version that serves it.",
  });
}

async function hasSchema(database: Database, schema: string): Promise<boolean> {
  if (!/^[a-z_][a-z0-9_]{0,44}$/.test(schema)) {
    throw new Failure("usage", `${JSON.stringify(schema)} is not a valid schema name`);
  }
  const found = await database.query("select 1 from pg_namespace where nspname = $1", [schema]);
  return found.length > 0;
}

async function hasMigrations(database: Database, schema: string): Promise<boolean> {
  const found = await database.query("select to_regclass($1) as migrations", [
    `${schema}.migrations`,
  ]);
  return (found as readonly { migrations: unknown }[]).some(
    ({ migrations }) => migrations !== null,
  );
}

function schemaExistsError(schema: string): Failure {
  return new Failure("refused", `the database already has a schema ${schema}`, {
    remedy: "Stop the servers and pass --overwrite to replace the account.",
  });
}
