// Reads and writes the JSON files of a source in the state folder: the held plan, decisions, suspensions and the history.
import { chownSync, statSync } from "node:fs";
import path from "node:path";
import type { Static, TSchema } from "typebox";
import { Failure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { validator } from "../core/schema/validate.ts";
import { isPermissionError, systemErrorText } from "../core/system/system-error.ts";
import { makePrivateFolder, readIfExists, writeAtomically } from "../files/atomic-files.ts";

/**
 * Reads a file. Invalid content counts as a missing file: the next reconciliation writes it again. Fails with
 * `forbidden` or `unavailable` if the file exists and cannot be read.
 */
export function readStateFile<T extends TSchema>(file: string, form: T): Static<T> | undefined {
  const value = parseJson(readText(file) ?? "null");
  return validator(form)(value).length === 0 ? (value as Static<T>) : undefined;
}

/** Replaces a file. `beforeRename` may throw to cancel. */
export function writeStateFile(
  file: string,
  value: unknown,
  beforeRename?: (temporary: string) => void,
): void {
  makePrivateFolder(path.dirname(file));
  writeAtomically(file, [JSON.stringify(value)], { ...(beforeRename && { beforeRename }) });
}

/**
 * Replaces a file that an operator writes for the controller, which may run as another user. Fails with `forbidden` if the
 * controller could not read it.
 */
export function writeForController(file: string, value: unknown): void {
  writeStateFile(file, value, (temporary) => giveToOwner(temporary, path.dirname(file)));
}

/** Gives the file to the owner of the folder. */
function giveToOwner(file: string, folder: string): void {
  const { uid, gid } = statSync(folder);
  if (statSync(file).uid === uid) return;
  try {
    chownSync(file, uid, gid);
  } catch (cause) {
    throw new Failure("forbidden", "the controller could not read a file of another user", {
      cause,
      remedy: `Run the command as the user that the controller runs as, the owner of ${folder}.`,
    });
  }
}

function readText(file: string): string | undefined {
  try {
    return readIfExists(file);
  } catch (cause) {
    throw new Failure(
      isPermissionError(cause) ? "forbidden" : "unavailable",
      `${file} cannot be read: ${systemErrorText(cause)}`,
      {
        cause,
        remedy: "Make the user that the controller runs as the owner of the file and its folder.",
      },
    );
  }
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
