// Writes exported files to a folder, all or nothing. Overwrites files only with `overwrite`.
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { Failure } from "../../core/errors.ts";
import { firstNames } from "../../core/text/first-names.ts";
import { type FileWrite, writeAllAtomically } from "../../files/atomic-files.ts";
import { systemErrorText } from "../../core/system/system-error.ts";
import type { ExportedFile } from "./files.ts";

/**
 * Writes the files below `folder`, which is created if missing. Fails with `refused` before any write
 * if a file exists and `overwrite` is not set, and with `usage` if a path cannot be written.
 */
export function writeFiles(
  folder: string,
  files: readonly ExportedFile[],
  {
    overwrite,
    remedy = overwriteRemedy,
  }: { readonly overwrite: boolean; readonly remedy?: string },
): void {
  const existing = files.filter((file) => existsSync(path.join(folder, file.path)));
  if (existing.length > 0 && !overwrite) {
    const named = firstNames(existing.map((file) => path.join(folder, file.path)));
    throw new Failure("refused", `${named} would be overwritten`, { remedy });
  }
  replaceAll(files.map((file) => [path.join(folder, file.path), file.text]));
}

const overwriteRemedy =
  "Choose another folder, or pass --overwrite to replace the files; --update changes only what differs.";

/** Replaces a file atomically. */
export function replaceFile(file: string, content: string | Buffer): void {
  replaceAll([[file, content]]);
}

function replaceAll(files: readonly (readonly [file: string, content: string | Buffer])[]): void {
  const writes = files.map(([file, content]) => ({
    path: file,
    content: typeof content === "string" ? [content] : content,
    ...modeOf(file),
  }));
  for (const { path: file } of writes) {
    attempt(file, () => {
      requireNoFolder(file);
      mkdirSync(path.dirname(file), { recursive: true });
    });
  }
  writeAllAtomically(writes, attempt);
}

/** Keeps the mode of a file that exists. */
function modeOf(file: string): Pick<FileWrite, "mode" | "beforeRename"> {
  const existing = statSync(file, { throwIfNoEntry: false });
  return existing === undefined
    ? { mode: 0o666 }
    : { beforeRename: (fresh) => chmodSync(fresh, existing.mode) };
}

function requireNoFolder(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new Failure("usage", `cannot write ${file}: it is a folder`);
}

function attempt(file: string, step: () => void): void {
  try {
    step();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("usage", `cannot write ${file}: ${systemErrorText(error)}`, { cause: error });
  }
}
