// The common state of a branch and the remote. Each change names the state that it follows, so that two cannot
// overwrite each other.
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { Db } from "../../store/schema.ts";
import { type ConnectionKey, lockConnection } from "../../git/connections.ts";
import type { GitBranchRow } from "./show-connection.ts";

/** Returns the row of a branch; undefined before its first push. */
export async function findGitBranch(db: Db, branchId: number): Promise<GitBranchRow | undefined> {
  return db
    .selectFrom("git_branches")
    .selectAll()
    .where("branch_id", "=", branchId)
    .executeTakeFirst();
}

/** A branch, and the state before a change. */
export interface GitBranchBefore {
  readonly branchId: number;
  readonly before: GitBranchRow | undefined;
  readonly connection: ConnectionKey;
}

/** Changes the row of a branch. Throws `conflict` if it or the connection changed since they were read. */
export async function changeGitBranch(
  tx: Db,
  { branchId, before, connection }: GitBranchBefore,
  change: Partial<Omit<GitBranchRow, "branch_id">>,
): Promise<GitBranchRow> {
  if (!(await lockConnection(tx, connection))) {
    throw new Failure("conflict", "another request changed the connection; try again");
  }
  const changed = before
    ? await tx
        .updateTable("git_branches")
        .set(change)
        .where("branch_id", "=", branchId)
        .where("remote_commit", "is not distinct from", before.remote_commit)
        .where("commit_id", "is not distinct from", before.commit_id)
        .where("pushing_remote_commit", "is not distinct from", before.pushing_remote_commit)
        .returningAll()
        .executeTakeFirst()
    : await tx
        .insertInto("git_branches")
        .values({ branch_id: branchId, ...change })
        .onConflict((on) => on.column("branch_id").doNothing())
        .returningAll()
        .executeTakeFirst();
  if (changed) return changed;
  throw new Failure(
    "conflict",
    "another request synchronizes the branch with the Git remote; try again",
  );
}

/** Records that the remote has a commit of the branch, after a push or a pull; also if another request has recorded the same. */
export async function recordCommon(
  tx: Db,
  of: GitBranchBefore,
  { commitId, remoteCommit }: { commitId: number; remoteCommit: string },
): Promise<GitBranchRow> {
  await lockConnection(tx, of.connection);
  const now = await findGitBranch(tx, of.branchId);
  const isRecorded = now?.commit_id === commitId && now.remote_commit === remoteCommit;
  const changed = await changeGitBranch(tx, isRecorded ? { ...of, before: now } : of, {
    commit_id: commitId,
    remote_commit: remoteCommit,
    pushing_commit_id: null,
    pushing_remote_commit: null,
    problem: null,
    error_text: null,
  });
  await tx
    .updateTable("model_commits")
    .set({ remote_commit: remoteCommit })
    .where("id", "=", commitId)
    .execute();
  return changed;
}

/** Records why a branch could not be synchronized. */
export async function recordProblem(tx: Db, branchId: number, error: Failure): Promise<void> {
  const set = {
    problem: error.code === "merge_conflict" ? "conflict" : "failed",
    error_text: error.message,
  };
  await tx
    .insertInto("git_branches")
    .values({ branch_id: branchId, ...set })
    .onConflict((on) => on.column("branch_id").doUpdateSet(set))
    .execute();
}

/** Returns the last commits of the remote that a deployment had, the newest first. */
export async function commitsRun(db: Db, deploymentId: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("model_commits")
    .select("remote_commit")
    .where("deployment_id", "=", deploymentId)
    .where("remote_commit", "is not", null)
    .orderBy("id", "desc")
    .limit(limits.gitRunCommits)
    .execute();
  return rows.flatMap(({ remote_commit }) => remote_commit ?? []);
}
