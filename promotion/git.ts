// The local Git repository that manifests are in: what is committed there, and one commit more, made in one step.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Failure } from "../core/errors.ts";
import { git as gitIn, rawGit } from "./git-command.ts";

/** A file of a repository with new text. */
export interface FileChange {
  /** From the repository's root, with slashes. */
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

/** The repository that a folder is in. Fails with `refused` where there is none, or no branch with a commit is checked out. */
export async function repositoryAt(folder: string, env: Env): Promise<Repository> {
  const root = await git(folder, ["rev-parse", "--show-toplevel"], env).catch((cause: unknown) => {
    throw new Failure("refused", `${folder} is in no Git repository`, { cause });
  });
  const branch = await git(root, ["symbolic-ref", "--quiet", "HEAD"], env).catch(
    (cause: unknown) => {
      const remedy =
        "check out the branch that is to have the promotion; in CI: git switch --force-create BRANCH origin/BRANCH";
      const message = `no branch is checked out in ${root}, so there is none to commit to`;
      throw new Failure("refused", message, { cause, remedy });
    },
  );
  return { root, branch, head: await git(root, ["rev-parse", "HEAD"], env) };
}

/** The text of a file in a commit; undefined where it is not in it. */
export async function readCommitted(
  { root, head }: Repository,
  file: string,
  env: Env,
): Promise<string | undefined> {
  const listed = await git(root, ["ls-tree", "--name-only", head, "--", file], env);
  if (listed === "") return undefined;
  return rawGit(["cat-file", "--filters", `${head}:${file}`], { cwd: root, env });
}

/** A commit that is made, and not on any branch yet. */
export interface PreparedCommit {
  readonly commit: string;
  readonly diff: string;
}

/** Makes a commit of the branch with these files changed; the index and the working tree are not touched. */
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

/** Puts a prepared commit on its branch in one step. Fails with `stale` where somebody has committed meanwhile. */
export async function advanceBranch(
  { root, branch, head }: Repository,
  { commit }: PreparedCommit,
  env: Env,
): Promise<void> {
  await git(root, ["update-ref", "-m", "svc promote", branch, commit, head], env).catch(
    (cause: unknown) => {
      throw new Failure("stale", `somebody has committed to ${branch} meanwhile`, {
        cause,
        remedy: "promote again",
      });
    },
  );
}

/** Brings the index to what is committed, for these files alone. */
export async function resetIndex(
  { root }: Repository,
  files: readonly string[],
  env: Env,
): Promise<void> {
  await git(root, ["reset", "--quiet", "--", ...files], env);
}

/** The promotions on the branch that its upstream does not have. */
export async function unpushedPromotions(
  repository: Repository,
  env: Env,
): Promise<readonly string[]> {
  const { remote, merge } = await upstreamOf(repository, env);
  const format = "--format=%(trailers:key=Promotion,valueonly)";
  const seen = `refs/remotes/${remote}/${merge.replace(/^refs\/heads\//u, "")}`;
  // A branch that the remote lacks has what none of its branches has.
  const isThere = await git(repository.root, ["rev-parse", "--verify", "--quiet", seen], env).then(
    () => true,
    () => false,
  );
  const range = isThere ? [`${seen}..HEAD`] : ["HEAD", "--not", `--remotes=${remote}`];
  const said = await git(repository.root, ["log", format, ...range], env);
  return said.split("\n").filter((line) => line !== "");
}

/** Where a branch is pushed to: as it is configured, else to the same name at `origin`. */
async function upstreamOf(
  { root, branch }: Repository,
  env: Env,
): Promise<{ readonly remote: string; readonly merge: string }> {
  const short = branch.replace(/^refs\/heads\//u, "");
  const told = (key: string): Promise<string> =>
    git(root, ["config", `branch.${short}.${key}`], env).catch(() => "");
  return { remote: (await told("remote")) || "origin", merge: (await told("merge")) || branch };
}

/** Pushes the branch to its upstream, never by force. Fails with `conflict` where the upstream has moved on. */
export async function push(repository: Repository, env: Env): Promise<void> {
  const { remote, merge } = await upstreamOf(repository, env);
  await git(repository.root, ["push", "--quiet", remote, `HEAD:${merge}`], env).catch(
    (cause: unknown) => {
      throw new Failure("conflict", `${remote} did not take the push of ${repository.branch}`, {
        cause,
        remedy: "bring the branch up to date, and promote again",
      });
    },
  );
}

/** The first lines of what a command says, without the end of the last. */
function git(cwd: string, args: readonly string[], env: Env): Promise<string> {
  return gitIn(args, { cwd, env });
}
