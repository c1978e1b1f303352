// A folder of a file system in memory. Databases, repositories and packages of tests are thousands of small files: on a disk,
// creating and deleting them takes most of the processor time that PostgreSQL needs for a test.
import { readFileSync, statfsSync } from "node:fs";
import { freemem } from "node:os";

const folder = "/dev/shm";

/** The required free space. A whole run uses less than a tenth of it at a time. */
const minFreeBytes = 4 * 2 ** 30;

/** Returns the folder; undefined if there is none, if it is almost full, or if programs cannot run from it. */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    const isLarge = Math.min(bavail * bsize, freemem()) >= minFreeBytes;
    return isLarge && canExecute() ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the options of the mount. Containers often forbid programs there. */
function canExecute(): boolean {
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const [, , , options] = mounts.find((line) => line.split(" ")[1] === folder)?.split(" ") ?? [];
  return options !== undefined && !options.split(",").includes("noexec");
}
