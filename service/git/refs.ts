// The branches of a remote: list, fetch, push and delete.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { gitRefNamePattern } from "../../core/text/text-patterns.ts";
import { git } from "../../git/command.ts";
import type { RemoteSession } from "./remote.ts";

/** The branches of a remote. */
export interface RemoteRefs {
  /** Commits by the name of the branch. */
  readonly heads: ReadonlyMap<string, string>;
  /** The branch that HEAD names. */
  readonly defaultBranch: string | undefined;
}

const prefix = "refs/heads/";
const refName = new RegExp(gitRefNamePattern, "u");

/** Returns the full reference of a branch. Throws `invalid` for a name that could mean something else to Git. */
export function refOf(branch: string): string {
  if (isRefName(branch)) return `${prefix}${branch}`;
  throw new Failure(
    "invalid",
    `the branch ${JSON.stringify(branch)} cannot be in a Git remote; use letters, digits and ._/-`,
  );
}

/** Returns whether the service asks a remote for a branch or tag of this name. */
export function isRefName(name: string): boolean {
  return name.length <= 255 && refName.test(name);
}

/** Lists the named branches of a remote; all of them without names. */
export async function listRefs(
  { url, run }: RemoteSession,
  branches?: readonly string[],
): Promise<RemoteRefs> {
  const wanted = branches && new Set(branches.map(refOf));
  const patterns = wanted ?? [`${prefix}*`];
  const output = await git(["ls-remote", "--symref", "--", url, "HEAD", ...patterns], run);
  const heads = new Map<string, string>();
  let defaultBranch: string | undefined;
  for (const line of output.split("\n")) {
    const [value = "", name = ""] = line.split("\t");
    if (name === "HEAD" && value.startsWith(`ref: ${prefix}`)) {
      defaultBranch = value.slice(`ref: ${prefix}`.length);
    }
    // A pattern also matches the end of a name, such as refs/x/refs/heads/main.
    const isWanted = wanted?.has(name) ?? name.startsWith(prefix);
    if (isWanted && /^[0-9a-f]{40,64}$/.test(value)) heads.set(name.slice(prefix.length), value);
  }
  return { heads, defaultBranch };
}

/** Returns the last commit of a branch; undefined if the remote does not have it. */
export async function readHead(
  session: RemoteSession,
  branch: string,
): Promise<string | undefined> {
  return (await listRefs(session, [branch])).heads.get(branch);
}

/**
 * Returns the commit of a branch or a tag; without a name, of the default branch. A branch wins over a tag of the same
 * name. Throws `invalid` if the remote has neither.
 */
export async function resolveRef(
  { url, run }: RemoteSession,
  name: string | undefined,
): Promise<string> {
  const patterns =
    name === undefined
      ? ["HEAD"]
      : [`${prefix}${name}`, `refs/tags/${name}^{}`, `refs/tags/${name}`];
  if (name !== undefined && !isRefName(name)) throw unknownRef(name);
  const output = await git(["ls-remote", "--", url, ...patterns], run);
  const commits = new Map(
    output.split("\n").map((line) => {
      const [commit = "", ref = ""] = line.split("\t");
      return [ref, commit] as const;
    }),
  );
  const commit = patterns.map((ref) => commits.get(ref)).find((one) => one !== undefined);
  if (commit !== undefined && /^[0-9a-f]{40,64}$/u.test(commit)) return commit;
  throw unknownRef(name);
}

function unknownRef(name: string | undefined): Failure {
  const what = name === undefined ? "default branch" : `branch or tag ${JSON.stringify(name)}`;
  return new Failure("invalid", `the Git remote has no ${what}`);
}

/**
 * Returns a function that returns the last commit of a branch. The first call lists all the given branches with one
 * command. A repeated call for a branch lists it again, because the remote may have changed.
 */
export function headReader(
  session: RemoteSession,
  branches: readonly string[],
): (branch: string) => Promise<string | undefined> {
  const unread = new Set(branches.filter(isRefName));
  let listed: RemoteRefs | undefined;
  return async (branch) => {
    if (!unread.has(branch)) return readHead(session, branch);
    listed ??= await listRefs(session, [...unread]);
    unread.delete(branch);
    return listed.heads.get(branch);
  };
}

/** Fetches a commit with its files, and with `depth` commits of its history. */
export async function fetchCommit(
  { url, run }: RemoteSession,
  commit: string,
  depth = 1,
): Promise<void> {
  const how = ["--quiet", "--no-tags", `--depth=${depth}`, "--no-recurse-submodules"];
  await git(["fetch", ...how, "--", url, commit], run);
}

/**
 * Returns a fetched commit and the newest ancestors of it that were fetched. Every commit comes after its descendants.
 */
export async function historyOf(
  { run }: RemoteSession,
  commit: string,
): Promise<readonly string[]> {
  const most = `--max-count=${limits.gitHistory}`;
  return (await git(["rev-list", "--date-order", most, commit, "--"], run))
    .split("\n")
    .filter(Boolean);
}

/** A commit of a branch. */
export interface BranchCommit {
  readonly commit: string;
  readonly subject: string;
  /** ISO 8601. */
  readonly committedAt: string;
}

/** Fetches a commit and its history, and returns at most `most` of it and its first parents, the newest first. */
export async function listFirstParents(
  session: RemoteSession,
  commit: string,
  most: number = limits.gitHistory,
): Promise<readonly BranchCommit[]> {
  await fetchCommit(session, commit, most);
  const how = ["--first-parent", `--max-count=${most}`, "-z", "--format=%H %ct %s"];
  const output = await git(["log", ...how, commit, "--"], session.run);
  return output.split("\0").flatMap((line) => {
    const [, hash, seconds, subject = ""] = /^([0-9a-f]+) (\d+) (.*)$/u.exec(line) ?? [];
    if (hash === undefined) return [];
    const committedAt = new Date(Number(seconds) * 1000).toISOString();
    return [{ commit: hash, subject: shortSubject(subject), committedAt }];
  });
}

function shortSubject(subject: string): string {
  return subject.slice(0, 200).toWellFormed();
}

/** Returns the subject of a fetched commit. */
export async function subjectOf({ run }: RemoteSession, commit: string): Promise<string> {
  return shortSubject(await git(["show", "--no-patch", "--format=%s", commit, "--"], run));
}

/** A change of one branch of a remote. */
export interface RefChange {
  readonly branch: string;
  /** The commit that the branch must be at; undefined if it must not exist. */
  readonly from: string | undefined;
  /** Undefined to delete the branch. */
  readonly to: string | undefined;
}

/**
 * Changes a branch of a remote if it is at the expected commit. Throws `unavailable` with Git's reason otherwise; the
 * change may have been made if the answer was lost.
 */
export async function pushRef(
  { url, run }: RemoteSession,
  { branch, from, to }: RefChange,
): Promise<void> {
  const ref = refOf(branch);
  const lease = `--force-with-lease=${ref}:${from ?? ""}`;
  await git(["push", "--quiet", lease, "--", url, `${to ?? ""}:${ref}`], run);
}
