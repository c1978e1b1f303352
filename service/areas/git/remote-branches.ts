// Branches of the Git remote for the operations on branches: the fetch of a pull, and the deletion upstream.
import { NewBranchName } from "../../../api/branches.ts";
import { temporaryPrefix } from "../../../core/text/branch-names.ts";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { validator } from "../../../core/schema/validate.ts";
import { fetchCommit, historyOf, pushRef, readHead } from "../../git/refs.ts";
import { changeBranch, forkBranch } from "../data-model/branch-changes.ts";
import {
  branchContext,
  type BranchContext,
  type BranchRow,
  type BranchTarget,
  deployBranch,
  findBranch,
  requireMayChange,
  targetBranch,
} from "../data-model/branches.ts";
import type { Db } from "../../store/schema.ts";
import type { MergeWith } from "../data-model/merge-commit.ts";
import type { Call } from "../shared/operation-handler.ts";
import { addFetchedCommit, applyChange } from "./apply.ts";
import {
  accessOf,
  type ConnectionKey,
  type ConnectionRow,
  findConnection,
  projectRoot,
} from "../../git/connections.ts";
import { fetchChange, type FetchedCommit, fetchFiles, type RemoteChange } from "./fetch.ts";
import { findGitBranch } from "./git-branches.ts";

type RemoteCall = Pick<
  Call,
  "db" | "github" | "sealer" | "remotes" | "now" | "principal" | "catalogue"
> & {
  readonly params: { readonly deploymentId: number };
};

/** A change of the remote, and its branch. */
export interface TargetChange extends RemoteChange {
  readonly branchId: number;
}

/** A branch that only the remote has. */
export interface RemoteOnlyBranch {
  readonly name: string;
  readonly connection: ConnectionKey;
  readonly fetched: FetchedCommit;
  /** The newest local commit that the remote has in the history of the branch. */
  readonly base: number;
}

/**
 * Fetches the remote changes of the branch that a pull means, or a branch that only the remote has; undefined if
 * nothing moved, the branch is not shared, or the deployment is not connected.
 */
export async function fetchTarget(
  call: RemoteCall,
  target: BranchTarget,
): Promise<TargetChange | RemoteOnlyBranch | undefined> {
  const on = await branchContext(call);
  const connection = await findConnection(call.db, on.deployment.id);
  const name = target.branchName ?? "";
  const isUnknown = name !== "" && (await findBranch(on, name)) === undefined;
  if (connection && isUnknown) return fetchRemoteOnly(call, { on, connection, name });
  const branch = await targetBranch(on, target);
  if (branch.dev_user_id !== null) return undefined;
  const row = await findGitBranch(call.db, branch.id);
  if (connection === undefined || row?.remote_commit == null) return undefined;
  await requireMayChange(on, branch);
  const root = projectRoot(on.deployment);
  const access = await accessOf(connection, call);
  const change = await call.remotes.open(access, undefined, async (session) => {
    const head = await readHead(session, branch.name);
    const remote = { connection, id: branch.id, name: branch.name, row, head };
    return fetchChange(call, session, { branch: remote, root });
  });
  return change && { ...change, branchId: branch.id };
}

async function fetchRemoteOnly(
  call: RemoteCall,
  { on, connection, name }: { on: BranchContext; connection: ConnectionRow; name: string },
): Promise<RemoteOnlyBranch> {
  requireBranchName(name);
  const { db, deployment } = on;
  const access = await accessOf(connection, call);
  return call.remotes.open(access, undefined, async (session) => {
    const commit = await readHead(session, name);
    if (commit === undefined) {
      const message = `neither deployment ${deployment.id} nor its Git remote has a branch ${JSON.stringify(name)}`;
      throw new Failure("not_found", message);
    }
    await fetchCommit(session, commit, limits.gitHistory);
    const base = await newestKnown(db, deployment.id, await historyOf(session, commit));
    if (base === undefined) {
      throw new Failure(
        "conflict",
        `the last ${limits.gitHistory} commits of ${name} at the Git remote contain none that was pulled or pushed here, so later merges could not find its changes; merge ${deployment.deploy_branch_name} into it there, then pull again`,
      );
    }
    const root = projectRoot(deployment);
    return { name, connection, base, fetched: await fetchFiles(call, session, { commit, root }) };
  });
}

/** Throws `invalid` for a name that only branches of the remote can have. */
function requireBranchName(name: string): void {
  if (validator(NewBranchName)(name).length === 0 && !name.startsWith(temporaryPrefix)) return;
  throw new Failure(
    "invalid",
    `a branch here cannot have the name ${JSON.stringify(name)}; rename it at the Git remote`,
  );
}

/** Returns the local commit of the first remote commit that is known here, with its files. */
async function newestKnown(
  db: Db,
  deploymentId: number,
  commits: readonly string[],
): Promise<number | undefined> {
  const rows = await db
    .selectFrom("model_commits")
    .select(["id", "remote_commit"])
    .where("deployment_id", "=", deploymentId)
    .where("remote_commit", "in", commits)
    // A merge reads the files of the common commit.
    .where("tree_id", "is not", null)
    .orderBy("id")
    .execute();
  const known = new Map(rows.map(({ id, remote_commit }) => [remote_commit, id]));
  const newest = commits.find((commit) => known.has(commit));
  return newest === undefined ? undefined : known.get(newest);
}

/** Creates a branch that only the remote has. Its parent is the deploy branch. */
export async function createFetched(
  on: BranchContext,
  { name, connection, fetched, base }: RemoteOnlyBranch,
): Promise<void> {
  const branch = await forkBranch(on, { name, from: await deployBranch(on), isDev: false });
  const into = { connection, branchId: branch.id, row: undefined, after: base };
  const { id: head, treeId } = await addFetchedCommit(on, into, fetched);
  await changeBranch(on, branch, { treeId, head });
}

/** Ends the pause after failures, because a request asks for an attempt. */
export async function endPause(
  tx: Db,
  { deployment }: Pick<BranchContext, "deployment">,
): Promise<void> {
  await tx
    .updateTable("git_connections")
    .set({ attempts: 0, next_attempt_at: null })
    .where("deployment_id", "=", deployment.id)
    .where("next_attempt_at", "is not", null)
    .execute();
}

/**
 * Returns whether a branch that does not exist here is also missing at the remote, as after a deletion whose answer was
 * lost. False if the deployment is not connected.
 */
export async function isGoneUpstream(
  call: RemoteCall,
  { db, deployment }: BranchContext,
  name: string,
): Promise<boolean> {
  const connection = await findConnection(db, deployment.id);
  if (connection === undefined) return false;
  const access = await accessOf(connection, call);
  return call.remotes.open(
    access,
    undefined,
    async (session) => (await readHead(session, name)) === undefined,
  );
}

/** Merges a fetched change into its branch. Throws `conflict` if the request meanwhile means another branch. */
export async function applyTo(
  on: BranchContext,
  branch: BranchRow,
  { branchId, ...change }: TargetChange & Pick<MergeWith, "resolve">,
): Promise<boolean> {
  if (branch.id !== branchId) {
    throw new Failure("conflict", "the session moved to another branch meanwhile; try again");
  }
  return applyChange(on, branch, change);
}

/**
 * Deletes a branch at the remote; ignores a missing one. Throws `invalid` if the deployment is not connected, and
 * `conflict` if the branch has commits at the remote that were not pulled.
 */
export async function deleteUpstream(
  call: RemoteCall,
  { deployment }: BranchContext,
  branch: BranchRow,
): Promise<void> {
  const connection = await findConnection(call.db, deployment.id);
  if (connection === undefined) {
    throw new Failure(
      "invalid",
      "removeOnUpstream: this deployment is not connected to a Git provider; omit it",
    );
  }
  if (branch.dev_user_id !== null) return;
  const row = await findGitBranch(call.db, branch.id);
  const access = await accessOf(connection, call);
  await call.remotes.open(access, undefined, async (session) => {
    const from = await readHead(session, branch.name);
    if (from === undefined) return;
    if (from !== row?.remote_commit && from !== row?.pushing_remote_commit) {
      throw new Failure(
        "conflict",
        `the branch ${branch.name} has commits at the Git remote that were not pulled; pull it first, or delete it there`,
      );
    }
    await pushRef(session, { branch: branch.name, from, to: undefined });
  });
}
