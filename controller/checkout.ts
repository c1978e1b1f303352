// Checks out the commit of a source: with limits, with symbolic links only inside of it, and without anything that Git would run.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { lfsPointerError, submoduleError } from "../core/system/unfollowed-files.ts";
import { isHiddenPath, type TreeEntry, treeModes } from "../core/system/tree-entries.ts";
import { git } from "../git/command.ts";
import { createLinks, type LinkTarget, resolveLinks } from "./checkout-links.ts";
import { childOf, type CommitTree, namesOf, openCommitTree, pathOf } from "./commit-tree.ts";
import type { FetchedCommit, Repository, RepositoryRequest } from "./repository.ts";

/** A checked-out commit. */
export interface Checkout {
  /** Hexadecimal. */
  readonly commit: string;
  /** Absolute path of the Stack's folder. */
  readonly folder: string;
}

/** The parts of a commit that a caller needs. */
export interface WantedCheckout {
  readonly signal: AbortSignal | undefined;
  /** See {@link RepositoryRequest}. */
  readonly since: number | undefined;
  /** Returns whether the commit is wanted. */
  readonly wants: (commit: string) => boolean;
  /** Returns the absolute paths that the Stack in a folder declares outside of it. */
  readonly sharedManifests: (folder: string) => Promise<readonly string[]>;
}

/** The checkouts of one source. */
export interface Checkouts {
  /**
   * Checks out the tip of the repository if it is new and wanted; undefined if it is not wanted. Fails as the network and
   * Git do.
   */
  latest(wanted: WantedCheckout): Promise<Checkout | undefined>;
}

/** The source of checkouts, and where they are. */
export interface CheckoutOptions extends Pick<RepositoryRequest, "source" | "maximumAge"> {
  /** Absolute path of a folder for this source only. */
  readonly folder: string;
  /** Folder of the Stack in the repository; empty for the root. */
  readonly path: string;
}

/** Returns the checkouts of a repository for one source. */
export function createCheckouts(
  repository: Repository,
  { folder, path: below, ...shared }: CheckoutOptions,
): Checkouts {
  let last: Checkout | undefined;
  return {
    latest: async (wanted) => {
      const request = { ...shared, signal: wanted.signal, since: wanted.since };
      if (last === undefined) await rm(folder, { recursive: true, force: true });
      const tip = await repository.tip(request);
      if (last?.commit === tip && existsSync(last.folder)) return last;
      if (!wanted.wants(tip)) return undefined;
      const before = last;
      last = await repository.withTip(request, (fetched) =>
        checkOutCommit(fetched, { folder, below, wanted }),
      );
      if (before !== undefined && before.commit !== last.commit) {
        await rm(path.join(folder, before.commit), { recursive: true, force: true });
      }
      return last;
    },
  };
}

/** Checks out the folder of a Stack, and what the Stack declares elsewhere in the repository. */
async function checkOutCommit(
  fetched: FetchedCommit,
  {
    folder,
    below,
    wanted: { sharedManifests },
  }: { readonly folder: string; readonly below: string; readonly wanted: WantedCheckout },
): Promise<Checkout> {
  const { commit } = fetched;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const tree = await mkdtemp(path.join(folder, "new-"));
  try {
    await mkdir(path.join(tree, repositoryMark));
    const at = { ...fetched, tree };
    const files = openCommitTree(at);
    const stack = below === "" ? "." : below;
    await requireFolder(files, { commit, below: stack });
    await checkOutWithLinks(at, files, [stack]);
    const shared = (await sharedManifests(path.join(tree, below))).map(
      (one) => path.relative(tree, one) || ".",
    );
    if (shared.length > 0) await checkOutWithLinks(at, files, [stack, ...shared]);
    const kept = path.join(folder, commit);
    await rm(kept, { recursive: true, force: true });
    await rename(tree, kept);
    return { commit, folder: path.join(kept, below) };
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}

/** Marks the root of a repository, which bounds what a Stack may declare outside its folder. */
const repositoryMark = ".git";

/** A fetched commit, and the folder to check out into. */
interface TargetTree extends FetchedCommit {
  /** Absolute path. */
  readonly tree: string;
}

/**
 * Checks out the files at or below paths, with the targets of their symbolic links. Fails with `refused` for a link
 * that leaves the repository, a submodule or a Git LFS pointer, and with `too_large` beyond the limits.
 */
async function checkOutWithLinks(
  at: TargetTree,
  tree: CommitTree,
  paths: readonly string[],
): Promise<void> {
  const targets = new Map<string, LinkTarget>();
  let next = paths;
  for (let turn = 0; next.length > 0; turn++) {
    if (turn >= limits.linksFollowed) throw farLinksError();
    await tree.list(next);
    requireWithinLimits(tree.files, at.commit);
    for (const { path: file, mode } of tree.files.values()) {
      if (mode === treeModes.submodule) throw submoduleError(file, "refused");
    }
    // Links at hidden paths, where no manifests are, stay small files.
    const isNew = ({ path: file, mode }: TreeEntry) =>
      mode === treeModes.link && !targets.has(file) && !isHiddenPath(file);
    const links = [...tree.files.values()].filter(isNew).map((file) => file.path);
    const found = await resolveLinks(tree, links);
    for (const [link, target] of found) targets.set(link, target);
    next = [...found.values()].filter(({ isListed }) => !isListed).map((target) => target.path);
  }
  const pointer = await tree.findLfsPointer();
  if (pointer !== undefined) throw lfsPointerError(pointer, "refused");
  await checkOut(at, [...tree.files.values()]);
  await createLinks(at.tree, targets);
}

/**
 * Checks out files, links as small files. Puts exactly these into the index: Git matches every file with every path that it is
 * given, and a command line is limited.
 */
async function checkOut(
  { store, tree, run }: TargetTree,
  files: readonly TreeEntry[],
): Promise<void> {
  const list = files.map(({ mode, hash, path: file }) => `${mode} ${hash}\t${file}\0`);
  await git([`--git-dir=${store}`, "update-index", "--add", "-z", "--index-info"], {
    ...run,
    input: list.join(""),
  });
  const within = [`--git-dir=${store}`, `--work-tree=${tree}`];
  await git([...within, "checkout-index", "--all", "--quiet", "--force"], { ...run, cwd: tree });
}

/** Fails with `not_found` if the Stack's path is not a folder or is empty. A symbolic link in its path is not followed. */
async function requireFolder(
  tree: CommitTree,
  { commit, below }: { commit: string; below: string },
): Promise<void> {
  const remedy = "Set git.path to the folder of the Stack; symbolic links are not followed in it.";
  let node = tree.root;
  for (const name of namesOf(below)) {
    node = childOf(node, name);
    if (node.type === undefined) await tree.look([node], []);
    if (node.type === "folder") continue;
    if (node.type === "submodule") throw submoduleError(pathOf(node), "refused");
    const what =
      node.type === "link"
        ? `${pathOf(node)} is a symbolic link`
        : `commit ${commit.slice(0, 12)} has no folder ${below}`;
    throw new Failure("not_found", what, { remedy });
  }
  await tree.list([below]);
  if (tree.files.size > 0) return;
  throw new Failure("not_found", `commit ${commit.slice(0, 12)} has no files in ${below}`, {
    remedy,
  });
}

function farLinksError(): Failure {
  return new Failure(
    "too_large",
    `symbolic links lead through more than ${limits.linksFollowed} folders`,
    { remedy: "Replace links by files." },
  );
}

function requireWithinLimits(files: CommitTree["files"], commit: string): void {
  let bytes = 0;
  for (const file of files.values()) bytes += file.bytes;
  if (files.size <= limits.checkoutFiles && bytes <= limits.checkoutBytes) return;
  throw new Failure(
    "too_large",
    `the source has ${files.size} files with ${bytes} bytes at commit ${commit.slice(0, 12)}; the limits are ${limits.checkoutFiles} files and ${limits.checkoutBytes} bytes`,
    { remedy: "Set git.path to the folder of the Stack, and begin its globs with a folder." },
  );
}
