// Keeps the files of rollups in a folder, within a limit of their bytes. A file is complete once it has its name, so that a
// restart finds the files again, and a crash leaves only files that it removes.
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makePrivateFolder } from "../../files/atomic-files.ts";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";

/** The rows of a rollup. */
export interface StoredRollup {
  readonly file: string;
  /** The state of the data that it was built from. */
  readonly state: string;
  /** When its build began to read, in milliseconds since 1970. */
  readonly builtAt: number;
}

/** What a file is built from. */
interface RollupVersion extends Pick<StoredRollup, "state" | "builtAt"> {
  /** Identifies the rollup and its tables, as hexadecimal text. */
  readonly key: string;
}

/** The files of a server. */
export interface RollupStore {
  /** Returns the newest rows of a rollup, and marks them as used. */
  find(key: string): StoredRollup | undefined;
  /** Keeps what `write` writes into a file, in place of older rows of the rollup. Throws `limit_reached` if it is too large. */
  add(version: RollupVersion, write: (file: string) => Promise<void>): Promise<void>;
  /** Removes the rows of a rollup. */
  remove(key: string): void;
  close(): void;
}

/** Options of a store. */
interface StoreOptions {
  /** Undefined for a folder that is removed with the store. */
  readonly folder: string | undefined;
  readonly maxBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Entry extends StoredRollup {
  readonly bytes: number;
  usedAt: number;
}

/** The name of a complete file. */
const namePattern = /^([0-9a-f]{64})-([0-9a-f]{64})-(\d{1,16})\.duckdb$/u;

/** Interval in which the use of a file is recorded. */
const usedMs = 60_000;

/** Opens a store. It creates its folder with the first file. */
export function openRollupStore({ folder: data, maxBytes, now }: StoreOptions): RollupStore {
  // The engine's process, which writes the files, has another working folder.
  const folder = data === undefined ? undefined : resolve(data);
  let temporary: string | undefined;
  const place = (): string => {
    if (folder === undefined) return (temporary ??= mkdtempSync(join(tmpdir(), "svc-rollups-")));
    makePrivateFolder(folder);
    return folder;
  };
  /** The least recently used files come first. */
  const entries = folder === undefined ? new Map<string, Entry>() : filesIn(folder);
  const remove = (key: string) => {
    const entry = entries.get(key);
    entries.delete(key);
    if (entry) rmSync(entry.file, { force: true });
  };
  const sweep = () => {
    let bytes = 0;
    for (const entry of entries.values()) bytes += entry.bytes;
    for (const [key, entry] of entries) {
      if (bytes <= maxBytes && entry.usedAt + limits.rollupUnusedMs > now()) continue;
      remove(key);
      bytes -= entry.bytes;
    }
  };
  sweep();
  const sweeps = setInterval(sweep, limits.rollupSweepMs).unref();
  return {
    find(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      if (entry.usedAt + usedMs <= now()) {
        entry.usedAt = now();
        try {
          utimesSync(entry.file, now() / 1000, now() / 1000);
        } catch {
          // Someone removed the file.
          entries.delete(key);
          return undefined;
        }
      }
      return entry;
    },
    async add({ key, state, builtAt }, write) {
      const name = join(place(), `${key}-${state}-${builtAt}`);
      const written = `${name}-${randomUUID()}.tmp`;
      try {
        await write(written);
        const bytes = statSync(written).size;
        if (bytes > maxBytes) {
          const message = `it has ${bytes} bytes, and all together may have ${maxBytes}`;
          throw new Failure("limit_reached", message);
        }
        const file = `${name}.duckdb`;
        if (entries.get(key)?.file !== file) remove(key);
        renameSync(written, file);
        entries.set(key, { file, state, builtAt, bytes, usedAt: now() });
        sweep();
      } finally {
        // The engine can end before it removes the rows beside the file.
        for (const end of ["", ".wal", ".raw", ".raw.wal"])
          rmSync(`${written}${end}`, { force: true });
      }
    },
    remove,
    close() {
      clearInterval(sweeps);
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
    },
  };
}

/** Returns the complete files of a folder, and removes all others. */
function filesIn(folder: string): Map<string, Entry> {
  const found: (readonly [string, Entry])[] = [];
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    const [, key, state, builtAt] = namePattern.exec(name) ?? [];
    if (key === undefined || state === undefined) {
      rmSync(file, { recursive: true, force: true });
      continue;
    }
    const { size, mtimeMs } = statSync(file);
    found.push([key, { file, state, builtAt: Number(builtAt), bytes: size, usedAt: mtimeMs }]);
  }
  const entries = new Map<string, Entry>();
  for (const [key, entry] of found.toSorted(([, a], [, b]) => a.usedAt - b.usedAt)) {
    const other = entries.get(key);
    const isNewer = other === undefined || other.builtAt < entry.builtAt;
    if (isNewer) entries.set(key, entry);
    const removed = isNewer ? other : entry;
    if (removed) rmSync(removed.file, { force: true });
  }
  return entries;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw new Failure("unavailable", `${folder} cannot be read`, { cause: error });
  }
}
