// Changes of branches: new ones, their files and commits, and their deletion.
import { randomBytes } from "node:crypto";
import { devModePrefix } from "../../../core/text/branch-names.ts";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import {
  type BranchContext,
  type BranchRow,
  deployBranch,
  isDeployBranch,
  requireMayChange,
} from "./branches.ts";
import { pinnedCommit } from "../../git/connections.ts";
import { countRows } from "../../store/keyset.ts";
import { toTimestamp } from "../../store/codec.ts";
import { queueBuild } from "./builds.ts";
import { addCommit, treeOfCommit } from "./commits.ts";
import { isServed } from "./serving.ts";

/** A new branch, and its source branch. */
export interface Fork {
  readonly name: string;
  readonly from: BranchRow;
  readonly isDev: boolean;
}

/**
 * Creates a branch from another one, and first commits the changes of the source, so that both branches share them.
 * Throws `conflict` if the name is taken.
 */
export async function forkBranch(
  on: BranchContext,
  { name, from: parent, isDev }: Fork,
): Promise<BranchRow> {
  const { db, deployment, principal, now } = on;
  if (parent.dev_user_id !== null) await requireMayChange(on, parent);
  const count = await countRows(
    db.selectFrom("branches").where("deployment_id", "=", deployment.id),
  );
  if (count >= limits.branches) {
    throw new Failure(
      "limit_reached",
      `a deployment can have at most ${limits.branches} branches; delete one first`,
    );
  }
  const from = await commitChanges(on, parent, `Changes before creating ${name}`);
  const created = await db
    .insertInto("branches")
    .values({
      deployment_id: deployment.id,
      name,
      tree_id: from.tree_id,
      head_id: from.head_id,
      parent_id: from.id,
      dev_user_id: isDev ? principal.userId : null,
      created_at: toTimestamp(now),
    })
    .onConflict((conflict) => conflict.columns(["deployment_id", "name"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!created) throw new Failure("conflict", `there is already a branch ${JSON.stringify(name)}`);
  if (isDev) await queueBuild(db, created, { deployment, catalogue: on.catalogue, now });
  return created;
}

/** Returns a new name for a personal branch of the caller. */
export function devBranchName(userId: number): string {
  return `${devModePrefix}${userId}-${randomBytes(5).toString("hex")}`;
}

/** The new files and history of a branch. */
export interface BranchChange {
  readonly treeId: number;
  /** The new last commit; undefined for uncommitted changes. */
  readonly head?: number;
  /** The Git connection changes the commit that the branch is pinned to. */
  readonly isPin?: true;
}

/**
 * Moves a branch to other files and builds it, if an environment serves it. Throws `conflict` if the branch changed
 * since it was read, or is pinned to a commit, and `forbidden` if the caller may not change it.
 */
export async function changeBranch(
  on: BranchContext,
  branch: BranchRow,
  { treeId, head = branch.head_id, isPin }: BranchChange,
): Promise<{ readonly branch: BranchRow; readonly isBuilt: boolean }> {
  await requireMayChange(on, branch);
  if (isPin !== true) await requireUnpinned(on, branch);
  const { db, deployment, catalogue, now } = on;
  const changed = await db
    .updateTable("branches")
    .set({ tree_id: treeId, head_id: head })
    .where("id", "=", branch.id)
    .where("tree_id", "=", branch.tree_id)
    .where("head_id", "=", branch.head_id)
    .returningAll()
    .executeTakeFirst();
  if (!changed) {
    throw new Failure(
      "conflict",
      `another request changed the branch ${branch.name} in the meantime; read it again and repeat the change`,
    );
  }
  if (head !== branch.head_id && branch.dev_user_id === null) on.committed?.add(branch.id);
  const isBuilt = treeId !== branch.tree_id && (await isServed(on, branch));
  if (isBuilt) await queueBuild(db, changed, { deployment, catalogue, now });
  return { branch: changed, isBuilt };
}

/** Adds a commit of the caller with the given files, whose first parent is the branch's last commit. */
export async function commitFiles(
  { db, deployment, principal, now }: BranchContext,
  branch: BranchRow,
  { treeId, merged, message }: { treeId: number; merged?: number; message: string },
): Promise<number> {
  return addCommit(db, {
    deploymentId: deployment.id,
    treeId,
    parents: merged === undefined ? [branch.head_id] : [branch.head_id, merged],
    message,
    // The service has no user.
    userId: principal.userId || undefined,
    now,
  });
}

/** Commits the uncommitted changes of a dev-mode branch. Returns the branch with its last commit. */
export async function commitChanges(
  on: BranchContext,
  branch: BranchRow,
  message: string,
): Promise<BranchRow> {
  // Other branches have no uncommitted changes.
  if (branch.dev_user_id === null) return branch;
  if ((await treeOfCommit(on.db, branch.head_id)) === branch.tree_id) return branch;
  const head = await commitFiles(on, branch, { treeId: branch.tree_id, message });
  return (await changeBranch(on, branch, { treeId: branch.tree_id, head })).branch;
}

/** Throws `conflict` for a deploy branch that is pinned to a commit of the Git remote. */
async function requireUnpinned(on: BranchContext, branch: BranchRow): Promise<void> {
  if (!isDeployBranch(on, branch)) return;
  const commit = await pinnedCommit(on.db, on.deployment.id);
  if (commit === undefined) return;
  throw new Failure(
    "conflict",
    `the deploy branch ${branch.name} is pinned to the commit ${commit} of the Git remote; connect again with another commit, or without one to follow the remote`,
  );
}

/**
 * Throws `forbidden` if the caller may not change the branch, and `conflict` if the settings of the deployment or a pinned
 * commit protect the deploy branch from such a change.
 */
export async function requireWritable(
  on: BranchContext,
  branch: BranchRow,
  how: "upload" | "merge",
): Promise<void> {
  await requireMayChange(on, branch);
  const { deployment } = on;
  if (!isDeployBranch(on, branch)) return;
  await requireUnpinned(on, branch);
  if (how === "upload" && deployment.deploy_branch_read_only === 1) {
    throw new Failure(
      "conflict",
      `the deploy branch ${branch.name} is read-only; upload to another branch and merge it`,
    );
  }
  if (how === "merge" && deployment.deploy_branch_merge_allowed === 0) {
    throw new Failure(
      "conflict",
      `merges into the deploy branch ${branch.name} are not allowed; an administrator can change deployBranchMergeAllowed`,
    );
  }
}

/** Throws `invalid` for the deploy branch, and `forbidden` if the caller may not change the branch. */
export async function requireDeletable(on: BranchContext, branch: BranchRow): Promise<void> {
  if (isDeployBranch(on, branch)) {
    throw new Failure("invalid", `${branch.name} is the deploy branch and cannot be deleted`);
  }
  await requireMayChange(on, branch);
}

/**
 * Deletes a branch, ends its sessions, and gives its children to its parent, otherwise to the deploy branch. Throws as
 * {@link requireDeletable} does.
 */
export async function dropBranch(on: BranchContext, branch: BranchRow): Promise<void> {
  await requireDeletable(on, branch);
  await on.db
    .updateTable("branches")
    .set({ parent_id: branch.parent_id ?? (await deployBranch(on)).id })
    .where("parent_id", "=", branch.id)
    .execute();
  await on.db.deleteFrom("branches").where("id", "=", branch.id).execute();
}
