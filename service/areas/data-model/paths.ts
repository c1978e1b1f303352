// Paths and contents of files as requests send them. Paths are relative, with `/`, and safe on every file system.
import { Failure } from "../../../core/errors.ts";
import { invalidPathReason } from "../../../core/data-model/model-path.ts";

/** Returns a path in its stored form. Throws `invalid` for one that could leave the project or not exist everywhere. */
export function normalizePath(text: string): string {
  const path = text.replace(/^\/+/, "").normalize("NFC");
  const reason = invalidPathReason(path);
  if (reason === undefined) return path;
  throw new Failure(
    "invalid",
    `${JSON.stringify(shorten(text))} is not a path of a file: ${reason}`,
  );
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text;
}

/** Throws `invalid` if two paths differ only in case, or if one is a folder of another. */
export function refuseClashes(paths: Iterable<string>): void {
  const all = [...paths];
  const byFolded = new Map<string, string>();
  for (const path of all) {
    const folded = path.toLowerCase();
    const other = byFolded.get(folded);
    if (other !== undefined && other !== path) {
      throw new Failure("invalid", `${other} and ${path} differ only in case; rename one of them`);
    }
    byFolded.set(folded, path);
  }
  for (const path of all) {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      const file = byFolded.get(path.slice(0, at).toLowerCase());
      if (file === undefined) continue;
      throw new Failure(
        "invalid",
        `${file} is a file, so ${path} cannot be in it; rename one of them`,
      );
    }
  }
}

/** Decodes a file. Throws `invalid` for a text that is not base64, which would decode to other bytes. */
export function base64Bytes(text: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") === text) return bytes;
  throw new Failure("invalid", "file: must be base64 with padding, without spaces or line breaks");
}
