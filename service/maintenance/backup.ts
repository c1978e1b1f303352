// Backups of an account: taken while the server runs, and restored into a data folder completely or not at all.
import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import {
  chmod,
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Static, Type } from "typebox";
import { Failure } from "../../core/errors.ts";
import { validator } from "../../core/schema/validate.ts";
import { readPrivate } from "../store/private-files.ts";
import { makeSealer } from "../security/seal.ts";
import { sealedColumns } from "../security/sealed-columns.ts";
import {
  generateKey,
  type KeyRing,
  parseKeyRing,
  secretKeyPath,
  writeKeyRing,
} from "../security/secret-key.ts";
import { copyDatabase, inspectDatabase, unbindSecretKey } from "../store/sqlite-copy.ts";
import { lockFolder } from "../store/sqlite.ts";

const BackupManifest = Type.Object(
  {
    format: Type.Literal("svc-backup/1"),
    /** UTC. */
    createdAt: Type.String(),
    /** The last migration of the database. */
    schema: Type.String(),
    /** SHA-256 of account.db, hexadecimal. */
    sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    /** True if the backup contains secret.key. */
    hasKey: Type.Boolean(),
  },
  { additionalProperties: false },
);

/** The content of `backup.json`. */
export type BackupManifest = Static<typeof BackupManifest>;

/** An account to back up. */
export interface BackupSource {
  /** Writes a consistent copy of the database to a new SQLite file. */
  copyTo(path: string): Promise<void>;
  /** The keys of the account. */
  keys(): KeyRing;
}

/** Backup options. */
export interface BackupOptions {
  /** Includes the secret key, unencrypted. */
  readonly withKey?: boolean;
  readonly now?: Date;
}

/**
 * Writes a consistent backup of the data folder into the folder `target`, which must be empty or missing. A server may
 * be running. The backup contains the secret key, unencrypted, only if requested. Throws `refused` if the target is
 * not empty and `usage` if `data` is not a data folder.
 */
export function backup(
  data: string,
  target: string,
  how: BackupOptions = {},
): Promise<BackupManifest> {
  const account: BackupSource = {
    copyTo: (path) => copyDatabase(join(data, "account.db"), path),
    keys: () => readKeyRing(secretKeyPath(data)),
  };
  return writeBackup(account, target, how);
}

/** Backs up an account in a folder or a database. See {@link backup}. */
export async function writeBackup(
  account: BackupSource,
  target: string,
  { withKey = false, now = new Date() }: BackupOptions,
): Promise<BackupManifest> {
  await requireEmptyFolder(target);
  return writeFolderAtomically(target, async (folder) => {
    const copy = join(folder, "account.db");
    await account.copyTo(copy);
    await chmod(copy, 0o600);
    const { schema, sealPrefixes: sealedUnder } = inspectDatabase(copy, sealedColumns);
    // Read the keys after the database: if a rotation happens in between, the copy's key is the earlier one.
    const ring = withKey ? account.keys() : undefined;
    if (ring && !canOpenAll(ring, sealedUnder)) {
      throw new Failure("usage", "the key to include does not decrypt the stored secrets", {
        remedy: "Pass the key file of the account's servers.",
      });
    }
    if (ring) writeKeyRing(secretKeyPath(folder), ring);
    const about: BackupManifest = {
      format: "svc-backup/1",
      createdAt: now.toISOString(),
      schema,
      sha256: await sha256(copy),
      hasKey: withKey,
    };
    await writeFile(join(folder, "backup.json"), `${JSON.stringify(about, null, 2)}\n`, {
      mode: 0o600,
    });
    return about;
  });
}

/** Restore options. */
export interface RestoreOptions {
  /** The secret key file, if the backup does not contain the key. */
  readonly keyFile?: string;
  /** Replaces the existing folder, which is kept under another name. */
  readonly replace?: boolean;
}

/** The result of a restore. */
export interface RestoreResult {
  readonly manifest: BackupManifest;
  /** The new path of the replaced folder. */
  readonly replaced: string | undefined;
}

/**
 * Restores the backup in the folder `source` to the data folder `data`. Checks everything first: the digest, every
 * page, the schema, and that the key decrypts the secrets. Throws `corrupt` for a backup that is incomplete, damaged,
 * from a newer version or of another key; `refused` if the folder is not empty and `replace` is not set, or a key is
 * missing; `locked` if a server uses the folder.
 */
export async function restore(
  source: string,
  data: string,
  { keyFile, replace = false }: RestoreOptions = {},
): Promise<RestoreResult> {
  if (!replace) await requireEmptyFolder(data);
  const { manifest: about, database, ring } = await verifyBackup(source, keyFile);
  const isThere = (await listEntries(data)).length > 0;
  const release = isThere ? lockFolder(data) : undefined;
  try {
    const replaced = isThere ? `${resolve(data)}.replaced-${uniqueSuffix()}` : undefined;
    await writeFolderAtomically(
      data,
      async (folder) => {
        await copyFile(database, join(folder, "account.db"));
        await chmod(join(folder, "account.db"), 0o600);
        // The first start binds the account to the key. A backup without secrets gets a new key.
        unbindSecretKey(join(folder, "account.db"));
        writeKeyRing(secretKeyPath(folder), ring ?? { current: generateKey(), earlier: [] });
      },
      replaced,
    );
    return { manifest: about, replaced };
  } finally {
    release?.();
  }
}

/** A verified backup. */
export interface VerifiedBackup {
  readonly manifest: BackupManifest;
  /** The SQLite file. */
  readonly database: string;
  /** The keys that decrypt its secrets; undefined if it has none. */
  readonly ring: KeyRing | undefined;
}

/**
 * Verifies a backup: its digest, every page, its schema, and that a key decrypts its secrets: the key in `keyFile`, in
 * the backup, otherwise one of `others`. Throws `corrupt` if it is damaged, from a newer version or of another key, and
 * `refused` if a key is missing.
 */
export async function verifyBackup(
  source: string,
  keyFile?: string,
  others?: KeyRing,
): Promise<VerifiedBackup> {
  const about = await readManifest(source);
  const database = join(source, "account.db");
  if ((await sha256(database)) !== about.sha256) {
    throw new Failure("corrupt", `${database} does not match the digest in the backup`, {
      remedy: "Use another backup, or another copy of this one.",
    });
  }
  const { sealPrefixes: sealedUnder } = inspectDatabase(database, sealedColumns);
  const path = keyFile ?? (about.hasKey ? secretKeyPath(source) : undefined);
  const ring = path === undefined ? others : readKeyRing(path);
  if (ring !== undefined && canOpenAll(ring, sealedUnder))
    return { manifest: about, database, ring };
  if (ring === undefined && sealedUnder.length === 0) return { manifest: about, database, ring };
  if (ring === undefined) {
    throw new Failure(
      "refused",
      "the backup contains encrypted secrets, but there is no key to decrypt them",
      {
        remedy: "Pass the secret.key of the original data folder with --secret-key-file.",
      },
    );
  }
  const which = path === undefined ? "the server's key" : `the key in ${path}`;
  throw new Failure("corrupt", `${which} does not decrypt the secrets in the backup`, {
    remedy: "Pass the key that the account had when the backup was made.",
  });
}

function canOpenAll(ring: KeyRing, sealedUnder: readonly string[]): boolean {
  const known = new Set([ring.current, ...ring.earlier].map((key) => makeSealer(key).prefix));
  return sealedUnder.every((prefix) => known.has(prefix));
}

function readKeyRing(path: string): KeyRing {
  const text = readPrivate(path);
  if (text !== undefined) return parseKeyRing(text, path);
  throw new Failure("usage", `there is no key in ${path}`, {
    remedy: "Pass the path of the key file.",
  });
}

async function readManifest(source: string): Promise<BackupManifest> {
  const path = join(source, "backup.json");
  try {
    const about: unknown = JSON.parse(await readFile(path, "utf8"));
    if (validator(BackupManifest)(about).length === 0) return about as BackupManifest;
  } catch (cause) {
    throw new Failure("corrupt", `${path} cannot be read`, {
      cause,
      remedy: "Pass a folder that `svc admin backup` created.",
    });
  }
  throw new Failure("corrupt", `${path} is incomplete, or has an unknown format version`, {
    remedy: "Use another backup, or the version of svc that created it.",
  });
}

/** Fills a temporary folder and renames it into place in one step. Moves an existing folder to `aside` first. */
async function writeFolderAtomically<T>(
  target: string,
  fill: (folder: string) => Promise<T>,
  aside?: string,
): Promise<T> {
  const place = resolve(target);
  const folder = join(dirname(place), `.${basename(place)}.${uniqueSuffix()}.tmp`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const result = await fill(folder);
    for (const name of await readdir(folder)) await syncToDisk(join(folder, name));
    await syncToDisk(folder);
    if (aside !== undefined) await rename(place, aside);
    await rename(folder, place);
    await syncToDisk(dirname(place));
    return result;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function syncToDisk(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function requireEmptyFolder(folder: string): Promise<void> {
  if ((await listEntries(folder)).length === 0) return;
  throw new Failure("refused", `${folder} is not empty`, {
    remedy: "Pass a folder that is empty or missing.",
  });
}

async function listEntries(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw new Failure("usage", `${folder} is not a readable folder`, { cause: error });
  }
}

async function sha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(path), hash);
  } catch (cause) {
    throw new Failure("corrupt", `${path} cannot be read`, { cause });
  }
  return hash.digest("hex");
}

function uniqueSuffix(): string {
  return `${new Date().toISOString().replace(/\W/g, "")}-${randomBytes(3).toString("hex")}`;
}
