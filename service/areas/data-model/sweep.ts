// Deletes obsolete rows of data models: ended uploads, branches of killed applies, dev-mode sessions of deleted
// credentials, trees that no merge can use, and contents that are in no tree.
import { chunksOf } from "../../../core/chunks.ts";
import { temporaryPrefix } from "../../../core/text/branch-names.ts";
import { limits } from "../../../core/limits/limits.ts";
import { toTimestamp } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { beginsWith, isPrefixed } from "../../store/sql-conditions.ts";
import { deleteExpired, deleteInBatches, deleteRows } from "../../store/in-batches.ts";
import { inTransaction } from "../../store/transaction.ts";
import { findMergeBase, historyReader } from "./commits.ts";

/** Trees and contents are kept this long after their last use, so that a running request cannot lose them. */
const keptMs = 86_400_000;

/**
 * Commits with trees that a deployment may have, in addition to some for each branch, before the sweep examines them.
 */
const [treesPerBranch, treesAllowed] = [3, 50];

/**
 * Runs one sweep. Each batch is one transaction; `signal` stops between batches. A deployment that cannot be examined
 * does not stop the rest; its error is thrown at the end.
 */
export async function sweepDataModels(db: Db, now: Date, signal?: AbortSignal): Promise<void> {
  const before = toTimestamp(now.getTime() - keptMs);
  await deleteInBatches(db, signal, (tx, most) => deleteExpired("uploads")(tx, now, most));
  await deleteInBatches(db, signal, deleteSessions);
  const left = toTimestamp(now.getTime() - limits.temporaryBranchMs);
  await deleteInBatches(db, signal, (tx, most) => deleteTemporaryBranches(tx, left, most));
  const errors = await forgetTrees(db, signal);
  await deleteInBatches(db, signal, (tx, most) => deleteTrees(tx, before, most));
  await deleteInBatches(db, signal, (tx, most) => deleteContents(tx, before, most));
  if (errors.length > 0) {
    const [first] = errors;
    throw new Error(
      `the history of ${errors.length === 1 ? "1 deployment" : `${errors.length} deployments`} could not be examined`,
      {
        cause: first,
      },
    );
  }
}

/** Ends the dev-mode sessions of credentials that no longer exist. They would keep the parents of their branches active. */
async function deleteSessions(tx: Db, most: number): Promise<number> {
  const ended = tx
    .selectFrom("dev_sessions")
    .select("credential")
    .where((eb) =>
      eb.or(
        (["key", "session"] as const).map((type) => {
          const table = type === "key" ? "api_keys" : "embed_sessions";
          const isOwn = isPrefixed("dev_sessions.credential", `${type}:`, `${table}.id`);
          const owner = eb.selectFrom(table).select("id").where(isOwn);
          return eb.and([beginsWith("credential", `${type}:`), eb.not(eb.exists(owner))]);
        }),
      ),
    )
    .limit(most);
  const { numDeletedRows } = await tx
    .deleteFrom("dev_sessions")
    .where("credential", "in", ended)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Deletes the branches that applies created before `left` and did not delete, because they were killed. */
async function deleteTemporaryBranches(tx: Db, left: string, most: number): Promise<number> {
  const over = tx
    .selectFrom("branches")
    .innerJoin("deployments", "deployments.id", "branches.deployment_id")
    .select("branches.id")
    .where(beginsWith("branches.name", temporaryPrefix))
    .where((eb) =>
      eb.or([eb("branches.created_at", "is", null), eb("branches.created_at", "<", left)]),
    )
    // A branch that has been used is kept.
    .where("branches.staging_enabled", "=", 0)
    .whereRef("branches.name", "!=", "deployments.deploy_branch_name")
    .where((eb) => {
      const child = eb.selectFrom("branches as child").select("child.id");
      const session = eb.selectFrom("dev_sessions").select("credential");
      return eb.not(
        eb.or([
          eb.exists(child.whereRef("child.parent_id", "=", "branches.id")),
          eb.exists(session.whereRef("dev_sessions.branch_id", "=", "branches.id")),
        ]),
      );
    })
    .limit(most);
  return deleteRows(tx, "branches", over);
}

async function deleteTrees(tx: Db, before: string, most: number): Promise<number> {
  const unused = tx
    .selectFrom("model_trees")
    .select("model_trees.id")
    .where("used_at", "<", before)
    .where((eb) => {
      const isUsed = (table: "branches" | "model_commits" | "builds") =>
        eb.exists(
          eb.selectFrom(table).select("id").whereRef(`${table}.tree_id`, "=", "model_trees.id"),
        );
      const isBase = eb.exists(
        eb.selectFrom("uploads").select("id").whereRef("base_tree_id", "=", "model_trees.id"),
      );
      const isUploaded = eb.exists(
        eb
          .selectFrom("branches")
          .select("branches.id")
          .whereRef("upload_tree_id", "=", "model_trees.id"),
      );
      const trees = [isUsed("branches"), isUsed("model_commits"), isUsed("builds")];
      const used = [...trees, isBase, isUploaded];
      return eb.not(eb.or(used));
    })
    .limit(most);
  const { numDeletedRows } = await tx
    .deleteFrom("model_trees")
    // A request that uses the tree meanwhile changes `used_at`.
    .where("used_at", "<", before)
    .where("id", "in", unused)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function deleteContents(tx: Db, before: string, most: number): Promise<number> {
  const unused = tx
    .selectFrom("model_contents")
    .select("id")
    .where("used_at", "<", before)
    .where((eb) => {
      const isIn = (table: "model_tree_files" | "upload_files") =>
        eb.exists(
          eb.selectFrom(table).select("path").whereRef("content_id", "=", "model_contents.id"),
        );
      return eb.not(eb.or([isIn("model_tree_files"), isIn("upload_files")]));
    })
    .limit(most);
  const { numDeletedRows } = await tx
    .deleteFrom("model_contents")
    .where("used_at", "<", before)
    .where("id", "in", unused)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Forgets the trees of commits that are neither the last one of a branch nor the base of a merge. Returns errors. */
async function forgetTrees(db: Db, signal: AbortSignal | undefined): Promise<readonly unknown[]> {
  const deployments = await db
    .selectFrom("deployments")
    .select(["id", "deploy_branch_name"])
    .execute();
  const errors: unknown[] = [];
  for (const deployment of deployments) {
    if (signal?.aborted === true) break;
    try {
      await forgetTreesOf(db, deployment, signal);
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

/** Examines the history outside a transaction, and writes in batches. */
async function forgetTreesOf(
  db: Db,
  { id, deploy_branch_name }: Pick<Row<"deployments">, "id" | "deploy_branch_name">,
  signal: AbortSignal | undefined,
): Promise<void> {
  const commits = await db
    .selectFrom("model_commits")
    .select("id")
    .where("deployment_id", "=", id)
    .where("tree_id", "is not", null)
    .execute();
  if (commits.length <= treesAllowed) return;
  // Branches are read after the commits, so a commit that is made meanwhile is not examined.
  const branches = await db
    .selectFrom("branches")
    .selectAll()
    .where("deployment_id", "=", id)
    .execute();
  if (commits.length <= treesAllowed + treesPerBranch * branches.length) return;
  const needed = await neededCommits(db, branches, deploy_branch_name);
  const unneeded = commits.map((commit) => commit.id).filter((commit) => !needed.has(commit));
  for (const batch of chunksOf(unneeded, limits.expiredRowsPerWrite)) {
    if (signal?.aborted === true) return;
    await inTransaction(db, (tx) => forgetTreesOfCommits(tx, batch));
  }
}

/** Returns the last commits of branches, and the bases of the merges that they may need. */
async function neededCommits(
  db: Db,
  branches: readonly Row<"branches">[],
  deployName: string,
): Promise<ReadonlySet<number>> {
  const byId = new Map(branches.map((branch) => [branch.id, branch]));
  const deploy = branches.find(({ name }) => name === deployName);
  const heads = branches.map(({ head_id }) => head_id);
  const needed = new Set([...heads, ...(await commonCommits(db, branches))]);
  const history = historyReader(db, branches[0]?.deployment_id ?? 0, Math.max(...needed));
  for (const branch of branches) {
    for (const target of [...ancestorsOf(branch, byId), ...(deploy ? [deploy] : [])]) {
      if (branch.head_id === target.head_id) continue;
      const base = await findMergeBase(history, [branch.head_id, target.head_id]);
      // Branches without a common commit cannot be merged, so they need none of these trees.
      if (typeof base === "number") needed.add(base);
    }
  }
  return needed;
}

/** Returns the commits that branches have in common with their Git remotes, from which changes there are merged. */
async function commonCommits(
  db: Db,
  branches: readonly Row<"branches">[],
): Promise<readonly number[]> {
  const [first] = branches;
  if (first === undefined) return [];
  const rows = await db
    .selectFrom("git_branches")
    .innerJoin("branches", "branches.id", "git_branches.branch_id")
    .select(["commit_id", "pushing_commit_id"])
    .where("branches.deployment_id", "=", first.deployment_id)
    .execute();
  return rows
    .flatMap(({ commit_id, pushing_commit_id }) => [commit_id, pushing_commit_id])
    .filter((id) => id !== null);
}

/** Forgets the trees of commits, except commits that have become the last one of a branch or a common one. */
async function forgetTreesOfCommits(tx: Db, commits: readonly number[]): Promise<void> {
  await tx
    .updateTable("model_commits")
    .set({ tree_id: null })
    .where("id", "in", commits)
    .where((eb) => {
      const isHead = eb
        .selectFrom("branches")
        .select("branches.id")
        .whereRef("branches.head_id", "=", "model_commits.id");
      const isCommon = (column: "commit_id" | "pushing_commit_id") =>
        eb.exists(
          eb
            .selectFrom("git_branches")
            .select("branch_id")
            .whereRef(`git_branches.${column}`, "=", "model_commits.id"),
        );
      return eb.not(
        eb.or([eb.exists(isHead), isCommon("commit_id"), isCommon("pushing_commit_id")]),
      );
    })
    .execute();
}

/** Returns the branches that a branch was created from, directly and through others. */
function ancestorsOf(
  branch: Row<"branches">,
  byId: ReadonlyMap<number, Row<"branches">>,
): readonly Row<"branches">[] {
  const found: Row<"branches">[] = [];
  for (
    let at = byId.get(branch.parent_id ?? 0);
    at && !found.includes(at);
    at = byId.get(at.parent_id ?? 0)
  ) {
    found.push(at);
  }
  return found;
}
