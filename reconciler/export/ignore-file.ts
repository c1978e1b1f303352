// The `.gitignore` of a stack.
import { existsSync } from "node:fs";
import path from "node:path";
import type { ExportedFile } from "./files.ts";

/** The file with the JSON Schema of all documents, which is committed, so that editors complete in every clone. */
export const schemaFile = ".svc/manifest.schema.json";

/** Inventories and secrets, in every folder. */
const ignored = ["**/.svc/*", `!/${schemaFile}`, "secrets/"];

/** A new `.gitignore`, or the lines that an existing one may lack. */
export interface IgnoreFile {
  readonly files: readonly ExportedFile[];
  /** Lines that an existing `.gitignore` may lack. */
  readonly missingIgnores: readonly string[];
}

/** Returns the `.gitignore` of a folder that becomes the folder of a stack. An existing one is not changed. */
export function ignoreFileFor(folder: string): IgnoreFile {
  const name = ".gitignore";
  return existsSync(path.join(folder, name))
    ? { files: [], missingIgnores: ignored }
    : { files: [{ path: name, text: `${ignored.join("\n")}\n` }], missingIgnores: [] };
}
