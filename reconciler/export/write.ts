// Writes exported files to a folder, all or nothing. Overwrites files only with `overwrite`.
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { temporaryPath } from "../../files/atomic-files.ts";
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
    const named = existing.slice(0, limits.placesNamed).map((file) => path.join(folder, file.path));
    const more =
      existing.length > named.length ? ` and ${existing.length - named.length} more` : "";
    throw new Failure("refused", `${named.join(", ")}${more} would be overwritten`, { remedy });
  }
  replaceAll(files.map((file) => [path.join(folder, file.path), file.text]));
}

const overwriteRemedy =
  "Choose another folder, or pass --overwrite to replace the files; --update changes only what differs.";

/** Replaces a file atomically. */
export function replaceFile(file: string, content: string | Buffer): void {
  replaceAll([[file, content]]);
}

/**
 * Writes all temporary files before it renames the first, so that a full disk or a missing permission leaves all files
 * unchanged.
 */
function replaceAll(files: readonly (readonly [file: string, content: string | Buffer])[]): void {
  const written: [fresh: string, file: string][] = [];
  try {
    for (const [file, content] of files) {
      const fresh = temporaryPath(file);
      withFileErrors(file, () => {
        mkdirSync(path.dirname(file), { recursive: true });
        written.push([fresh, file]);
        writeTemporary(fresh, file, content);
      });
    }
    for (const [fresh, file] of written) withFileErrors(file, () => renameSync(fresh, file));
  } catch (error) {
    for (const [fresh] of written) rmSync(fresh, { force: true });
    throw error;
  }
}

function writeTemporary(fresh: string, file: string, content: string | Buffer): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory() === true)
    throw new Failure("usage", `cannot write ${file}: it is a folder`);
  writeFileSync(fresh, content, { flag: "wx", ...(found !== undefined && { mode: found.mode }) });
}

function withFileErrors(file: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("usage", `cannot write ${file}: ${systemErrorText(error)}`, { cause: error });
  }
}
