// Writes files atomically and durably: to a temporary file, synced, then renamed.
// Not write-file-atomic: it has no check right before the rename, where a process that lost its lease must stop, and it
// does not sync the folder, so a crash could lose an inventory whose journal was already emptied.
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { codeOf } from "../core/system/system-error.ts";

/** Texts of this length are written together. */
const flushLength = 1 << 20;

/** How a file is replaced. */
export interface AtomicWrite {
  /** The mode of the file, reduced by the umask. Default: 0600. */
  readonly mode?: number;
  /** Runs right before the rename with the path of the complete file, and may throw to cancel. */
  readonly beforeRename?: (temporary: string) => void;
}

/** Whether a file is synced. */
export interface Durability {
  /** False for a file that a crash of the machine may lose. Default: true. */
  readonly isDurable?: boolean | undefined;
}

/** The bytes of a file, or its texts in order. */
type Content = Uint8Array | Iterable<string>;

/** Replaces the content of `path` atomically. Throws the error of the system. */
export function writeAtomically(
  path: string,
  content: Content,
  { mode, beforeRename, isDurable }: AtomicWrite & Durability = {},
): void {
  withTemporaryFile(path, { content, mode, isDurable }, (temporary) => {
    beforeRename?.(temporary);
    renameSync(temporary, path);
  });
}

/**
 * Creates the file atomically, or leaves the one that exists: unlike a rename, a link does not replace a file that
 * another process has just created. Throws the error of the system.
 */
export function createAtomically(path: string, content: Content): void {
  withTemporaryFile(path, { content }, (temporary) => {
    try {
      linkSync(temporary, path);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    rmSync(temporary);
  });
}

function withTemporaryFile(
  path: string,
  {
    content,
    mode,
    isDurable = true,
  }: Durability & { readonly content: Content; readonly mode?: number | undefined },
  place: (temporary: string) => void,
): void {
  const temporary = temporaryPath(path);
  try {
    writeNewFile(temporary, content, { mode, isDurable });
    place(temporary);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (isDurable) syncFolder(dirname(path));
}

/** A file to replace. */
export interface FileWrite extends AtomicWrite {
  readonly path: string;
  readonly content: Content;
}

/**
 * Replaces files: writes all temporary ones before it renames the first, so that a full disk or a missing permission
 * leaves all files unchanged. `attempt` runs each step of a file, and may replace its error.
 */
export function writeAllAtomically(
  files: readonly FileWrite[],
  attempt: (path: string, step: () => void) => void,
): void {
  const written: [temporary: string, path: string][] = [];
  try {
    for (const { path, content, mode, beforeRename } of files) {
      const temporary = temporaryPath(path);
      attempt(path, () => {
        written.push([temporary, path]);
        writeNewFile(temporary, content, { mode });
        beforeRename?.(temporary);
      });
    }
    for (const [temporary, path] of written) attempt(path, () => renameSync(temporary, path));
  } catch (error) {
    for (const [temporary] of written) rmSync(temporary, { force: true });
    throw error;
  }
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) syncFolder(folder);
}

/** Returns a path beside `path` that no other process uses. */
function temporaryPath(path: string): string {
  return `${path}.${process.pid}-${crypto.randomUUID()}.tmp`;
}

/** Writes a new file, by default one that is synced and that only its owner may read. Fails if the file exists. */
function writeNewFile(
  path: string,
  content: Content,
  { mode = 0o600, isDurable = true }: Durability & { readonly mode?: number | undefined },
): void {
  const file = openSync(path, "wx", mode);
  try {
    if (content instanceof Uint8Array) writeAll(file, content);
    else for (const text of joinTexts(content)) writeAll(file, Buffer.from(text, "utf8"));
    if (isDurable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Appends a text to a file durably, and creates the file with mode 0600. Concurrent short texts do not mix. */
export function appendDurably(path: string, text: string): void {
  const file = openSync(path, "a", 0o600);
  try {
    writeAll(file, Buffer.from(text, "utf8"));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/** Joins short texts, so that a write is about a MiB long and many of them are never one text. */
export function* joinTexts(texts: Iterable<string>): Generator<string> {
  let buffered = "";
  for (const text of texts) {
    buffered += text;
    if (buffered.length < flushLength) continue;
    yield buffered;
    buffered = "";
  }
  if (buffered !== "") yield buffered;
}

/** Some file systems cannot sync a folder, and a folder that may be written but not read cannot be opened. */
const unsyncableCodes: ReadonlySet<string> = new Set([
  "EACCES",
  "EINVAL",
  "EISDIR",
  "ENOTSUP",
  "EPERM",
]);

/** Syncs a folder, so that new and renamed entries survive a crash. */
export function syncFolder(path: string): void {
  let folder: number | undefined;
  try {
    folder = openSync(path, "r");
    fsyncSync(folder);
  } catch (error) {
    if (!unsyncableCodes.has(codeOf(error))) throw error;
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}

/**
 * Creates a folder and its missing parents with mode 0700. Node's recursive mkdir does not terminate below file
 * systems such as /proc. Throws the error of the system.
 */
export function makePrivateFolder(path: string): void {
  const missing: string[] = [];
  let at = resolve(path);
  // A drive that does not exist is its own parent.
  for (; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  for (const folder of missing.toReversed()) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

/** Returns the text of a file, or undefined if it does not exist. Throws the error of the system. */
export function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
