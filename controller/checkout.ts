// Checks out the commit of a source: with limits, with symbolic links only inside of it, and without anything that Git would run.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { git, type GitRun, rawGit } from "../git/command.ts";
import { remoteEnvironment } from "../git/environment.ts";
import type { FetchQueue } from "../git/fetch-queue.ts";
import { isAtOrBelow } from "../reconciler/sessions.ts";
import { createLinks, linkMode, resolveLinks } from "./checkout-links.ts";
import { type GitSource, readSecret } from "./config.ts";

/** A checked-out commit. */
export interface Checkout {
  /** Hexadecimal. */
  readonly commit: string;
  /** Absolute path of the Stack's folder. */
  readonly folder: string;
}

/** What a caller wants of a commit. */
export interface WantedCheckout {
  readonly signal: AbortSignal | undefined;
  /** Returns whether the commit is wanted. */
  readonly wants: (commit: string) => boolean;
  /** Returns the absolute paths that the Stack in a folder declares outside of it. */
  readonly sharedManifests: (folder: string) => Promise<readonly string[]>;
}

/** The checkouts of one source. */
export interface Checkouts {
  /**
   * Resolves the reference, and fetches the commit if it is new and wanted; undefined if it is not wanted. Fails as the
   * network and Git do.
   */
  latest(wanted: WantedCheckout): Promise<Checkout | undefined>;
}

/** Where checkouts are kept, and how Git runs. */
export interface CheckoutOptions {
  /** Absolute path of a folder for this source only. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Limits concurrent Git operations. */
  readonly queue: FetchQueue;
}

/** Returns the checkouts of a repository. */
export function createCheckouts(
  place: GitSource,
  { folder, env, queue }: CheckoutOptions,
): Checkouts {
  let at: Checkout | undefined;
  return {
    latest: (wanted) => queue(place.url, () => latest(wanted)),
  };

  async function latest(wanted: WantedCheckout): Promise<Checkout | undefined> {
    const { url, ca, knownHosts, token, username } = place;
    const login = token && { username, token: readSecret(token, env) };
    const remote = remoteEnvironment({ url, ca, knownHosts, login }, env);
    const run = { cwd: folder, env: remote, signal: wanted.signal, ownSession: true };
    if (at === undefined) await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const tip = await resolveRef(place, run);
    if (at?.commit === tip && existsSync(at.folder)) return at;
    if (!wanted.wants(tip)) return undefined;
    const before = at;
    at = await fetchCommit(place, run, wanted);
    if (before !== undefined && before.commit !== at.commit) {
      await rm(path.join(folder, before.commit), { recursive: true, force: true });
    }
    return at;
  }
}

/** Returns the commit of the reference, also of an annotated tag. */
async function resolveRef({ url, ref }: GitSource, run: GitRun): Promise<string> {
  const names = [`${ref}^{}`, ref];
  const lines = (
    await git(["ls-remote", "--", url, ...names], { ...run, timeoutMs: limits.gitResolveMs })
  ).split("\n");
  const found = names.flatMap((name) => lines.filter((one) => one.endsWith(`\t${name}`)));
  const tip = found[0]?.split("\t")[0];
  if (tip !== undefined) return tip;
  throw new Failure("not_found", `the repository has no ${ref}`, {
    remedy: "push it, or configure another branch or ref",
  });
}

/** Fetches into a temporary repository, so that disk use does not grow. */
async function fetchCommit(
  place: GitSource,
  run: GitRun,
  { sharedManifests }: WantedCheckout,
): Promise<Checkout> {
  const folder = await mkdtemp(path.join(run.cwd, "fetch-"));
  const [store, tree] = [path.join(folder, "git"), path.join(folder, "tree")];
  try {
    await mkdir(path.join(tree, repositoryMark), { recursive: true });
    await git(["init", "--quiet", "--bare", "--template=", "--", store], run);
    const seen = "refs/svc/seen";
    const how = ["--quiet", "--no-tags", "--depth=1", "--no-recurse-submodules"];
    await git([`--git-dir=${store}`, "fetch", ...how, "--", place.url, `+${place.ref}:${seen}`], {
      ...run,
      fileBytes: limits.fetchBytes,
    });
    const commit = await git([`--git-dir=${store}`, "rev-parse", `${seen}^{commit}`], run);
    const at = { store, tree, commit, run };
    const below = place.path === "" ? "." : place.path;
    requireFolder(await checkOutWithLinks(at, [below]), { commit, below });
    const shared = (await sharedManifests(path.join(tree, place.path))).map(
      (one) => path.relative(tree, one) || ".",
    );
    if (shared.length > 0) await checkOutWithLinks(at, [below, ...shared]);
    const kept = path.join(run.cwd, commit);
    await rm(kept, { recursive: true, force: true });
    await rename(tree, kept);
    return { commit, folder: path.join(kept, place.path) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Marks the root of a repository, which bounds what a Stack may declare outside its folder. */
const repositoryMark = ".git";

/** A fetched commit. */
interface FetchedCommit {
  /** Absolute path of the bare repository. */
  readonly store: string;
  /** Absolute path of the folder to check out into. */
  readonly tree: string;
  readonly commit: string;
  readonly run: GitRun;
}

/** A file of a commit. */
interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  readonly isLink: boolean;
}

/**
 * Checks out the files at or below paths, with what their symbolic links lead to. Returns the files. Fails with `refused` for a
 * link that leaves the repository, and as {@link checkOut}.
 */
async function checkOutWithLinks(
  at: FetchedCommit,
  paths: readonly string[],
): Promise<readonly ListedFile[]> {
  const wanted = new Set(paths);
  for (let turn = 0; turn < limits.linksFollowed; turn++) {
    const files = await listFiles(at, [...wanted]);
    requireWithinLimits(files, at.commit);
    const links = files.filter((file) => file.isLink && isVisible(file.path));
    const targets = await resolveLinks(
      at,
      links.map((file) => file.path),
    );
    const isMissing = (target: string) => ![...wanted].some((one) => isAtOrBelow(one, target));
    const missing = [...targets.values()].filter(isMissing);
    if (missing.length === 0) {
      await checkOut(at, files, [...wanted]);
      await createLinks(at.tree, targets);
      return files;
    }
    for (const target of missing) wanted.add(target);
  }
  throw new Failure(
    "too_large",
    `symbolic links lead through more than ${limits.linksFollowed} folders`,
    {
      remedy: "replace links by files",
    },
  );
}

/** Returns false for hidden files, and below hidden folders: manifests are not there, and Git's links to them stay small files. */
function isVisible(file: string): boolean {
  return !/(?:^|\/)(?:\.|node_modules\/)/u.test(file);
}

/** Lists the files of a commit at or below paths. */
async function listFiles(
  { store, commit, run }: FetchedCommit,
  paths: readonly string[],
): Promise<readonly ListedFile[]> {
  const list = ["ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", ...paths];
  const lines = (await rawGit([`--git-dir=${store}`, ...list], run)).split("\0");
  return lines.flatMap((line) => {
    const [head = "", file] = line.split("\t");
    if (file === undefined) return [];
    const bytes = Number(/^\d+ blob [0-9a-f]+ +(\d+)$/u.exec(head)?.[1] ?? 0);
    return { path: file, bytes, isLink: head.startsWith(`${linkMode} `) };
  });
}

/** Checks out the paths that have files, links as small files. */
async function checkOut(
  { store, tree, commit, run }: FetchedCommit,
  all: readonly ListedFile[],
  paths: readonly string[],
): Promise<void> {
  const existing = paths.filter((one) => all.some((file) => isAtOrBelow(one, file.path)));
  if (existing.length === 0) return;
  const within = [`--git-dir=${store}`, `--work-tree=${tree}`];
  await git([...within, "checkout", "--quiet", "--force", commit, "--", ...existing], {
    ...run,
    cwd: tree,
  });
}

/** Fails with `not_found` if the folder of the Stack is empty. */
function requireFolder(
  files: readonly ListedFile[],
  { commit, below }: { commit: string; below: string },
): void {
  // A link to a folder is a file.
  if (files.some((file) => file.path !== below)) return;
  throw new Failure("not_found", `commit ${commit.slice(0, 12)} has no folder ${below}`, {
    remedy: "set git.path to the folder of the Stack; symbolic links are not followed",
  });
}

function requireWithinLimits(files: readonly ListedFile[], commit: string): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (files.length <= limits.checkoutFiles && bytes <= limits.checkoutBytes) return;
  throw new Failure(
    "too_large",
    `the source has ${files.length} files with ${bytes} bytes at commit ${commit.slice(0, 12)}; the limits are ${limits.checkoutFiles} files and ${limits.checkoutBytes} bytes`,
    { remedy: "set git.path to the folder of the Stack, and begin its globs with a folder" },
  );
}
