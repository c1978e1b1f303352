// Merges a commit into a branch.
import type { BranchContext, BranchRow } from "./branches.ts";
import { changeBranch, commitChanges, commitFiles } from "./branch-changes.ts";
import { mergeBase, treeOfCommit } from "./commits.ts";
import { type ConflictSide, mergeTrees } from "./merge-trees.ts";
import { storeTree } from "./trees.ts";

/** The message of a merge, and the version that it takes of files with a conflict. */
export interface MergeWith {
  readonly message: string;
  readonly resolve?: ConflictSide | undefined;
  /** Whether the target gets one commit, without the history of the merged one. */
  readonly squashes?: boolean;
}

/**
 * Merges a commit into a branch, whose uncommitted changes become a commit first: moves the branch forward if it can,
 * otherwise adds a merge commit.
 */
export async function mergeCommit(
  on: BranchContext,
  {
    into,
    theirs,
    message,
    resolve,
    squashes = false,
  }: MergeWith & { into: BranchRow; theirs: number },
): Promise<{ readonly isChanged: boolean; readonly isBuilt: boolean }> {
  const { db, deployment, now } = on;
  const target = await commitChanges(on, into, `Changes before: ${message}`);
  const base = await mergeBase(db, deployment.id, [target.head_id, theirs]);
  if (base === theirs) return { isChanged: false, isBuilt: false };
  const theirTree = await treeOfCommit(db, theirs);
  if (base === target.head_id && !squashes) {
    const { isBuilt } = await changeBranch(on, target, { treeId: theirTree, head: theirs });
    return { isChanged: theirTree !== target.tree_id, isBuilt };
  }
  const trees = { base: await treeOfCommit(db, base), ours: target.tree_id, theirs: theirTree };
  const files = await mergeTrees(db, trees, { now, resolve });
  const tree = await storeTree(db, files, { deploymentId: deployment.id, now });
  if (squashes && tree.id === target.tree_id) return { isChanged: false, isBuilt: false };
  const merged = squashes ? {} : { merged: theirs };
  const head = await commitFiles(on, target, { treeId: tree.id, ...merged, message });
  const { isBuilt } = await changeBranch(on, target, { treeId: tree.id, head });
  return { isChanged: tree.id !== target.tree_id, isBuilt };
}
