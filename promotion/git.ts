// The local Git repository of the manifests: reads committed files and adds one commit atomically.
import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { escapeInvisible } from "../core/text/escape-text.ts";
import { git as gitIn, gitOutcome, rawGit } from "../git/command.ts";

/** A file of a repository with its new text. */
export interface FileChange {
  /** Path from the repository's root, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** A repository on a branch. */
export interface Repository {
  /** Absolute. */
  readonly root: string;
  /** `refs/heads/main`. */
  readonly branch: string;
  /** The commit that the branch is at. */
  readonly head: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the repository of a folder. Fails with `refused` if there is none, if no branch is checked out, or without a readable commit. */
export async function repositoryAt(folder: string, env: Env): Promise<Repository> {
  const root = await git(folder, ["rev-parse", "--show-toplevel"], env).catch((cause: unknown) => {
    // Git may also be missing, or refuse its configuration or the owner of the folder: its own message says so.
    if (!/not a git repository|must be run in a work tree/u.test(String(cause))) throw cause;
    throw new Failure("refused", `${folder} is not in a Git working tree`, {
      cause,
      remedy:
        "Only a clone can be written to: pass --direct to apply without a commit, or commit the manifests after `git init`.",
    });
  });
  const read = (...args: readonly string[]): Promise<string | undefined> =>
    git(root, args, env).catch(() => undefined);
  const branch = await read("symbolic-ref", "--quiet", "HEAD");
  const head = await read("rev-parse", "--verify", "--quiet", "HEAD^{commit}");
  if (head === undefined) throw await noCommitError(root, branch, env);
  if (branch !== undefined) return { root, branch, head };
  throw new Failure(
    "refused",
    `no branch is checked out in ${root}, so there is no branch to commit to`,
    {
      remedy:
        "Check out the branch to commit to; in CI: git switch --force-create BRANCH origin/BRANCH",
    },
  );
}

/** Returns the error for a folder without a readable commit: the branch has none yet, or the repository is damaged. */
async function noCommitError(root: string, branch: string | undefined, env: Env): Promise<Failure> {
  if (branch !== undefined && !(await hadCommit(root, branch, env))) {
    const remedy = "Commit the manifests first: git add --all && git commit";
    return new Failure("refused", `${root} has no commit yet`, { remedy });
  }
  const remedy =
    "Run `git fsck` in the folder to see what is missing, or clone the repository again.";
  const message = `the repository ${root} is damaged: Git cannot read the commit that is checked out`;
  return new Failure("refused", message, { remedy });
}

/** Returns whether a branch has a file or a log, as each branch with a commit has. A folder holds other branches, such as `feature/x`. */
async function hadCommit(root: string, branch: string, env: Env): Promise<boolean> {
  const files = ["--git-path", branch, "--git-path", `logs/${branch}`];
  const paths = (await git(root, ["rev-parse", ...files], env)).split("\n");
  const isFile = (file: string) =>
    statSync(path.resolve(root, file), { throwIfNoEntry: false })?.isFile() === true;
  return paths.some(isFile);
}

/** Returns the committed text of a file. Undefined if the commit does not contain it. */
export async function readCommitted(
  { root, head }: Repository,
  file: string,
  env: Env,
): Promise<string | undefined> {
  const listed = await git(root, ["ls-tree", "--name-only", head, "--", file], env);
  if (listed === "") return undefined;
  return rawGit(["cat-file", "--filters", `${head}:${file}`], { cwd: root, env });
}

/** The commit that wrote a line of a file. */
export interface LineOrigin {
  readonly commit: string;
  /** `Name <address>`. */
  readonly author: string;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * Returns the commit that wrote a line of the working tree: with `merged`, the commit of this branch that brought it in. `"uncommitted"` if
 * there is none yet. Undefined if the clone does not contain it, as a shallow one, or if it is the first commit.
 */
export async function lineOrigin(
  { root }: Repository,
  { path: file, line }: { readonly path: string; readonly line: number },
  { merged, env }: { readonly merged: boolean; readonly env: Env },
): Promise<LineOrigin | "uncommitted" | undefined> {
  const along = merged ? ["--first-parent"] : [];
  const range = `${line},${line}`;
  const output = await git(root, ["blame", "--porcelain", ...along, "-L", range, "--", file], env);
  const [head = "", ...fields] = output.split("\n");
  const [commit = ""] = head.split(" ");
  if (/^0+$/u.test(commit)) return "uncommitted";
  if (fields.includes("boundary")) return undefined;
  const field = (name: string): string =>
    fields.find((one) => one.startsWith(`${name} `))?.slice(name.length + 1) ?? "";
  const at = new Date(Number(field("committer-time")) * 1000).toISOString();
  return { commit, author: `${field("author")} ${field("author-mail")}`, at };
}

/** Returns whether a commit joins branches, so that its author is who merged them. */
export async function isMergeCommit(
  { root }: Repository,
  commit: string,
  env: Env,
): Promise<boolean> {
  return (await git(root, ["log", "-1", "--format=%P", commit], env)).includes(" ");
}

/** Returns a trailer of the message of a commit. Undefined without one. */
export async function trailerOf(
  { root }: Repository,
  { commit, key }: { readonly commit: string; readonly key: string },
  env: Env,
): Promise<string | undefined> {
  const format = `--format=%(trailers:key=${key},valueonly)`;
  const [value = ""] = (await git(root, ["log", "-1", format, commit], env)).split("\n");
  return value === "" ? undefined : value;
}

/** A commit that is on no branch yet. */
export interface PreparedCommit {
  readonly commit: string;
  readonly diff: string;
}

/** Creates a commit with these files changed. Leaves the index and the working tree unchanged. */
export async function prepareCommit(
  repository: Repository,
  files: readonly FileChange[],
  { message, env }: { readonly message: string; readonly env: Env },
): Promise<PreparedCommit> {
  const { root, head } = repository;
  const folder = await mkdtemp(path.join(tmpdir(), "svc-index-"));
  try {
    const own = { ...env, GIT_INDEX_FILE: path.join(folder, "index") };
    await git(root, ["read-tree", head], own);
    for (const file of files) {
      const hash = ["hash-object", "-w", `--path=${file.path}`, "--stdin"];
      const blob = await gitIn(hash, { cwd: root, env: own, input: file.text });
      const [mode = "100644"] = (await git(root, ["ls-tree", head, "--", file.path], env)).split(
        " ",
      );
      await git(root, ["update-index", "--cacheinfo", `${mode},${blob},${file.path}`], own);
    }
    const diff = await rawGit(["diff", "--cached", "--no-color", "--no-ext-diff", head], {
      cwd: root,
      env: own,
    });
    const tree = await git(root, ["write-tree"], own);
    const commit = await gitIn(["commit-tree", tree, "-p", head, "-F", "-"], {
      cwd: root,
      env,
      input: message,
    });
    return { commit, diff };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Moves the branch to a prepared commit. Fails with `stale` if the branch has moved. */
export async function advanceBranch(
  { root, branch, head }: Repository,
  { commit }: PreparedCommit,
  env: Env,
): Promise<void> {
  await git(root, ["update-ref", "-m", "svc promote", branch, commit, head], env).catch(
    (cause: unknown) => {
      throw new Failure("stale", `${branch} has a new commit`, {
        cause,
        remedy: "Promote again.",
      });
    },
  );
}

/** Resets the index of these files to the committed state. */
export async function resetIndex(
  { root }: Repository,
  files: readonly string[],
  env: Env,
): Promise<void> {
  await git(root, ["reset", "--quiet", "--", ...files], env);
}

/** Returns the promotions on the branch that are not on its upstream. */
export async function unpushedPromotions(
  repository: Repository,
  env: Env,
): Promise<readonly string[]> {
  const { remote, merge } = await upstreamOf(repository, env);
  const format = "--format=%(trailers:key=Promotion,valueonly)";
  const seen = `refs/remotes/${remote}/${merge.replace(/^refs\/heads\//u, "")}`;
  // Without an upstream branch, compare with all branches of the remote.
  const exists = await git(repository.root, ["rev-parse", "--verify", "--quiet", seen], env).then(
    () => true,
    () => false,
  );
  const range = exists ? [`${seen}..HEAD`] : ["HEAD", "--not", `--remotes=${remote}`];
  const output = await git(repository.root, ["log", format, ...range], env);
  return output.split("\n").filter((line) => line !== "");
}

/** Returns the upstream of a branch: as configured, otherwise the same name at `origin`. */
async function upstreamOf(
  { root, branch }: Repository,
  env: Env,
): Promise<{ readonly remote: string; readonly merge: string }> {
  const short = branch.replace(/^refs\/heads\//u, "");
  const setting = (key: string): Promise<string> =>
    git(root, ["config", `branch.${short}.${key}`], env).catch(() => "");
  return {
    remote: (await setting("remote")) || "origin",
    merge: (await setting("merge")) || branch,
  };
}

/**
 * Pushes the branch to its upstream without force. Fails with `conflict` if the upstream has other commits, with `refused` if it does
 * not accept these, and otherwise as Git does.
 */
export async function push(repository: Repository, env: Env): Promise<void> {
  const { remote, merge } = await upstreamOf(repository, env);
  const args = ["push", "--porcelain", "--quiet", remote, `HEAD:${merge}`];
  const { stdout, failure: cause } = await gitOutcome(args, { cwd: repository.root, env });
  if (cause === undefined) return;
  // A line of Git; the host writes only the reason.
  const status = /^!\t[^\t]*\t\[(?<by>rejected|remote rejected)\] \((?<reason>.*)\)$/mu.exec(
    stdout.toString("utf8"),
  )?.groups;
  if (status === undefined) throw cause;
  const what = `the push of ${repository.branch} to ${remote} was rejected`;
  const { by, reason = "" } = status;
  // The host found the branch changed, before or while it updated it.
  if (by === "rejected" || changedReasons.has(reason)) {
    const remedy = "Others have pushed to it: update the branch, and promote again.";
    throw new Failure("conflict", what, { cause, remedy });
  }
  throw new Failure(
    "refused",
    `${what} (${escapeInvisible(reason).slice(0, limits.gitErrorCharacters)}): ${cause.message}`,
    {
      cause,
      remedy:
        "The commit is only here. If the branch is protected, give the stage `changes: pull-request`.",
    },
  );
}

/** What hosts answer if the branch has changed since they compared it. */
const changedReasons = new Set(["failed to update ref", "incorrect old value provided"]);

/** Returns the output of a Git command without trailing white space. */
function git(cwd: string, args: readonly string[], env: Env): Promise<string> {
  return gitIn(args, { cwd, env });
}
