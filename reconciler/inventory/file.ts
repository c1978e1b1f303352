// Stores inventories as files beside the Stack, each with a journal and a lock file.
import { existsSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Type } from "typebox";
import { Failure, invariant } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import { codeOf } from "../../core/system/system-error.ts";
import {
  makePrivateFolder,
  readIfExists,
  syncFolder,
  writeAtomically,
} from "../../files/atomic-files.ts";
import { withDiskErrors } from "../operator/disk-errors.ts";
import { processSchema } from "../operator/lock-process.ts";
import type { Backend, Lease, StoredInventory } from "./backend.ts";
import { parseContent, parseJson } from "./format.ts";
import { type InventoryStoreOptions, inventoryStore } from "./inventory-store.ts";
import { isExpired } from "./leases.ts";
import { rejectTooMany } from "./owner-index.ts";
import type { InventoryStore, LockInfo } from "./store.ts";

const fileSuffix = ".inventory.json";

/** Opens the inventory of a stack in the file at `path`. */
export function fileInventory(
  path: string,
  stack: string,
  options: InventoryStoreOptions = {},
): InventoryStore {
  return inventoryStore(fileBackend(path, options.now ?? Date.now), stack, options);
}

/** Opens the place of the inventory in the file at `path`; `now` is the clock of leases. */
function fileBackend(path: string, now: () => number): Backend {
  const file = realPath(path);
  const onDisk = <T>(act: () => T | Promise<T>): Promise<T> => withDiskErrors(path, act);
  const lockPath = `${file}.lock`;
  const lock = lockFile(lockPath, { now, onDisk });
  const ownership = lockFile(join(dirname(file), "ownership.lock"), { now, onDisk });
  let journal: FileHandle | undefined;
  const closeJournal = async (): Promise<void> => {
    await journal?.close();
    journal = undefined;
  };
  /**
   * Runs a write that calls its argument right before it changes a file. The lock is held until another holder has taken
   * it, also after its lease. A process that was stopped for longer than its lease could still overwrite its successor in
   * the microseconds between; no file system prevents that.
   */
  const whileHeld = (id: string, write: (requireHeld: () => void) => Promise<void>) =>
    onDisk(async () => {
      const lost = new Error("the lock is lost");
      const requireHeld = (): void => {
        if (readLock(lockPath)?.id !== id) throw lost;
      };
      try {
        requireHeld();
        await write(requireHeld);
        requireHeld();
        return true;
      } catch (error) {
        if (error === lost) return false;
        throw error;
      }
    });
  return {
    location: path,
    isServer: false,
    load: () => onDisk(() => loadFile(file)),
    others: () =>
      onDisk(() => pathsBeside(file).map((other) => () => onDisk(() => loadFile(other)))),
    lock: {
      ...lock,
      release: async (id) => {
        await closeJournal();
        return lock.release(id);
      },
    },
    ownership,
    append: (id, { position, text }) =>
      whileHeld(id, async (requireHeld) => {
        if (position === 0) {
          await closeJournal();
          // A new file: a writer that lost its lock still has the old one open, so no reader sees its lines.
          writeAtomically(journalPath(file), [text], { beforeRename: requireHeld });
          journal = await open(journalPath(file), "a");
        } else {
          invariant(journal !== undefined, "the journal is open once it was started");
          await journal.appendFile(text);
          await journal.datasync();
        }
      }),
    replace: (id, content) =>
      whileHeld(id, async (requireHeld) => {
        await closeJournal();
        writeAtomically(file, content, { beforeRename: requireHeld });
        // A crash here leaves a journal of an older serial, which readers ignore.
        rmSync(journalPath(file), { force: true });
      }),
    close: closeJournal,
  };
}

function journalPath(path: string): string {
  return `${path}.journal`;
}

/** Reads an inventory and its journal. A writer replaces the file and then removes the journal. */
function loadFile(path: string): StoredInventory | undefined {
  const version = fileVersion(path);
  const text = readIfExists(path);
  const journal = readIfExists(journalPath(path)) ?? "";
  if (version !== fileVersion(path)) return undefined;
  const content = text === undefined ? undefined : parseContent(text, path);
  return { where: path, content, journal };
}

/** Returns a version of the file at `path` that every replacement changes. Undefined if the file does not exist. */
function fileVersion(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}

/** Returns the paths of the inventories beside the one at `path`. Fails with `refused` if there are too many. */
function pathsBeside(path: string): readonly string[] {
  const folder = dirname(path);
  if (!existsSync(folder)) return [];
  // A crashed first run leaves only a journal.
  const files = readdirSync(folder).map((name) => name.replace(/\.journal$/u, ""));
  const names = new Set(files.filter((name) => name.endsWith(fileSuffix)));
  names.delete(basename(path));
  rejectTooMany(folder, names.size);
  return [...names].toSorted().map((name) => join(folder, name));
}

/** Resolves links, so that two names of one file share one lock. */
function realPath(path: string): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  const folder = dirname(absolute);
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(absolute));
}

const lockSchema = Type.Object({
  id: Type.String(),
  purpose: Type.String(),
  holder: Type.String(),
  acquiredAt: Type.String(),
  expiresAt: Type.String(),
  process: Type.Optional(processSchema),
});

const validateLock = declaredValidator(lockSchema);

interface LockFileContext {
  readonly now: () => number;
  readonly onDisk: <T>(act: () => T | Promise<T>) => Promise<T>;
}

/**
 * A lock in a file: a record with the holder and the end of the lease, which proper-lockfile guards while one process reads
 * and replaces it. The record decides who holds the lock, so a process that is stopped inside the guard loses its lock if
 * another takes the guard, but no data.
 */
function lockFile(path: string, { now, onDisk }: LockFileContext): Lease {
  const current = (): LockInfo | undefined => {
    const info = readLock(path);
    return info && !isExpired(info, now()) ? info : undefined;
  };
  const extend = (request: object): string => {
    const expiresAt = new Date(now() + limits.leaseMs).toISOString();
    writeAtomically(path, [JSON.stringify({ ...request, expiresAt })]);
    return expiresAt;
  };
  const guarded = <T>(act: () => T) => onDisk(() => withGuard(path, act));
  return {
    acquire: (request) =>
      onDisk(async () => {
        makePrivateFolder(dirname(path));
        const busy = current();
        if (busy !== undefined) return { holder: busy };
        return withGuard(path, () => {
          const holder = current();
          if (holder !== undefined) return { holder };
          removeLeftovers(path);
          return { until: extend(request) };
        });
      }),
    renew: (request) =>
      guarded(() => (readLock(path)?.id === request.id ? extend(request) : undefined)),
    holder: () => onDisk(current),
    release: (id) =>
      guarded(() => {
        if (readLock(path)?.id !== id) return false;
        rmSync(path, { force: true });
        syncFolder(dirname(path));
        return true;
      }),
  };
}

/** Reads a lock file, expired or not; undefined without one. */
function readLock(file: string): LockInfo | undefined {
  const text = readIfExists(file);
  if (text === undefined) return undefined;
  const value = parseJson(text);
  if (validateLock(value).length === 0) return value as LockInfo;
  throw new Failure("corrupt", `the lock file ${file} cannot be read`, {
    details: { path: file },
    remedy: "Make sure that no svc is running on this inventory, then delete the file.",
  });
}

/** Runs a synchronous read and write of a lock file while no other process runs one. */
async function withGuard<T>(file: string, act: () => T): Promise<T> {
  // Loaded on first use: it patches `fs` and listens to signals, which only those who lock a file should get.
  const { default: lockfile } = await import("proper-lockfile");
  const release = await lockfile
    .lock(file, {
      // The lock file need not exist.
      realpath: false,
      lockfilePath: `${file}.guard`,
      stale: limits.lockGuardMs,
      retries: {
        retries: limits.lockGuardAttempts,
        minTimeout: 1,
        maxTimeout: limits.lockPauseMs,
        randomize: true,
      },
      onCompromised: () => undefined,
    })
    .catch((error: unknown) => {
      if (codeOf(error) !== "ELOCKED") throw error;
      const message = `other processes keep changing the lock file ${file}`;
      throw new Failure("locked", message, { details: { path: file }, remedy: "Try again." });
    });
  try {
    return act();
  } finally {
    // A guard that another process has acquired since is gone; the id of the lock is checked before each write.
    await release().catch(() => undefined);
  }
}

/** Removes incomplete files that crashes left beside a lock file. */
function removeLeftovers(lock: string): void {
  const inventory = lock.replace(/\.lock$/u, "");
  for (const name of readdirSync(dirname(lock))) {
    const path = join(dirname(lock), name);
    if (!path.startsWith(`${inventory}.`) || !name.endsWith(".tmp")) continue;
    const stat = statSync(path, { throwIfNoEntry: false });
    // Uses the file system's clock, generously: another process may be about to use the file.
    if (stat && Date.now() - stat.mtimeMs > 2 * limits.leaseMs) rmSync(path, { force: true });
  }
}
