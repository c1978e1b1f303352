// Finds the files of a data-model project in a folder, and hashes them.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";

/** A file of a project. */
export interface ProjectFile {
  /** Path relative to the project, with `/`. */
  readonly path: string;
  /** SHA-1 of the content, hexadecimal. */
  readonly hash: string;
}

/** Folders that are never part of a project. */
const skippedFolders: ReadonlySet<string> = new Set(["node_modules", "dashboard-app"]);

/**
 * Returns the files of a project, sorted by path. Skips hidden files except `.gitignore`, `node_modules` and
 * `dashboard-app`. Follows no symbolic links. Fails with `usage` for a folder that cannot be read, and with `invalid`
 * for too many or too large files.
 */
export function readProject(folder: string): readonly ProjectFile[] {
  const found: ProjectFile[] = [];
  const waiting = [""];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of entriesOf(join(folder, at))) {
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      const isHidden = entry.name.startsWith(".") && entry.name !== ".gitignore";
      if (isHidden) continue;
      if (entry.isDirectory() && !skippedFolders.has(entry.name)) waiting.push(path);
      if (!entry.isFile()) continue;
      found.push({
        path,
        hash: createHash("sha1").update(readProjectFile(folder, path)).digest("hex"),
      });
      if (found.length > limits.modelFiles) {
        throw new Failure("invalid", `${folder} has more than ${limits.modelFiles} files`, {
          remedy: "Name the folder of the data model, not one that contains other projects.",
        });
      }
    }
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Failure("usage", `cannot read the folder ${folder}: ${code ?? "unknown"}`, { cause });
  }
}

/** Reads a file of a project. */
export function readProjectFile(folder: string, path: string): Buffer {
  const file = join(folder, path);
  const { size } = statSync(file);
  if (size <= limits.modelFileBytes) return readFileSync(file);
  throw new Failure(
    "invalid",
    `${file} has ${size} bytes; a file can have at most ${limits.modelFileBytes}`,
  );
}
