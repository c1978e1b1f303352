// Decides which branches an environment serves: the deploy branch, dev-mode branches, and shared branches that are
// active.
import { type BranchContext, type BranchRow, isDeployBranch } from "./branches.ts";
import { newestBuild, platformVersion, queueBuild } from "./builds.ts";

/**
 * Returns whether an environment serves a branch. A shared branch is served while its staging environment is enabled,
 * and while a session is open on a personal dev-mode branch that was forked from it.
 */
export async function isServed(
  on: Pick<BranchContext, "db" | "deployment">,
  branch: BranchRow,
): Promise<boolean> {
  if (isDeployBranch(on, branch) || branch.dev_user_id !== null) return true;
  if (branch.staging_enabled === 1) return true;
  const viewed = await on.db
    .selectFrom("branches")
    .innerJoin("dev_sessions", "dev_sessions.branch_id", "branches.id")
    .select("branches.id")
    .where("branches.parent_id", "=", branch.id)
    .where("branches.dev_user_id", "is not", null)
    .limit(1)
    .executeTakeFirst();
  return viewed !== undefined;
}

/** Builds a branch that an environment begins to serve, unless its newest build is of the same files and version. */
export async function ensureBuild(on: BranchContext, branch: BranchRow): Promise<void> {
  const { db, deployment, catalogue, now } = on;
  const build = await newestBuild(db, branch.id);
  const isSame =
    build?.tree_id === branch.tree_id &&
    build.version === platformVersion(branch, { deployment, catalogue });
  if (!isSame) await queueBuild(db, branch, { deployment, catalogue, now });
}
