// Small private files beside the database: written atomically, readable only by their owner.
import { randomBytes } from "node:crypto";
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
import { Failure } from "../../core/errors.ts";

/** Writes `text` to `path` atomically and durably, with mode 0600. */
export function writePrivate(path: string, text: string): void {
  writeAtomically(path, text, renameSync);
}

/**
 * Creates the file if it does not exist and returns its content, which a concurrent writer may have written. See
 * {@link writePrivate}.
 */
export function createPrivate(path: string, text: string): string {
  writeAtomically(path, text, (temporary) => {
    try {
      linkSync(temporary, path);
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST")) throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  });
  return readPrivate(path) ?? text;
}

/**
 * Appends a line to a file durably, and creates the file with mode 0600. Concurrent lines do not mix. Throws
 * `unavailable` if it cannot be written.
 */
export function appendPrivate(path: string, line: string): void {
  try {
    const file = openSync(path, "a", 0o600);
    try {
      writeSync(file, line);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw cannotWriteError(path, cause);
  }
}

function writeAtomically(
  path: string,
  text: string,
  place: (from: string, to: string) => void,
): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = openSync(temporary, "wx", 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    place(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw cannotWriteError(path, cause);
  }
}

function cannotWriteError(path: string, cause: unknown): Failure {
  return new Failure("unavailable", `${path} cannot be written`, {
    cause,
    remedy: "Check that its folder exists, is writable and has free space.",
  });
}

/**
 * Creates a folder and its missing parents with mode 0700. Node's recursive mkdir does not terminate below file
 * systems such as /proc. Throws the system's error.
 */
export function makePrivateFolder(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at);
  for (const folder of missing.toReversed()) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST")) throw error;
    }
  }
}

/** Reads a private file; undefined if it does not exist. Throws `unavailable` if it cannot be read. */
export function readPrivate(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (hasErrorCode(cause, "ENOENT")) return undefined;
    throw new Failure("unavailable", `${path} cannot be read`, { cause });
  }
}

function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
