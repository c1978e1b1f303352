// Small private files beside the database: written whole or not at all, readable by their owner only.
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

/** Writes `text` to `path` in one step, mode 0600, on disk when this returns. */
export function writePrivate(path: string, text: string): void {
  writeAtomically(path, text, renameSync);
}

/** As {@link writePrivate} where there is no such file; returns what the file holds then, which another may have put there. */
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
    throw new Failure("unavailable", `${path} cannot be written`, {
      cause,
      remedy: "Check that its folder exists, may be written to and has room.",
    });
  }
}

/**
 * Makes a folder, and its parents where they are missing, for its owner only. Node's own way of doing that never ends below
 * a folder that takes none, such as those of the kernel. Fails as the system does.
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

/** The text of a private file, or undefined where there is none. Fails with `unavailable` where it cannot be read. */
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
