// Reads which commit a folder is checked out at. Reads Git's files only: running git could run code of the repository.
import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const hash = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
/** The number of parent folders to search. */
const maxParents = 64;

/** Returns the commit that `folder` is checked out at. Undefined outside a repository, or if it has no commit. */
export function commitAt(folder: string): string | undefined {
  const repository = repositoryOf(folder);
  if (repository === undefined) return undefined;
  const head = textOf(join(repository, "HEAD"));
  const branch = head?.startsWith("ref: ") ? head.slice(5) : undefined;
  if (branch === undefined) return head !== undefined && hash.test(head) ? head : undefined;
  if (!/^refs\/[^\0]+$/.test(branch) || branch.includes("..")) return undefined;
  // A linked worktree shares the branches of the main one.
  const common = textOf(join(repository, "commondir"));
  const shared = common === undefined ? repository : resolve(repository, common);
  const loose = textOf(join(shared, branch));
  if (loose !== undefined && hash.test(loose)) return loose;
  const packed = textOf(join(shared, "packed-refs"))?.split("\n") ?? [];
  const line = packed.find((text) => text.endsWith(` ${branch}`));
  const found = line?.split(" ")[0] ?? "";
  return hash.test(found) ? found : undefined;
}

/** Returns the root of the Git repository that contains a folder. Undefined outside a repository. */
export function repositoryRoot(folder: string): string | undefined {
  let parent = resolve(folder);
  for (let up = 0; up < maxParents; up++) {
    if (statSync(join(parent, ".git"), { throwIfNoEntry: false }) !== undefined) return parent;
    if (dirname(parent) === parent) return undefined;
    parent = dirname(parent);
  }
  return undefined;
}

function repositoryOf(folder: string): string | undefined {
  let parent = resolve(folder);
  for (let up = 0; up < maxParents; up++) {
    const place = join(parent, ".git");
    const entry = statSync(place, { throwIfNoEntry: false });
    if (entry?.isDirectory() === true) return place;
    if (entry?.isFile() === true) {
      const named = /^gitdir: (.+)$/.exec(textOf(place) ?? "")?.[1];
      return named === undefined ? undefined : resolve(parent, named);
    }
    if (dirname(parent) === parent) return undefined;
    parent = dirname(parent);
  }
  return undefined;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
