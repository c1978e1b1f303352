// Determines the author of a run: the given one, then the one in the environment, then the current user.
import { commitAt } from "./commit.ts";
import { isUncommitted } from "./uncommitted.ts";
import { currentUser } from "./lock-process.ts";
import type { Author, Stack } from "../model/index.ts";

/** The environment variable that names the author, such as the person who started a CI job. */
export const actorVariable = "SVC_ACTOR";

/** Returns the author that the environment names, otherwise the current user. */
export function actorFromEnvironment(env: Readonly<Record<string, string | undefined>>): string {
  return env[actorVariable] || currentUser();
}

/**
 * Returns the author of a run on the stack in `folder`; looks up the parts that are not given. This reads all sources
 * and may run Git, so only a run that writes calls it.
 */
export async function authorOf(
  author: Partial<Author> | undefined,
  {
    env,
    stack: { folder, sources = [], valueFiles = [] },
  }: {
    readonly env: Parameters<typeof actorFromEnvironment>[0];
    readonly stack: Pick<Stack, "folder" | "sources" | "valueFiles">;
  },
): Promise<Author> {
  const { by = actorFromEnvironment(env), message } = author ?? {};
  if (author?.commit !== undefined)
    return { by, message, commit: author.commit, ...dirtyOf(author.dirty) };
  const commit = commitAt(folder);
  if (commit === undefined) return { by, message };
  const dirty = await isUncommitted(commit, { folder, sources, valueFiles, env });
  return { by, message, commit, ...dirtyOf(dirty) };
}

function dirtyOf(dirty: boolean | undefined): Pick<Author, "dirty"> {
  return dirty === undefined ? {} : { dirty };
}
