// Checks out the commit of a source: with limits, without symbolic links, and without anything that Git would run.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { git, type GitRun, rawGit } from "../git/command.ts";
import { remoteEnvironment } from "../git/environment.ts";
import type { FetchQueue } from "../git/fetch-queue.ts";
import { type GitSource, readSecret } from "./config.ts";

/** A checked-out commit. */
export interface Checkout {
  /** Hexadecimal. */
  readonly commit: string;
  /** Absolute path of the Stack's folder. */
  readonly folder: string;
}

/** The checkouts of one source. */
export interface Checkouts {
  /**
   * Resolves the reference, and fetches the commit if it is new and `wanted`; undefined if it is not wanted. Fails as the
   * network and Git do.
   */
  latest(
    signal: AbortSignal | undefined,
    wanted?: (commit: string) => boolean,
  ): Promise<Checkout | undefined>;
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
    latest: (signal, wanted) => queue(place.url, () => latest(signal, wanted)),
  };

  async function latest(
    ...[signal, wanted]: Parameters<Checkouts["latest"]>
  ): Promise<Checkout | undefined> {
    const { url, ca, knownHosts, token, username } = place;
    const login = token && { username, token: readSecret(token, env) };
    const remote = remoteEnvironment({ url, ca, knownHosts, login }, env);
    const run = { cwd: folder, env: remote, signal, ownSession: true };
    if (at === undefined) await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const tip = await resolveRef(place, run);
    if (at?.commit === tip && existsSync(at.folder)) return at;
    if (wanted?.(tip) === false) return undefined;
    const before = at;
    at = await fetchCommit(place, run);
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
async function fetchCommit(place: GitSource, run: GitRun): Promise<Checkout> {
  const folder = await mkdtemp(path.join(run.cwd, "fetch-"));
  const [store, tree] = [path.join(folder, "git"), path.join(folder, "tree")];
  const within = [`--git-dir=${store}`, `--work-tree=${tree}`];
  try {
    await mkdir(tree);
    await git(["init", "--quiet", "--bare", "--template=", "--", store], run);
    const seen = "refs/svc/seen";
    const how = ["--quiet", "--no-tags", "--depth=1", "--no-recurse-submodules"];
    await git([`--git-dir=${store}`, "fetch", ...how, "--", place.url, `+${place.ref}:${seen}`], {
      ...run,
      fileBytes: limits.fetchBytes,
    });
    const commit = await git([`--git-dir=${store}`, "rev-parse", `${seen}^{commit}`], run);
    const below = place.path === "" ? "." : place.path;
    const files = ["ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", below];
    requireWithinLimits(await rawGit([`--git-dir=${store}`, ...files], run), { commit, below });
    await git([...within, "checkout", "--quiet", "--force", commit, "--", below], {
      ...run,
      cwd: tree,
    });
    const kept = path.join(run.cwd, commit);
    await rm(kept, { recursive: true, force: true });
    await rename(tree, kept);
    return { commit, folder: path.join(kept, place.path) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fails with `too_large` before the checkout writes a file, and with `not_found` if the folder is empty. */
function requireWithinLimits(
  listed: string,
  { commit, below }: { commit: string; below: string },
): void {
  const sizes = listed
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => Number(/^\d+ blob [0-9a-f]+ +(\d+)\t/u.exec(line)?.[1] ?? 0));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.length === 0) {
    throw new Failure("not_found", `commit ${commit.slice(0, 12)} has no folder ${below}`, {
      remedy: "set git.path to the folder of the Stack; symbolic links are not followed",
    });
  }
  if (sizes.length <= limits.checkoutFiles && bytes <= limits.checkoutBytes) return;
  throw new Failure(
    "too_large",
    `commit ${commit.slice(0, 12)} has ${sizes.length} files with ${bytes} bytes in ${below}; the limits are ${limits.checkoutFiles} files and ${limits.checkoutBytes} bytes`,
    { remedy: "set git.path to the folder of the Stack" },
  );
}
