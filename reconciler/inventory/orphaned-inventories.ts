// Inventory files of a stack that it does not name, or no longer: found among what lies in its `.svc` folder, by what they say of themselves.
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "../model/index.ts";
import { withDiskErrors } from "../operator/atomic-write.ts";
import { rejectTooMany } from "./other-inventories.ts";

/** What lies beside an inventory and is none, or was put aside. */
const ignoredFiles = /\.(?:lock|moved|tmp)$/u;

/** An inventory, or its journal, begins so; long enough for every name of a stack. */
const headerBytes = 4096;
const headerPattern =
  /^\s*\{\s*"(?:format|journal)"\s*:\s*\d+\s*,(?:\s*"(?:lineage|salt)"\s*:\s*"[^"]*"\s*,|\s*"serial"\s*:\s*\d+\s*,)*\s*"stack"\s*:\s*"([^"]*)"/u;

/**
 * The paths of the inventory files in the stack's `.svc` folder that say that they are this stack's, sorted; only their beginnings are read.
 * Fails with `refused` where more files lie there than can be looked through.
 */
export async function inventoryFilesOf({ folder, name }: Stack): Promise<readonly string[]> {
  const place = join(folder, ".svc");
  return withDiskErrors(place, () => {
    if (!existsSync(place)) return [];
    // A first run that was killed has left a journal alone.
    const files = readdirSync(place).filter((file) => !ignoredFiles.test(file));
    rejectTooMany(place, files.length);
    const own = files.filter((file) => stackNameIn(join(place, file)) === name);
    const named = own.map((file) => file.replace(/\.journal$/u, ""));
    return [...new Set(named)].toSorted().map((file) => join(place, file));
  });
}

/** The stack whose inventory or journal the file is; undefined for every other. */
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
