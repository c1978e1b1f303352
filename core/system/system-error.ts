// Describes errors of the operating system in words.

const reasons: Readonly<Record<string, string>> = {
  EACCES: "you have no permission",
  EADDRINUSE: "another process uses this address",
  EADDRNOTAVAIL: "this machine does not have the address",
  EEXIST: "it exists already",
  EIO: "the disk reported an error",
  EISDIR: "it is a folder",
  ELOOP: "it is a link to itself",
  EMFILE: "too many files are open",
  ENOENT: "no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is not a folder",
  ENOTFOUND: "the host does not exist",
  EPERM: "you have no permission",
  EROFS: "the disk is read-only",
};

/** Returns the system code of an error, such as `ENOENT`, or an empty string. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

/** Returns whether an error of the file system is a missing permission or a read-only file system. */
export function isPermissionError(error: unknown): boolean {
  return ["EACCES", "EPERM", "EROFS"].includes(codeOf(error));
}

/** Returns why a call of the operating system failed: in words, or else its code. */
export function systemErrorText(error: unknown): string {
  const code = codeOf(error);
  if (code === "") return "unknown error";
  return (Object.hasOwn(reasons, code) ? reasons[code] : undefined) ?? code;
}
