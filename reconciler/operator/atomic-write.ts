// Writes files atomically: to a temporary file, synced, then renamed. Turns disk errors into failures with a remedy.
// Not write-file-atomic: that has no check right before the rename, where a process that lost its lease must stop, and it
// does not sync the folder, so a crash could lose an inventory whose journal was already emptied.
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
import { codeOf, systemErrorText } from "../../core/system/system-error.ts";

const flushLength = 1 << 20;

/** Creates the folder of `path`; a new folder is accessible to its owner only. */
export function makeFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
}

/** Writes and syncs a new file that only its owner may read. Fails if the file exists. */
export function writeNewFile(path: string, chunks: Iterable<string>): void {
  const file = openSync(path, "wx", 0o600);
  try {
    for (const text of joined(chunks)) writeAll(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Joins short texts, so that a write is about a MiB long and many of them are never one text. */
export function* joined(chunks: Iterable<string>): Generator<string> {
  let buffered = "";
  for (const chunk of chunks) {
    buffered += chunk;
    if (buffered.length < flushLength) continue;
    yield buffered;
    buffered = "";
  }
  if (buffered !== "") yield buffered;
}

/** Replaces the content of `path` atomically. `allowed` runs right before the rename, and may throw to cancel. */
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

/** Syncs the folder of `path`, so that new and renamed entries survive a crash. */
export function syncFolder(path: string): void {
  let folder: number | undefined;
  try {
    folder = openSync(dirname(path), "r");
    fsyncSync(folder);
  } catch (error) {
    // Some file systems cannot sync a folder.
    if (!["EINVAL", "EISDIR", "EPERM", "ENOTSUP"].includes(codeOf(error))) throw error;
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}

/** Returns the text of a file, or undefined if it does not exist. */
export function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns a version of the file at `path` that every replacement changes. Undefined if the file does not exist. */
export function fileVersion(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}

/** Runs `act` and turns file system errors into failures that name the inventory. */
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
  const isForbidden = ["EACCES", "EPERM", "EROFS"].includes(code);
  const message = `the inventory ${path} cannot be used: ${systemErrorText(error)}`;
  return new Failure(isForbidden ? "forbidden" : "unavailable", message, {
    cause: error,
    details: { path, code },
    remedy: isForbidden
      ? "Give the user that runs this the right to read and write the file and its folder."
      : "Check that the folder exists, is a folder, and that its disk is not full.",
  });
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}
