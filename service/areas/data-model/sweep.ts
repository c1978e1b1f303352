// Deletes what data models no longer need: ended uploads, trees that no merge can use, and contents of no tree.
import { limits } from "../../../core/limits.ts";
import { toTimestamp } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { inTransaction } from "../../store/transaction.ts";
import { mergeBase } from "./commits.ts";

/** Trees and contents are kept this long after their last use, so that a running request cannot lose them. */
const keptMs = 86_400_000;

/** Commits with trees that a deployment may have, in addition to some for each branch, before they are examined. */
const [treesPerBranch, treesAllowed] = [3, 50];

/** Runs one sweep. Each batch is one transaction; `signal` stops between batches. */
export async function sweepDataModels(db: Db, now: Date, signal?: AbortSignal): Promise<void> {
  await forgetTrees(db, signal);
  const before = toTimestamp(now.getTime() - keptMs);
  await inBatches(db, signal, (tx) => deleteUploads(tx, toTimestamp(now)));
  await inBatches(db, signal, (tx) => deleteTrees(tx, before));
  await inBatches(db, signal, (tx) => deleteContents(tx, before));
}

async function inBatches(
  db: Db,
  signal: AbortSignal | undefined,
  batch: (tx: Db) => Promise<number>,
): Promise<void> {
  for (;;) {
    if (signal?.aborted === true) return;
    const count = await inTransaction(db, batch);
    if (count < limits.expiredRowsAtOnce) return;
  }
}

async function deleteUploads(tx: Db, now: string): Promise<number> {
  const over = tx
    .selectFrom("uploads")
    .select("id")
    .where("expires_at", "<", now)
    .limit(limits.expiredRowsAtOnce);
  const { numDeletedRows } = await tx
    .deleteFrom("uploads")
    .where("id", "in", over)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function deleteTrees(tx: Db, before: string): Promise<number> {
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
      const used = [isUsed("branches"), isUsed("model_commits"), isUsed("builds"), isBase];
      return eb.not(eb.or(used));
    })
    .limit(limits.expiredRowsAtOnce);
  const { numDeletedRows } = await tx
    .deleteFrom("model_trees")
    // A request that uses the tree meanwhile changes `used_at`.
    .where("used_at", "<", before)
    .where("id", "in", unused)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function deleteContents(tx: Db, before: string): Promise<number> {
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
    .limit(limits.expiredRowsAtOnce);
  const { numDeletedRows } = await tx
    .deleteFrom("model_contents")
    .where("used_at", "<", before)
    .where("id", "in", unused)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Forgets the trees of commits that are neither the last one of a branch nor the base of a merge. */
async function forgetTrees(db: Db, signal: AbortSignal | undefined): Promise<void> {
  const deployments = await db
    .selectFrom("deployments")
    .select(["id", "deploy_branch_name"])
    .execute();
  for (const deployment of deployments) {
    if (signal?.aborted === true) return;
    await inTransaction(db, (tx) => forgetTreesOf(tx, deployment));
  }
}

async function forgetTreesOf(
  tx: Db,
  { id, deploy_branch_name }: Pick<Row<"deployments">, "id" | "deploy_branch_name">,
): Promise<void> {
  const branches = await tx
    .selectFrom("branches")
    .selectAll()
    .where("deployment_id", "=", id)
    .execute();
  const commits = await tx
    .selectFrom("model_commits")
    .select("id")
    .where("deployment_id", "=", id)
    .where("tree_id", "is not", null)
    .execute();
  if (commits.length <= treesAllowed + treesPerBranch * branches.length) return;
  const byId = new Map(branches.map((branch) => [branch.id, branch]));
  const deploy = branches.find(({ name }) => name === deploy_branch_name);
  const needed = new Set(branches.map(({ head_id }) => head_id));
  for (const branch of branches) {
    for (const target of [...ancestorsOf(branch, byId), ...(deploy ? [deploy] : [])]) {
      const heads = [branch.head_id, target.head_id] as const;
      if (heads[0] !== heads[1]) needed.add(await mergeBase(tx, id, heads));
    }
  }
  const unneeded = commits.map((commit) => commit.id).filter((commit) => !needed.has(commit));
  for (let from = 0; from < unneeded.length; from += limits.expiredRowsAtOnce) {
    await tx
      .updateTable("model_commits")
      .set({ tree_id: null })
      .where("id", "in", unneeded.slice(from, from + limits.expiredRowsAtOnce))
      .execute();
  }
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
