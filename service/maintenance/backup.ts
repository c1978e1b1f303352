// Backups of an account, made while its server works, and put back into a data folder, whole or not at all.
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
import { validator } from "../../core/validate.ts";
import { readPrivate } from "../store/private-files.ts";
import { makeSealer } from "../security/seal.ts";
import { sealedColumns } from "../security/sealed-columns.ts";
import { secretKeyPath, type KeyRing, parseKeyRing, writeKeyRing } from "../security/secret-key.ts";
import { copyDatabase, inspectDatabase } from "../store/sqlite-copy.ts";
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
    /** Whether secret.key is in it. */
    hasKey: Type.Boolean(),
  },
  { additionalProperties: false },
);

/** What a backup says of itself, in its `backup.json`. */
export type BackupManifest = Static<typeof BackupManifest>;

/** An account that can be backed up. */
export interface BackupSource {
  /** Writes its database, as it is at one moment, to a new SQLite file. */
  copyTo(path: string): Promise<void>;
  /** The keys that it is under. */
  keys(): KeyRing;
}

/** How a backup is made. */
export interface BackupOptions {
  /** Puts the secret key into it, in clear. */
  readonly withKey?: boolean;
  readonly now?: Date;
}

/**
 * Writes a backup of the data folder into the folder `target`, which must be empty or missing, as it is at one moment: a server may
 * work on it meanwhile. The secret key goes along only where that is asked for; it lies there in clear. Fails with `refused`
 * for a target that holds something; `usage` for what is no data folder.
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

/** As {@link backup}, of an account wherever it lies. */
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
    // Read after the database: a rotation that comes between leaves the key of the copy as the earlier one.
    const ring = withKey ? account.keys() : undefined;
    if (ring && !canOpenAll(ring, sealedUnder)) {
      throw new Failure("usage", "the key that is to go along does not open what is stored", {
        remedy: "Name the key file that the account's servers are given.",
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

/** How a backup is put back. */
export interface RestoreOptions {
  /** The secret key, where it lies apart from the backup. */
  readonly keyFile?: string;
  /** Puts it in place of what the folder holds, which is kept beside it. */
  readonly replace?: boolean;
}

/** What a restore did. */
export interface RestoreResult {
  readonly manifest: BackupManifest;
  /** Where the folder is now that was replaced. */
  readonly replaced: string | undefined;
}

/**
 * Makes the data folder `data` of the backup in the folder `source`. All of it is checked first: the digest, every page, the
 * schema, and that the key opens what is sealed. Fails with `corrupt` for a backup that is torn, damaged, of a newer version
 * or of another key; `refused` where the folder holds something and `replace` is not said, or a key is missing; `locked` where
 * a server uses it.
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
        if (ring) writeKeyRing(secretKeyPath(folder), ring);
      },
      replaced,
    );
    return { manifest: about, replaced };
  } finally {
    release?.();
  }
}

/** A backup that has been looked through. */
export interface VerifiedBackup {
  readonly manifest: BackupManifest;
  /** The SQLite file. */
  readonly database: string;
  /** The keys that open what it has sealed; undefined where nothing is. */
  readonly ring: KeyRing | undefined;
}

/**
 * Looks through a backup: its digest, every page, its schema, and that the key opens what is sealed: the one in `keyFile`, in
 * the backup, or else one of `others`. Fails with `corrupt` where it is damaged, of a newer version or of another key, and
 * `refused` where a key is missing.
 */
export async function verifyBackup(
  source: string,
  keyFile?: string,
  others?: KeyRing,
): Promise<VerifiedBackup> {
  const about = await readManifest(source);
  const database = join(source, "account.db");
  if ((await sha256(database)) !== about.sha256) {
    throw new Failure("corrupt", `${database} is not what was backed up`, {
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
    throw new Failure("refused", "the backup holds sealed secrets, and no key that opens them", {
      remedy: "Give the secret.key of the folder that was backed up with --secret-key-file.",
    });
  }
  const which = path === undefined ? "the server's key" : `the key in ${path}`;
  throw new Failure("corrupt", `${which} does not open what the backup has sealed`, {
    remedy: "Give the key of the account that was backed up, of the time of the backup.",
  });
}

function canOpenAll(ring: KeyRing, sealedUnder: readonly string[]): boolean {
  const known = new Set([ring.current, ...ring.earlier].map((key) => makeSealer(key).prefix));
  return sealedUnder.every((prefix) => known.has(prefix));
}

function readKeyRing(path: string): KeyRing {
  const text = readPrivate(path);
  if (text !== undefined) return parseKeyRing(text, path);
  throw new Failure("usage", `there is no key in ${path}`, { remedy: "Name the file of the key." });
}

async function readManifest(source: string): Promise<BackupManifest> {
  const path = join(source, "backup.json");
  try {
    const about: unknown = JSON.parse(await readFile(path, "utf8"));
    if (validator(BackupManifest)(about).length === 0) return about as BackupManifest;
  } catch (cause) {
    throw new Failure("corrupt", `${path} cannot be read`, {
      cause,
      remedy: "Name a folder that `svc admin backup` has made.",
    });
  }
  throw new Failure("corrupt", `${path} is torn, or of a version that is not known here`, {
    remedy: "Use another backup, or the version of svc that made it.",
  });
}

/** Has a folder filled beside its place, and puts it there in one step; what is there is moved to `aside` first. */
async function writeFolderAtomically<T>(
  target: string,
  fill: (folder: string) => Promise<T>,
  aside?: string,
): Promise<T> {
  const place = resolve(target);
  const folder = join(dirname(place), `.${basename(place)}.${uniqueSuffix()}.tmp`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const made = await fill(folder);
    for (const name of await readdir(folder)) await syncToDisk(join(folder, name));
    await syncToDisk(folder);
    if (aside !== undefined) await rename(place, aside);
    await rename(folder, place);
    await syncToDisk(dirname(place));
    return made;
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
  throw new Failure("refused", `${folder} holds something already`, {
    remedy: "Name a folder that is empty or missing.",
  });
}

async function listEntries(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw new Failure("usage", `${folder} is not a folder that can be read`, { cause: error });
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
