// Writes exported files to a folder, all or nothing. Overwrites files only with `overwrite`.
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { systemErrorText } from "../../core/system-error.ts";
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
  const there = files.filter((file) => existsSync(path.join(folder, file.path)));
  if (there.length > 0 && !overwrite) {
    const named = there.slice(0, limits.placesNamed).map((file) => path.join(folder, file.path));
    const more = there.length > named.length ? ` and ${there.length - named.length} more` : "";
    throw new Failure("refused", `${named.join(", ")}${more} would be overwritten`, { remedy });
  }
  for (const file of files) replaceFile(path.join(folder, file.path), file.text);
}

const overwriteRemedy =
  "Choose another folder, or pass --overwrite to replace the files; --update changes only what differs.";

/** Replaces a file atomically. */
export function replaceFile(file: string, content: string | Buffer): void {
  const fresh = `${file}.${process.pid}-${crypto.randomUUID()}.tmp`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    const mode = statSync(file, { throwIfNoEntry: false })?.mode;
    writeFileSync(fresh, content, { flag: "wx", ...(mode !== undefined && { mode }) });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw new Failure("usage", `cannot write ${file}: ${systemErrorText(error)}`, {
      cause: error,
    });
  }
}
