// What the folder of an export holds before it: whether there is a Stack, and what one would be called.
import path from "node:path";
import { fileReader } from "../manifest/files.ts";
import { findStack, classifyPaths } from "../manifest/find-stack.ts";

/** True where a Stack document lies in the folder or below it; a folder that is not there has none. */
export async function hasStack(folder: string): Promise<boolean> {
  const reader = fileReader({ cwd: folder });
  const named = await classifyPaths([folder], folder, reader);
  if (named.folders.length === 0) return false;
  const found = await findStack(named, folder, reader);
  // That there are several is told at each of them, that there is none at no place.
  return (
    "document" in found || found.some((one) => one.code === "no-stack" && one.place !== undefined)
  );
}

/** A name for the Stack of a folder: the folder's own, as far as a name can hold it. */
export function stackNameFor(folder: string): string {
  const name = path
    .basename(folder)
    .replace(/[^A-Za-z0-9._-]+/gu, "-")
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/gu, "")
    .slice(0, 100);
  return name === "" ? "exported" : name;
}
