// The folders that contain a folder, and its nesting depth: one query for each level.
import { chunksOf } from "../../../core/chunks.ts";
import { limits } from "../../../core/limits/limits.ts";
import { keptQuery, preparedListQuery } from "../../store/prepared-query.ts";
import type { Db, Row } from "../../store/schema.ts";

/** A folder on a path. */
export interface PathStep {
  readonly id: number;
  readonly name: string;
}

interface Node extends PathStep {
  readonly parent_id: number | null;
}

function selectNodes(db: Db) {
  return db.selectFrom("folders").select(["id", "name", "parent_id"]);
}

/** Reads the folders that contain one folder, which most reads of one object need. */
const nodeById = keptQuery((db: Db, value: { id: number }) =>
  selectNodes(db).where("id", "=", value.id),
);

const nodesById = preparedListQuery((db, ids: readonly number[]) =>
  selectNodes(db).where("id", "in", ids),
);

/** Returns the path to each folder, from the root to the folder itself. Ignores null. Reads all paths level by level. */
export async function folderPaths(
  db: Db,
  ids: readonly (number | null)[],
): Promise<ReadonlyMap<number, readonly PathStep[]>> {
  const folderIds = ids.filter((id) => id !== null);
  const nodes = new Map<number, Node>();
  let wanted = [...new Set(folderIds)];
  while (wanted.length > 0) {
    const read = await readNodes(db, wanted);
    for (const node of read) nodes.set(node.id, node);
    wanted = [...new Set(read.flatMap(({ parent_id }) => parent_id ?? []))].filter(
      (id) => !nodes.has(id),
    );
  }
  return new Map(folderIds.map((id) => [id, pathTo(nodes, id)]));
}

async function readNodes(db: Db, ids: readonly number[]): Promise<readonly Node[]> {
  const [id] = ids;
  if (id !== undefined && ids.length === 1) return nodeById(db, { id });
  const nodes: Node[] = [];
  for (const part of chunksOf(ids, limits.namesPerQuery))
    nodes.push(...(await nodesById(db, part)));
  return nodes;
}

function pathTo(nodes: ReadonlyMap<number, Node>, id: number): readonly PathStep[] {
  const path: PathStep[] = [];
  let node = nodes.get(id);
  while (node !== undefined && path.length < limits.folderDepth) {
    path.unshift({ id: node.id, name: node.name });
    node = node.parent_id === null ? undefined : nodes.get(node.parent_id);
  }
  return path;
}

/** Returns the number of levels in a folder: 1 without subfolders. */
export async function heightOf(db: Db, { id, deployment_id }: Row<"folders">): Promise<number> {
  let level: readonly number[] = [id];
  let height = 0;
  while (level.length > 0) {
    height++;
    level = await childrenOf(db, deployment_id, level);
  }
  return height;
}

async function childrenOf(
  db: Db,
  deploymentId: number,
  parents: readonly number[],
): Promise<readonly number[]> {
  const found: number[] = [];
  for (const part of chunksOf(parents, limits.namesPerQuery)) {
    const rows = await db
      .selectFrom("folders")
      .select("id")
      .where("deployment_id", "=", deploymentId)
      .where("parent_id", "in", part)
      .execute();
    for (const { id } of rows) found.push(id);
  }
  return found;
}
