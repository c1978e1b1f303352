// Refuses files with secrets that every user of the machine can change.
import { type Stats, statSync } from "node:fs";
import { Failure } from "../core/errors.ts";
import { readTextFile } from "./text-file.ts";

/** The permission of all users to write a file. */
const writableByAll = 0o002;

/** Throws `refused` for a file that every user of the machine can change. A file that does not exist is accepted. */
export function refuseOpenFile(path: string): void {
  if (process.platform === "win32") return;
  const found = statOf(path);
  if (found === undefined || !found.isFile() || (found.mode & writableByAll) === 0) return;
  const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
  throw new Failure(
    "refused",
    `${path} has a secret, and every user can change it (mode ${mode})`,
    {
      remedy: `Run chmod 600 ${path}.`,
    },
  );
}

/** Returns undefined for a file that cannot be found; whoever reads it reports why. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Returns the text of a file with a secret. Fails with `usage` if it cannot be read; see {@link refuseOpenFile}. */
export function readSecretFile(file: string): string {
  const text = readTextFile(file);
  refuseOpenFile(file);
  return text;
}
