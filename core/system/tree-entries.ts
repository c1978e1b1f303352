// Parses the output of `git ls-tree -z`, with and without `-l`.

/** A path of a commit. */
export interface TreeEntry {
  /** From the root of the repository. */
  readonly path: string;
  /** Octal, as in {@link treeModes}. */
  readonly mode: string;
  readonly hash: string;
  /** Of a file or link, with `-l`; else 0. */
  readonly bytes: number;
}

/** The modes of entries that are not ordinary files. */
export const treeModes = { folder: "040000", link: "120000", submodule: "160000" };

/** Returns the entries. A path may contain every character but NUL. */
export function parseTreeEntries(output: string): readonly TreeEntry[] {
  return output.split("\0").flatMap((record) => {
    const [, mode = "", hash = "", bytes = "0", path] =
      /^(\d+) \w+ ([0-9a-f]+)(?: +(\d+|-))?\t(.*)$/su.exec(record) ?? [];
    return path === undefined ? [] : [{ path, mode, hash, bytes: Number(bytes) || 0 }];
  });
}

/** True for hidden files, for files below hidden folders, and for installed packages: manifests are not there. */
export function isHiddenPath(file: string): boolean {
  return /(?:^|\/)(?:\.|node_modules\/)/u.test(file);
}
