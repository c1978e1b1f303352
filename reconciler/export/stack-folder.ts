// Inspects the target folder of an export: whether it contains a Stack, and a default Stack name.
import path from "node:path";
import { fileReader } from "../manifest/files.ts";
import { findStack, classifyPaths } from "../manifest/find-stack.ts";

/**
 * Returns true if the folder or a folder below it contains a Stack document; false for a missing
 * folder.
 */
export async function hasStack(folder: string): Promise<boolean> {
  const reader = fileReader({ cwd: folder });
  const named = await classifyPaths([folder], folder, reader);
  if (named.folders.length === 0) return false;
  const found = await findStack(named, folder, reader);
  // Several Stacks are reported with the position of each; a missing one without a position.
  return (
    "document" in found || found.some((one) => one.code === "no-stack" && one.place !== undefined)
  );
}

/** Returns a Stack name derived from the name of the folder. */
export function stackNameFor(folder: string): string {
  const name = path
    .basename(folder)
    .replace(/[^A-Za-z0-9._-]+/gu, "-")
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/gu, "")
    .slice(0, 100);
  return name === "" ? "exported" : name;
}
