// Files that the caller of svc names beside the manifests, such as grants and policies.
import { readFileSync } from "node:fs";
import { Failure } from "../../core/errors.ts";

/** The whole text of a file. Fails with `usage` where it cannot be read. */
export function readGiven(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure("usage", `${file} cannot be read: ${code ?? "unknown"}`, { cause: error });
  }
}
