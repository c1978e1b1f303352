// Puts exported files into a folder: whole or not at all, and over nothing that is there unless that is said.
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { codeOf } from "../operator/atomic-write.ts";
import type { ExportedFile } from "./files.ts";

/**
 * Writes the files below `folder`, which is made where it is missing. Fails with `refused` before anything is written where
 * one of them is there already, unless `overwrite` is set; and with `usage` where a path cannot be written.
 */
export function writeFiles(
  folder: string,
  files: readonly ExportedFile[],
  { overwrite }: { readonly overwrite: boolean },
): void {
  const there = files.filter((file) => existsSync(path.join(folder, file.path)));
  if (there.length > 0 && !overwrite) {
    const named = there.slice(0, limits.placesNamed).map((file) => path.join(folder, file.path));
    const more = there.length > named.length ? ` and ${there.length - named.length} more` : "";
    throw new Failure("refused", `${named.join(", ")}${more} would be overwritten`, {
      remedy:
        "name another folder, or say --overwrite if nothing in them is to be kept; --update changes only what differs",
    });
  }
  for (const file of files) replaceFile(path.join(folder, file.path), file.text);
}

/** Replaces one file by a text, or leaves it as it is. */
export function replaceFile(file: string, text: string): void {
  const fresh = `${file}.${process.pid}-${crypto.randomUUID()}.tmp`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    const mode = statSync(file, { throwIfNoEntry: false })?.mode;
    writeFileSync(fresh, text, { flag: "wx", ...(mode !== undefined && { mode }) });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw new Failure("usage", `${file} cannot be written: ${codeOf(error) || "unknown"}`, {
      cause: error,
    });
  }
}
