// Files that survive a crash: written beside their place, synced, then moved there whole. Failures of the disk get a name.
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { Failure } from "../../core/errors.ts";

const flushBytes = 1 << 20;

/** Makes the folder of `path`, for its owner alone where it is new. */
export function makeFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
}

/** Writes a new file that only its owner may read, and syncs it; fails when it exists. */
export function writeNewFile(path: string, chunks: Iterable<string>): void {
  const file = openSync(path, "wx", 0o600);
  try {
    let waiting = "";
    for (const chunk of chunks) {
      waiting += chunk;
      if (waiting.length < flushBytes) continue;
      writeAll(file, waiting);
      waiting = "";
    }
    writeAll(file, waiting);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Replaces `path` by the whole of `chunks` or, after a crash, not at all. `allowed` is asked last, and may throw. */
export function writeAtomically(path: string, chunks: Iterable<string>, allowed: () => void): void {
  const fresh = `${path}.${process.pid}-${crypto.randomUUID()}.tmp`;
  try {
    writeNewFile(fresh, chunks);
    allowed();
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
  syncFolder(path);
}

/** Syncs the folder of `path`, so that names made or moved in it last. */
export function syncFolder(path: string): void {
  let folder: number | undefined;
  try {
    folder = openSync(dirname(path), "r");
    fsyncSync(folder);
  } catch (error) {
    // Some file systems cannot sync a folder; the rename is then as safe as they make it.
    if (!["EINVAL", "EISDIR", "EPERM", "ENOTSUP"].includes(codeOf(error))) throw error;
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}

/** The text of a file, or undefined where there is none. */
export function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Tells one content of `path` from the next: every replacement changes it; undefined where there is no file. */
export function fileVersion(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}

/** The system's code of an error (`ENOENT`), or an empty text. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

/** Runs `act`; what the disk or the file system refuses becomes a failure that names the inventory. */
export async function withDiskErrors<T>(path: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw describeDiskError(path, error);
  }
}

function describeDiskError(path: string, error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error) || !("syscall" in error)) return error;
  const code = codeOf(error);
  const details = { path, code };
  if (["EACCES", "EPERM", "EROFS"].includes(code)) {
    return new Failure("forbidden", `The inventory ${path} cannot be used: ${code}.`, {
      cause: error,
      details,
      remedy: "Give the user that runs this the right to read and write the file and its folder.",
    });
  }
  return new Failure("unavailable", `The inventory ${path} cannot be used: ${code}.`, {
    cause: error,
    details,
    remedy: "Check that the folder exists, is a folder, and that its disk is not full.",
  });
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}
