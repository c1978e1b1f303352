// Commits: the history of branches, in which merges find the files that two branches last had in common.
import { Failure, invariant } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { toTimestamp } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";

/** A new commit. */
export interface NewCommit {
  readonly deploymentId: number;
  readonly treeId: number;
  readonly parents: readonly [first?: number, second?: number];
  readonly message: string;
  /** Undefined for commits of the service. */
  readonly userId: number | undefined;
  readonly now: Date;
}

/** Stores a commit and returns its id. */
export async function addCommit(
  tx: Db,
  { deploymentId, treeId, parents: [first, second], message, userId, now }: NewCommit,
): Promise<number> {
  const { id } = await tx
    .insertInto("model_commits")
    .values({
      deployment_id: deploymentId,
      tree_id: treeId,
      first_parent_id: first ?? null,
      second_parent_id: second ?? null,
      message,
      user_id: userId ?? null,
      created_at: toTimestamp(now),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Returns the tree of a commit. Throws `conflict` if it is no longer stored. */
export async function treeOfCommit(db: Db, id: number): Promise<number> {
  const { tree_id } = await db
    .selectFrom("model_commits")
    .select("tree_id")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  if (tree_id !== null) return tree_id;
  throw new Failure(
    "conflict",
    "the files that the branches last had in common are no longer stored, so they cannot be merged; create a branch from the target and put the changed files there",
  );
}

type Parents = readonly number[];
const commitsPerQuery = 500;

/** Reads the parents of commits. */
export type History = (id: number) => Promise<Parents>;

/** Returns a reader of commits up to the newest one, which reads in batches: a merge rarely looks far back. */
export function historyReader(db: Db, deploymentId: number, newest: number): History {
  const known = new Map<number, Parents>();
  let before = newest + 1;
  return async (id) => {
    while (!known.has(id)) {
      const found = await db
        .selectFrom("model_commits")
        .select(["id", "first_parent_id", "second_parent_id"])
        .where("deployment_id", "=", deploymentId)
        .where("id", "<", before)
        .orderBy("id", "desc")
        .limit(commitsPerQuery)
        .execute();
      invariant(found.length > 0, `there is no commit ${id}`);
      for (const row of found) {
        known.set(
          row.id,
          [row.first_parent_id, row.second_parent_id].filter((one) => one !== null),
        );
      }
      before = found.at(-1)?.id ?? 0;
    }
    return known.get(id) ?? [];
  };
}

/**
 * Returns the newest commit that both histories contain. Throws `invalid` if there is none, or if it is too far back.
 */
export async function mergeBase(
  db: Db,
  deploymentId: number,
  heads: readonly [number, number],
): Promise<number> {
  const base = await findMergeBase(historyReader(db, deploymentId, Math.max(...heads)), heads);
  if (typeof base === "number") return base;
  const reason =
    base === "none"
      ? "the branches have no common history"
      : `the branches have more than ${limits.commitsVisited} commits since their last common one`;
  throw new Failure("invalid", `${reason}, so they cannot be merged`);
}

/**
 * Returns the newest commit that both histories contain. Visits commits by falling id: a commit is visited after all its
 * descendants, so the first one that both sides reach is the newest.
 */
export async function findMergeBase(
  parentsOf: History,
  [left, right]: readonly [number, number],
): Promise<number | "none" | "too far"> {
  const sides = new Map<number, number>([[left, 1]]);
  sides.set(right, (sides.get(right) ?? 0) | 2);
  for (let visited = 0; visited < limits.commitsVisited; visited++) {
    if (sides.size === 0) return "none";
    const id = Math.max(...sides.keys());
    const side = sides.get(id) ?? 0;
    if (side === 3) return id;
    sides.delete(id);
    for (const parent of await parentsOf(id)) sides.set(parent, (sides.get(parent) ?? 0) | side);
  }
  return "too far";
}
