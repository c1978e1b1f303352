// Unpacks the program that a self-contained executable contains into a folder for caches, once for each version.
import {
  fsyncSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** The files of a program. */
export interface Contents {
  /** Names this version of the program: hex digits. */
  readonly digest: string;
  /** Size of each file in bytes, by its path with `/`. */
  readonly sizes: Readonly<Record<string, number>>;
}

/** Programs of other versions that are kept, because processes may still run from them. */
const keptMax = 2;

/**
 * Returns the folder below `parent` with all files of the program. Unpacks them first if the folder is missing, or if it lost files.
 * Fails if another user could have written the folder.
 */
export function unpack(
  parent: string,
  { digest, sizes }: Contents,
  read: (name: string) => Uint8Array,
): string {
  const folder = join(parent, digest);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  requireOwn(parent);
  if (isComplete(folder, sizes)) return folder;
  const unfinished = join(parent, `.new-${process.pid}`);
  rmSync(unfinished, { recursive: true, force: true });
  for (const name of Object.keys(sizes)) writeDurably(join(unfinished, name), read(name));
  try {
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process was faster.
    rmSync(unfinished, { recursive: true, force: true });
    if (!isComplete(folder, sizes)) throw error;
  }
  removeOld(parent, digest);
  return folder;
}

function isComplete(folder: string, sizes: Readonly<Record<string, number>>): boolean {
  return Object.entries(sizes).every(
    ([name, size]) => statSync(join(folder, name), { throwIfNoEntry: false })?.size === size,
  );
}

/** Writes a file to the disk, so that a folder that has its name has its files after a crash too. */
function writeDurably(path: string, content: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, "wx", 0o600);
  try {
    for (let written = 0; written < content.length;)
      written += writeSync(file, content, written, content.length - written);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Fails if the folder belongs to another user, or if others may write to it, because its files are run. */
function requireOwn(folder: string): void {
  const { uid, mode } = statSync(folder);
  const own = process.getuid?.();
  if (own === undefined || (uid === own && (mode & 0o022) === 0)) return;
  throw new Error(
    `other users may write to ${folder}; remove it, or set XDG_CACHE_HOME to a folder of your own`,
  );
}

/** Removes the folders of other versions, except the newest ones. */
function removeOld(parent: string, digest: string): void {
  const others = readdirSync(parent)
    .filter((name) => name !== digest)
    .map((name) => ({ name, time: statSync(join(parent, name)).mtimeMs }))
    .toSorted((one, other) => other.time - one.time);
  for (const { name } of others.slice(keptMax))
    rmSync(join(parent, name), { recursive: true, force: true });
}
