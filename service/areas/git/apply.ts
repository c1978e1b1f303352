// Merges fetched commits into a branch, in one transaction.
import type { BranchContext, BranchRow } from "../data-model/branches.ts";
import { addCommit } from "../data-model/commits.ts";
import { mergeCommit, type MergeWith } from "../data-model/merge-commit.ts";
import { remoteMergeConflict } from "../data-model/merge-trees.ts";
import { storeTree } from "../data-model/trees.ts";
import type { ConnectionKey } from "../../git/connections.ts";
import type { GitBranchRow } from "./show-connection.ts";
import type { FetchedCommit, RemoteChange } from "./fetch.ts";
import { recordCommon } from "./git-branches.ts";

/** The place of a fetched commit in the history. */
export interface FetchedInto {
  readonly connection: ConnectionKey;
  readonly branchId: number;
  readonly row: GitBranchRow | undefined;
  /** The commit that it follows. */
  readonly after: number;
}

/**
 * Adds a fetched commit to the history, after the common commit of the branch and the remote, and records it as their
 * new common commit. Returns its id and tree.
 */
export async function addFetchedCommit(
  { db, deployment, principal, now }: BranchContext,
  { connection, branchId, row, after }: FetchedInto,
  { commit, subject, files }: FetchedCommit,
): Promise<{ readonly id: number; readonly treeId: number }> {
  const tree = await storeTree(db, files, { deploymentId: deployment.id, now });
  const id = await addCommit(db, {
    deploymentId: deployment.id,
    treeId: tree.id,
    parents: [after],
    message: `Pull ${commit.slice(0, 12)}: ${subject}`,
    userId: principal.userId || undefined,
    now,
  });
  const of = { connection, branchId, before: row };
  await recordCommon(db, of, { commitId: id, remoteCommit: commit });
  return { id, treeId: tree.id };
}

/**
 * Merges a change of the remote into the branch. Returns whether a build started. Throws `merge_conflict` if both
 * changed the same lines, and `conflict` if another request already merged the change.
 */
export async function applyChange(
  on: BranchContext,
  branch: BranchRow,
  { connection, row, fetched, resolve }: RemoteChange & Pick<MergeWith, "resolve">,
): Promise<boolean> {
  const of = { connection, branchId: branch.id, row, after: row?.commit_id ?? branch.head_id };
  const { id } = await addFetchedCommit(on, of, fetched);
  const message = `Pull ${branch.name} of the Git remote`;
  try {
    return (await mergeCommit(on, { into: branch, theirs: id, message, resolve })).isBuilt;
  } catch (error) {
    throw remoteMergeConflict(
      error,
      (files) => `the branch ${branch.name} and the Git remote changed the same lines of ${files}`,
    );
  }
}
