// A repository that any number of sources read: its reference is resolved, and its commit fetched, once for all of them.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import pLimit from "p-limit";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { git, type GitRun } from "../git/command.ts";
import { remoteEnvironment } from "../git/environment.ts";
import type { HostQueue } from "../git/host-queue.ts";
import type { Clock } from "./clock.ts";
import { type GitSource, readSecret } from "./config.ts";

/** A repository, at one reference. */
export type Remote = Omit<GitSource, "path">;

/** How old an outcome may be that a source shares with others, in milliseconds. */
export interface MaximumAge {
  readonly successMs: number;
  readonly failureMs: number;
}

/** A request of a source to its repository. */
export interface RepositoryRequest {
  /** The name of the source. */
  readonly source: string;
  readonly signal: AbortSignal | undefined;
  readonly maximumAge: MaximumAge;
  /** Set by a webhook: no outcome from before this moment of the monotonic clock counts. */
  readonly since: number | undefined;
}

/** A fetched commit. */
export interface FetchedCommit {
  /** Absolute path of the bare repository. */
  readonly store: string;
  readonly commit: string;
  readonly run: GitRun;
}

/** A repository whose network operations sources share. */
export interface Repository {
  /** Returns the commit of the reference. Fails as the network and Git do. */
  tip(request: RepositoryRequest): Promise<string>;
  /** Calls `use` with the fetched tip; never twice at the same time. Fails as the network and Git do. */
  withTip<T>(request: RepositoryRequest, use: (fetched: FetchedCommit) => Promise<T>): Promise<T>;
}

/** The place of a repository on this machine, and the settings of Git. */
export interface RepositoryOptions {
  /** Absolute path of a folder for this repository only. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly queue: HostQueue;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Called when a source has found another commit than the one before. */
  readonly onNewTip?: ((foundBy: string, tip: string) => void) | undefined;
}

/** An operation that ended, when it began, and whether it failed. */
interface Attempt {
  readonly startedMs: number;
  readonly failed: boolean;
  readonly outcome: Promise<string>;
}

/** Returns a repository. Its folder is empty or missing. */
export function openRepository(
  remote: Remote,
  { folder, env, queue, clock, onNewTip }: RepositoryOptions,
): Repository {
  const oneAtATime = pLimit(1);
  let resolved: Attempt | undefined;
  let lastTip: string | undefined;
  let fetched: (Attempt & { readonly tip: string }) | undefined;

  const isCurrent = (
    { startedMs, failed }: Attempt,
    { maximumAge, since = -Infinity }: RepositoryRequest,
  ): boolean => {
    const ageMs = clock.monotonicMs() - startedMs;
    return startedMs > since && ageMs < (failed ? maximumAge.failureMs : maximumAge.successMs);
  };

  const attempt = async (operation: () => Promise<string>): Promise<Attempt> => {
    const startedMs = clock.monotonicMs();
    const outcome = queue(remote.url, operation);
    const [{ status }] = await Promise.allSettled([outcome]);
    return { startedMs, failed: status === "rejected", outcome };
  };

  const runFor = async ({ signal }: RepositoryRequest): Promise<GitRun> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { url, ca, knownHosts, sshKey, token, username } = remote;
    const login = token && { username, token: readSecret(token, env) };
    const environment = remoteEnvironment({ url, ca, knownHosts, sshKey, login }, env);
    return { cwd: folder, env: environment, signal, ownSession: true };
  };

  const resolve = async (request: RepositoryRequest): Promise<string> => {
    if (resolved === undefined || !isCurrent(resolved, request)) {
      const run = await runFor(request);
      resolved = await attempt(() => resolveReference(remote, run));
      const tip = await resolved.outcome;
      if (lastTip !== undefined && lastTip !== tip) onNewTip?.(request.source, tip);
      lastTip = tip;
    }
    return resolved.outcome;
  };

  /** Returns whether a fetch need not be repeated: its repository is there, or it failed not long ago. */
  const isUsable = async (fetch: Attempt, request: RepositoryRequest): Promise<boolean> =>
    fetch.failed ? isCurrent(fetch, request) : existsSync(await fetch.outcome);

  const fetchTip = async (request: RepositoryRequest): Promise<FetchedCommit> => {
    const tip = await resolve(request);
    const run = await runFor(request);
    if (fetched?.tip !== tip || !(await isUsable(fetched, request))) {
      fetched = { tip, ...(await attempt(() => fetchCommit(remote, run))) };
    }
    const store = await fetched.outcome;
    return { store, commit: path.basename(store, storeEnding), run };
  };

  return {
    tip: (request) => oneAtATime(() => resolve(request)),
    withTip: (request, use) => oneAtATime(async () => use(await fetchTip(request))),
  };
}

/** Returns the commit of the reference, also of an annotated tag. */
async function resolveReference({ url, ref }: Remote, run: GitRun): Promise<string> {
  const names = [`${ref}^{}`, ref];
  const lines = (
    await git(["ls-remote", "--", url, ...names], { ...run, timeoutMs: limits.gitResolveMs })
  ).split("\n");
  const matching = names.flatMap((name) => lines.filter((line) => line.endsWith(`\t${name}`)));
  const tip = matching[0]?.split("\t")[0];
  if (tip !== undefined) return tip;
  throw new Failure("not_found", `the repository has no ${ref}`, {
    remedy: "Push it, or configure another branch or ref.",
  });
}

const storeEnding = ".git";

/** Fetches the reference into a new bare repository, which replaces the one before, so that disk use does not grow. Returns its path. */
async function fetchCommit({ url, ref }: Remote, run: GitRun): Promise<string> {
  const folder = await mkdtemp(path.join(run.cwd, "fetch-"));
  try {
    await git(["init", "--quiet", "--bare", "--template=", "--", folder], run);
    const seen = "refs/svc/seen";
    const how = ["--quiet", "--no-tags", "--depth=1", "--no-recurse-submodules"];
    await git([`--git-dir=${folder}`, "fetch", ...how, "--", url, `+${ref}:${seen}`], {
      ...run,
      fileBytes: limits.fetchBytes,
    });
    const commit = await git([`--git-dir=${folder}`, "rev-parse", `${seen}^{commit}`], run);
    for (const name of await readdir(run.cwd)) {
      const other = path.join(run.cwd, name);
      if (other !== folder) await rm(other, { recursive: true, force: true });
    }
    const store = path.join(run.cwd, `${commit}${storeEnding}`);
    await rename(folder, store);
    return store;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
