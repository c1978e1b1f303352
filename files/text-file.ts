// Reads files that the user names.
import { readFileSync } from "node:fs";
import { Failure } from "../core/errors.ts";
import { systemErrorText } from "../core/system/system-error.ts";

/** Returns the text of a file. Fails with `usage` if it cannot be read. */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new Failure("usage", `${file} cannot be read: ${systemErrorText(cause)}`, { cause });
  }
}
