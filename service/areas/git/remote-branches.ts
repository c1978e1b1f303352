// Branches of the Git remote for the operations on branches: what a pull fetches, and the deletion upstream.
import { Failure } from "../../../core/errors.ts";
import { pushRef, readHead } from "../../git/refs.ts";
import {
  branchContext,
  type BranchContext,
  type BranchRow,
  type BranchTarget,
  requireMayChange,
  targetBranch,
} from "../data-model/branches.ts";
import type { Db } from "../../store/schema.ts";
import type { MergeWith } from "../data-model/merge-commit.ts";
import type { Call } from "../operation-handler.ts";
import { applyChange } from "./apply.ts";
import { accessOf, findConnection, projectRoot } from "./connections.ts";
import { fetchChange, type RemoteChange } from "./fetch.ts";
import { findGitBranch } from "./git-branches.ts";

type RemoteCall = Pick<
  Call,
  "db" | "github" | "sealer" | "remotes" | "now" | "principal" | "catalogue"
> & {
  readonly params: { readonly deploymentId: number };
};

/** A change of the remote, and the branch that it belongs to. */
export interface TargetChange extends RemoteChange {
  readonly branchId: number;
}

/**
 * Fetches what moved at the remote of the branch that a pull means; undefined if nothing did, the branch is not shared,
 * or the deployment is not connected.
 */
export async function fetchTarget(
  call: RemoteCall,
  target: BranchTarget,
): Promise<TargetChange | undefined> {
  const on = await branchContext(call);
  const branch = await targetBranch(on, target);
  if (branch.dev_user_id !== null) return undefined;
  const connection = await findConnection(call.db, on.deployment.id);
  const row = await findGitBranch(call.db, branch.id);
  if (connection === undefined || row?.remote_commit == null) return undefined;
  await requireMayChange(on, branch);
  const root = projectRoot(on.deployment);
  const access = await accessOf(connection, call);
  const { id, name } = branch;
  const change = await call.remotes.open(access, undefined, async (session) => {
    const head = await readHead(session, name);
    return fetchChange(call, session, { branch: { connection, id, name, row, head }, root });
  });
  return change && { ...change, branchId: id };
}

/** Ends the pause after failures, for a request that asks for an attempt. */
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
 * Returns whether a branch that does not exist here does not exist at the remote either, as after a deletion whose answer
 * was lost. False if the deployment is not connected.
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

/** Merges a fetched change into its branch. Throws `conflict` if the request means another branch by now. */
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
 * Deletes a branch at the remote; one that is not there is ignored. Throws `invalid` if the deployment is not connected,
 * and `conflict` if the branch has commits at the remote that were not pulled.
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
