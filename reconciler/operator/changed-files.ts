// Finds the files that commits changed, in the local repository: nothing is fetched, and no program of the repository runs.
import path from "node:path";
import { Failure } from "../../core/errors.ts";
import { repositoryRoot } from "./commit.ts";
import { runGit } from "./uncommitted.ts";

/** The files that changed since a revision. */
export interface ChangedFiles {
  /** Absolute, with those that were deleted. */
  readonly files: readonly string[];
  /** The deleted ones that were a Stack document. */
  readonly deletedStacks: readonly string[];
}

/**
 * Returns the files that the commits since a revision changed: those on the checked-out commit that are not on the revision.
 * Fails with `usage` outside a repository, and for a revision that it does not have, or no common history.
 */
export async function changedFiles(
  folder: string,
  revision: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ChangedFiles> {
  const base = repositoryRoot(folder);
  if (base === undefined) throw new Failure("usage", "the current folder is in no Git repository");
  const git = (...args: readonly string[]): Promise<string> => runGit({ base, env }, args);
  const since = await git("merge-base", "--end-of-options", revision, "HEAD").catch(
    (cause: unknown) => {
      throw new Failure("usage", `Git finds no common commit of HEAD and ${revision}`, {
        cause,
        remedy: "Name a commit of this clone, and fetch its history: a shallow clone lacks it.",
      });
    },
  );
  const range = [since.trim(), "HEAD", "--"];
  const list = ["diff", "--name-only", "--no-renames", "-z"];
  const names = namesIn(await git(...list, ...range));
  const deleted = namesIn(await git(...list, "--diff-filter=D", ...range));
  const manifests = deleted.filter((name) => /\.(?:ya?ml|json)$/iu.test(name));
  const stack = '(^|[^[:alnum:]])kind"?[[:space:]]*:[[:space:]]*"?Stack"?';
  const grep = ["grep", "-l", "-z", "-E", "-e", stack, since.trim(), "--"];
  // Git ends with an error where nothing matches.
  const ancestor =
    manifests.length === 0
      ? ""
      : await git("--literal-pathspecs", ...grep, ...manifests).catch(() => "");
  const prefix = `${since.trim()}:`.length;
  return {
    files: names.map((name) => path.join(base, name)),
    deletedStacks: namesIn(ancestor).map((name) => path.join(base, name.slice(prefix))),
  };
}

function namesIn(output: string): readonly string[] {
  return output.split("\0").filter((name) => name !== "");
}
