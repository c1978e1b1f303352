// Area branches: branches of a data model, dev mode, and merges.
import {
  commitBranch,
  createBranch,
  deleteBranch,
  enterDevMode,
  exitDevMode,
  listBranches,
  mergeBranch,
  mergeToDefault,
  pullBranch,
  setStagingEnvironment,
} from "../../../api/branches.ts";
import { Failure } from "../../../core/errors.ts";
import {
  commitChanges,
  devBranchName,
  dropBranch,
  forkBranch,
  requireDeletable,
  requireWritable,
} from "../data-model/branch-changes.ts";
import {
  branchContext,
  type BranchContext,
  type BranchRow,
  deployBranch,
  devBranch,
  findBranch,
  isDeployBranch,
  openSession,
  readBranch,
  sessionBranch,
  readBranchById,
  requireMayChange,
  type BranchTarget,
  targetBranch,
} from "../data-model/branches.ts";
import { finishChange, handleBuilding } from "../data-model/handle-building.ts";
import type { ConflictSide } from "../data-model/merge-trees.ts";
import { mergeCommit, type MergeWith } from "../data-model/merge-commit.ts";
import { ensureBuild } from "../data-model/serving.ts";
import {
  applyTo,
  createFetched,
  deleteUpstream,
  endPause,
  fetchTarget,
  isGoneUpstream,
} from "../git/remote-branches.ts";
import {
  handle,
  handleList,
  handlePrepared,
  omitNullish,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { pageOf } from "../shared/pagination.ts";
import { toFlag } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";

/** The handlers of this area. */
export const branches: readonly OperationHandler[] = [
  handleList(listBranches, async (call) => {
    const on = await branchContext(call);
    const open = await sessionBranch(on);
    return pageOf(call, keyset(selectBranches(on), "branches.id"), (row) => ({
      ...showBranch(row),
      isSessionOpen: row.id === open?.id,
    }));
  }),
  handleBuilding(createBranch, async (on, call) => {
    const { name, from, activate, enterDevMode: enters } = call.body;
    const isActivated = (activate ?? enters) === true;
    const parent =
      from == null || from === "" ? await deployBranch(on) : await readBranch(on, from);
    const branch = await forkBranch(on, { name, from: parent, isDev: false });
    if (isActivated) await openSession(on, branch);
    return { active: isActivated, branchName: branch.name, parentBranch: parent.name };
  }),
  handlePrepared(deleteBranch, {
    prepare: async (call) => {
      if (call.query.removeOnUpstream !== true) return false;
      const on = await branchContext(call);
      const { branchName } = call.query;
      const branch = await findBranch(on, branchName);
      if (branch === undefined && (await isGoneUpstream(call, on, branchName))) return true;
      const deleted = branch ?? (await readBranch(on, branchName));
      await requireDeletable(on, deleted);
      await deleteUpstream(call, on, deleted);
      return false;
    },
    run: async (call, isGone) => {
      if (isGone) return { success: true };
      const on = await branchContext(call);
      await dropBranch(on, await readBranch(on, call.query.branchName));
      return { success: true };
    },
    finish: async (draft) => draft,
  }),
  handleBuilding(setStagingEnvironment, async (on, call) => {
    const branch = await sharedBranch(on, call.body);
    await call.db
      .updateTable("branches")
      .set({ staging_enabled: toFlag(call.body.enabled) })
      .where("id", "=", branch.id)
      .execute();
    if (call.body.enabled) await ensureBuild(on, branch);
    const row = selectBranches(on).where("branches.id", "=", branch.id);
    return { data: showBranch(await row.executeTakeFirstOrThrow()) };
  }),
  handleBuilding(enterDevMode, async (on, call) => {
    const parent = await readBranch(on, call.body.branchName);
    const name = devBranchName(on.principal.userId);
    const branch = await forkBranch(on, { name, from: parent, isDev: true });
    await openSession(on, branch);
    // The session makes a shared parent active.
    const isShared = parent.dev_user_id === null && !isDeployBranch(on, parent);
    if (isShared) await ensureBuild(on, parent);
    return { active: true, branchName: branch.name, parentBranch: parent.name };
  }),
  handle(exitDevMode, async (call) => {
    const on = await branchContext(call);
    await closeSession(on);
    return { success: true };
  }),
  handleBuilding(commitBranch, async (on, call) => {
    const branch = await devBranch(on, call.body ?? {});
    const kept = call.body?.resolveMergeConflict;
    await mergeIntoParent(on, branch, {
      message: call.body?.message ?? `Commit ${branch.name}`,
      // The branch is the other side of a merge into its parent.
      ...(kept && { resolve: kept === "ours" ? "theirs" : "ours" }),
    });
    if (call.body?.exitDevMode === true) await closeSession(on);
    return { success: true };
  }),
  handlePrepared(pullBranch, {
    prepare: async (call) => fetchTarget(call, call.body ?? {}),
    run: async (call, change) => {
      const on = await branchContext(call);
      if (change && "base" in change) {
        await createFetched(on, change);
        return { answer: { buildTriggered: false }, branchIds: [] };
      }
      const branch = await targetBranch(on, call.body ?? {});
      const resolve = call.body?.resolveMergeConflict ?? undefined;
      if (branch.dev_user_id === null) await endPause(call.db, on);
      const isBuilt = change ? await applyTo(on, branch, { ...change, resolve }) : false;
      const current = change ? await readBranchById(on, branch.id) : branch;
      const answer = { buildTriggered: (await pull(on, current, resolve)) || isBuilt };
      // A pull also waits for the push of earlier commits.
      return { answer, branchIds: branch.dev_user_id === null ? [branch.id] : [] };
    },
    finish: (draft, call) => finishChange(draft, call),
  }),
  handleBuilding(mergeBranch, async (on, call) => {
    const { message, squashCommits, switchToParentBranch, deleteBranch: deletes } = call.body;
    const branch = await targetBranch(on, call.body);
    const { merged, parent } = await mergeIntoParent(on, branch, {
      message: message ?? `Merge ${branch.name}`,
      squashes: squashCommits === true,
    });
    if (switchToParentBranch === true) await moveSession(on, branch, parent);
    if (deletes === true) await dropBranch(on, branch);
    return { merged, branchDeleted: deletes === true };
  }),
  handleBuilding(mergeToDefault, async (on, call) => {
    const branch = await targetBranch(on, call.body);
    const target = await deployBranch(on);
    const merged = await mergeInto(on, { branch, target, message: call.body.message });
    const deletes = call.body.removeBranchAfterMerge !== false;
    if (deletes) await dropBranch(on, branch);
    return { merged, branchDeleted: deletes };
  }),
];

function selectBranches({ db, deployment }: BranchContext) {
  return db
    .selectFrom("branches")
    .innerJoin("model_trees", "model_trees.id", "branches.tree_id")
    .leftJoin("branches as parents", "parents.id", "branches.parent_id")
    .innerJoin("model_commits", "model_commits.id", "branches.head_id")
    .select(["branches.id", "branches.name", "branches.staging_enabled"])
    .select(["model_trees.hash", "parents.name as parent"])
    .select(["model_commits.message", "model_commits.user_id", "model_commits.created_at"])
    .where("branches.deployment_id", "=", deployment.id);
}

type SelectedBranch = Awaited<ReturnType<ReturnType<typeof selectBranches>["execute"]>>[number];

function showBranch(row: SelectedBranch) {
  return {
    id: row.id,
    name: row.name,
    lastHash: row.hash,
    isStagingEnvironmentEnabled: row.staging_enabled === 1,
    ...omitNullish({ parentBranch: row.parent }),
    lastCommit: {
      message: row.message,
      createdAt: row.created_at,
      ...omitNullish({ userId: row.user_id }),
    },
  };
}

/** Returns the named branch. Throws `invalid` if it cannot have a staging environment. */
async function sharedBranch(on: BranchContext, target: BranchTarget): Promise<BranchRow> {
  const branch = await targetBranch(on, target);
  const isProduction = isDeployBranch(on, branch);
  if (!isProduction && branch.dev_user_id === null) return branch;
  const kind = isProduction ? "the deploy branch" : "a personal dev-mode branch";
  throw new Failure(
    "invalid",
    `${branch.name} is ${kind}, which is always served; choose a shared branch`,
  );
}

async function closeSession({ db, deployment, principal }: BranchContext): Promise<void> {
  await db
    .deleteFrom("dev_sessions")
    .where("deployment_id", "=", deployment.id)
    .where("credential", "=", principal.credentialId)
    .execute();
}

/** Points the session of the credential at another branch, if it is on the given one. */
async function moveSession(
  { db, principal }: BranchContext,
  from: BranchRow,
  to: BranchRow,
): Promise<void> {
  await db
    .updateTable("dev_sessions")
    .set({ branch_id: to.id })
    .where("branch_id", "=", from.id)
    .where("credential", "=", principal.credentialId)
    .execute();
}

async function parentOf(on: BranchContext, branch: BranchRow): Promise<BranchRow> {
  if (branch.parent_id !== null) return readBranchById(on, branch.parent_id);
  throw new Failure(
    "invalid",
    `${branch.name} was not created from another branch, so it has no parent to merge with`,
  );
}

async function mergeIntoParent(
  on: BranchContext,
  branch: BranchRow,
  how: MergeWith,
): Promise<{ merged: boolean; parent: BranchRow }> {
  const parent = await parentOf(on, branch);
  return { merged: await mergeInto(on, { ...how, branch, target: parent }), parent };
}

/** Merges the changes of a branch into another one. Returns whether the files of the target changed. */
async function mergeInto(
  on: BranchContext,
  { branch, target, ...how }: MergeWith & { branch: BranchRow; target: BranchRow },
): Promise<boolean> {
  if (branch.id === target.id) {
    throw new Failure(
      "invalid",
      `${branch.name} is the deploy branch; name the branch to merge into it`,
    );
  }
  await requireWritable(on, target, "merge");
  if (branch.dev_user_id !== null) await requireMayChange(on, branch);
  const { head_id: theirs } = await commitChanges(on, branch, how.message);
  const { isChanged } = await mergeCommit(on, { ...how, into: target, theirs });
  return isChanged;
}

/** Merges the parent's changes into a branch. Returns whether a build started. */
async function pull(
  on: BranchContext,
  branch: BranchRow,
  resolve: ConflictSide | undefined,
): Promise<boolean> {
  // The deploy branch pulls from a Git remote only.
  if (branch.parent_id === null || isDeployBranch(on, branch)) return false;
  await requireMayChange(on, branch);
  const parent = await readBranchById(on, branch.parent_id);
  const { head_id: theirs } = parent;
  const message = `Pull ${parent.name}`;
  const { isBuilt } = await mergeCommit(on, { into: branch, theirs, message, resolve });
  return isBuilt;
}
