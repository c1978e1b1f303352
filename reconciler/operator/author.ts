// Who makes a run, where nobody says so: what the environment names, else the user of this machine.
import { commitAt } from "./commit.ts";
import { currentUser } from "./lock-process.ts";
import type { Author } from "../model/index.ts";

/** Names who acts, where that is not the user of the machine: whoever started a pipeline. */
export const actorVariable = "SVC_ACTOR";

/** Who acts, by the environment. */
export function actorFromEnvironment(env: Readonly<Record<string, string | undefined>>): string {
  return env[actorVariable] || currentUser();
}

/** The author of a run on the stack in `folder`, with what is not given found out. */
export function authorOf(
  given: Partial<Author> | undefined,
  {
    env,
    folder,
  }: { readonly env: Parameters<typeof actorFromEnvironment>[0]; readonly folder: string },
): Author {
  const { by = actorFromEnvironment(env), message, commit = commitAt(folder) } = given ?? {};
  return { by, message, commit };
}
