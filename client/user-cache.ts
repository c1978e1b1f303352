// The folder for caches of this user. Own code: env-paths chooses other folders on macOS and Windows, and the launchers,
// which load no package, keep their compile cache here too.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";

/** Returns the path of a file in the folder for caches of this user. */
export function cacheFile(...names: readonly string[]): string {
  // An empty variable counts as not set.
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "svc", ...names);
}

/** Which files stay in a folder when one is added. */
export interface KeptFiles {
  /** The maximum number of files; the oldest are deleted first. */
  readonly most?: number;
  /** Longest time since a file was written, in milliseconds. */
  readonly maxAgeMs?: number;
}

/**
 * Replaces a file that only this user may read, and removes others of its folder as `kept` says. Never fails: nothing
 * is kept in a folder that cannot be written.
 */
export function writeCacheFile(file: string, text: string, kept: KeptFiles = {}): void {
  const unfinished = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    removeOthers(file, kept);
    writeFileSync(unfinished, text, { mode: 0o600 });
    renameSync(unfinished, file);
  } catch {
    // It is read again next time.
  }
}

function removeOthers(file: string, { most = Infinity, maxAgeMs = Infinity }: KeptFiles): void {
  if (most === Infinity && maxAgeMs === Infinity) return;
  const folder = dirname(file);
  const others = readdirSync(folder)
    .filter((name) => name !== basename(file))
    .map((name) => ({ path: join(folder, name), age: ageMs(join(folder, name)) }))
    .toSorted((one, other) => one.age - other.age);
  for (const [at, { path, age }] of others.entries())
    if (at >= most - 1 || age > maxAgeMs) rmSync(path, { force: true });
}

/** Returns the time since a file was written, in milliseconds; a file that another process removed is the oldest. */
export function ageMs(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? Infinity : Date.now() - found.mtimeMs;
}
