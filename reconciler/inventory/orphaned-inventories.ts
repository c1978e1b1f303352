// Finds inventory files of a stack in its `.svc` folder that the Stack does not name.
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "../model/index.ts";
import { withDiskErrors } from "../operator/disk-errors.ts";
import { rejectTooMany } from "./other-inventories.ts";

/** Files beside an inventory that are not inventories, or were moved away. */
const ignoredFiles = /\.(?:lock|moved|tmp)$/u;

/** The beginning of an inventory or journal; long enough for any stack name. */
const headerBytes = 4096;
const headerPattern =
  /^\s*\{\s*"(?:format|journal)"\s*:\s*\d+\s*,(?:\s*"(?:lineage|salt)"\s*:\s*"[^"]*"\s*,|\s*"serial"\s*:\s*\d+\s*,)*\s*"stack"\s*:\s*"([^"]*)"/u;

/**
 * Returns the sorted paths of this stack's inventory files in its `.svc` folder; reads only their first bytes. Fails
 * with `refused` if there are too many files.
 */
export async function inventoryFilesOf({ folder, name }: Stack): Promise<readonly string[]> {
  const place = join(folder, ".svc");
  return withDiskErrors(place, () => {
    if (!existsSync(place)) return [];
    // A crashed first run leaves only a journal.
    const files = readdirSync(place).filter((file) => !ignoredFiles.test(file));
    rejectTooMany(place, files.length);
    const own = files.filter((file) => stackNameIn(join(place, file)) === name);
    const named = own.map((file) => file.replace(/\.journal$/u, ""));
    return [...new Set(named)].toSorted().map((file) => join(place, file));
  });
}

/** Returns the stack whose inventory or journal the file is, if it is one. */
function stackNameIn(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(headerBytes);
    const length = readSync(file, bytes, 0, headerBytes, 0);
    return headerPattern.exec(bytes.toString("utf8", 0, length))?.[1];
  } finally {
    closeSync(file);
  }
}
