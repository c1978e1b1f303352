// What Git commits in the place of files whose contents are elsewhere: submodules, and the pointers of Git LFS.
import { Failure } from "../errors.ts";

const firstLines = [
  "version https://git-lfs.github.com/spec/",
  "version https://hawser.github.com/spec/",
];

/** Bytes that a pointer can have. */
export const lfsPointerBytes = 1024;

/** Returns whether a content is a Git LFS pointer. */
export function isLfsPointer(bytes: Uint8Array): boolean {
  if (bytes.length >= lfsPointerBytes) return false;
  const text = Buffer.from(bytes.subarray(0, 64)).toString("latin1");
  return firstLines.some((line) => text.startsWith(line));
}

/** Returns the error for a file that is a Git LFS pointer. `code` is that of the operation. */
export function lfsPointerError(path: string, code: "invalid" | "refused"): Failure {
  const text = `${path} is a Git LFS pointer, and the content of the file is elsewhere; commit the file itself`;
  return new Failure(code, text);
}

/** Returns the error for a submodule. */
export function submoduleError(path: string, code: "invalid" | "refused"): Failure {
  return new Failure(code, `${path} is a submodule, which is not followed; replace it by files`);
}
