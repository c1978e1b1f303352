// The checksums of a release, in the format of sha256sum.
import { createHash } from "node:crypto";

/** Returns a line for each file, by name and content. */
export function checksums(files) {
  return [...files]
    .map(([name, bytes]) => `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`)
    .join("");
}
