// Small private files beside the database: written atomically, readable only by their owner.
import {
  appendDurably,
  createAtomically,
  readIfExists,
  writeAtomically,
} from "../../files/atomic-files.ts";
import { refuseOpenFile } from "../../files/secret-file.ts";
import { Failure } from "../../core/errors.ts";
import { systemErrorText } from "../../core/system/system-error.ts";

/** Writes `text` to `path` atomically and durably, with mode 0600. Throws `unavailable` if it cannot be written. */
export function writePrivate(path: string, text: string): void {
  withWriteErrors(path, () => writeAtomically(path, [text]));
}

/**
 * Creates the file if it does not exist and returns its content, which a concurrent writer may have written. See
 * {@link writePrivate}.
 */
export function createPrivate(path: string, text: string): string {
  withWriteErrors(path, () => createAtomically(path, [text]));
  return readPrivate(path) ?? text;
}

/** Appends a line to a file durably. See {@link writePrivate}. */
export function appendPrivate(path: string, line: string): void {
  withWriteErrors(path, () => appendDurably(path, line));
}

/**
 * Reads a private file; undefined if it does not exist. Throws `unavailable` if it cannot be read, and `refused` if every
 * user can change it.
 */
export function readPrivate(path: string): string | undefined {
  refuseOpenFile(path);
  try {
    return readIfExists(path);
  } catch (cause) {
    throw new Failure("unavailable", `${path} cannot be read: ${systemErrorText(cause)}`, {
      cause,
    });
  }
}

function withWriteErrors(path: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    throw new Failure("unavailable", `${path} cannot be written: ${systemErrorText(cause)}`, {
      cause,
      remedy: "Check that its folder exists, is writable and has free space.",
    });
  }
}
