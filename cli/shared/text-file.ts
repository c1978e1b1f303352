// Reads files that the command line names.
import { readFileSync } from "node:fs";
import { Failure } from "../../core/errors.ts";

/** Returns the text of a file. Fails with `usage` if it cannot be read. */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure("usage", `cannot read ${file}: ${code ?? "unknown"}`, { cause: error });
  }
}
