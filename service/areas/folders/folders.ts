// Folder rows: find, create, update, move, delete, and convert to the API form.
import type { createFolder, updateFolder } from "../../../api/folders.ts";
import { Failure, invariant } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { type Call, omitNullish } from "../shared/operation-handler.ts";
import { fieldError } from "../shared/field-error.ts";
import { requireDeployment } from "../../store/deployments.ts";
import { toTimestamp } from "../../store/codec.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db, Row } from "../../store/schema.ts";
import { userSummaries } from "../users/users.ts";
import { folderPaths, heightOf } from "./paths.ts";

/** A folder as identified by a path. */
export interface FolderKey {
  readonly deploymentId: number;
  readonly folderId: number;
}

/** The user who writes, and the time. */
export interface WriteStamp {
  readonly userId: number;
  readonly at: string;
}

/** Returns the caller and the time. */
export function writeStampOf({ principal, now }: Pick<Call, "principal" | "now">): WriteStamp {
  return { userId: principal.userId, at: toTimestamp(now()) };
}

/** Selects the folders of a deployment. */
export function selectFolders(db: Db, deploymentId: number) {
  return db
    .selectFrom("folders")
    .selectAll("folders")
    .where("folders.deployment_id", "=", deploymentId);
}

const folderByKey = preparedQuery((db: Db, { deploymentId, folderId }: FolderKey) =>
  selectFolders(db, deploymentId).where("folders.id", "=", folderId),
);

/** Returns the row of a folder. Throws `not_found` if the deployment does not have it. */
export async function readFolder(db: Db, key: FolderKey): Promise<Row<"folders">> {
  const [row] = await folderByKey(db, key);
  if (row) return row;
  throw new Failure("not_found", `the deployment has no folder ${key.folderId}`);
}

/** Converts folders to their API form, in row order. */
export async function showFolders(db: Db, rows: readonly Row<"folders">[]) {
  const paths = await folderPaths(
    db,
    rows.map((row) => row.parent_id),
  );
  const users = await userSummaries(
    db,
    rows.map((row) => row.created_by),
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    position: row.position,
    deploymentId: row.deployment_id,
    type: "FOLDER" as const,
    folderPath: row.parent_id === null ? [] : [...(paths.get(row.parent_id) ?? [])],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...omitNullish({
      parentId: row.parent_id,
      createdBy: row.created_by,
      user: users.get(row.created_by ?? 0),
      updatedBy: row.updated_by,
    }),
  }));
}

/** Converts one folder to its API form. */
export async function showFolder(db: Db, row: Row<"folders">) {
  const [shown] = await showFolders(db, [row]);
  invariant(shown, "a folder could not be converted");
  return shown;
}

/** Returns the rows from the root to the folder itself. */
export async function ancestorsOf(db: Db, key: FolderKey): Promise<Row<"folders">[]> {
  const own = await readFolder(db, key);
  const paths = await folderPaths(db, [own.id]);
  const ids = (paths.get(own.id) ?? []).map(({ id }) => id);
  const rows = await selectFolders(db, key.deploymentId).where("id", "in", ids).execute();
  return rows.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
}

/** Inserts a folder. Throws `not_found` without its deployment, and `invalid` for an unknown parent or too many levels. */
export async function insertFolder(
  db: Db,
  deploymentId: number,
  { body, by }: { body: RequestOf<typeof createFolder>["body"]; by: WriteStamp },
): Promise<Row<"folders">> {
  await requireDeployment(db, deploymentId);
  const parentId = body.parentId ?? null;
  if (parentId !== null) await requireRoom(db, { deploymentId, folderId: parentId }, 1);
  return db
    .insertInto("folders")
    .values({
      deployment_id: deploymentId,
      parent_id: parentId,
      name: body.name,
      name_key: body.name.toLowerCase(),
      position: body.position ?? (await nextPosition(db, deploymentId, parentId)),
      created_by: by.userId,
      updated_by: by.userId,
      created_at: by.at,
      updated_at: by.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function nextPosition(db: Db, deploymentId: number, parentId: number | null) {
  const last = await selectFolders(db, deploymentId)
    .where("parent_id", parentId === null ? "is" : "=", parentId)
    .orderBy("position", "desc")
    .limit(1)
    .executeTakeFirst();
  return last === undefined ? 0 : Math.min(last.position + 1, limits.folderPosition);
}

/** Throws `invalid` if the parent does not exist, or if `levels` nested folders do not fit into it. */
async function requireRoom(db: Db, parent: FolderKey, levels: number): Promise<void> {
  const [row] = await folderByKey(db, parent);
  if (!row) {
    throw fieldError("parentId", [
      "invalid",
      `the deployment has no folder ${parent.folderId} to be the parent`,
    ]);
  }
  const depth = (await folderPaths(db, [row.id])).get(row.id)?.length ?? 0;
  if (depth + levels <= limits.folderDepth) return;
  throw fieldError(
    "parentId",
    ["invalid", `folders can be ${limits.folderDepth} deep; this would be ${depth + levels}`],
    { remedy: "Choose a parent that is closer to the root." },
  );
}

/** Updates the given members. */
export async function changeFolder(
  db: Db,
  key: FolderKey,
  { body, by }: { body: RequestOf<typeof updateFolder>["body"]; by: WriteStamp },
): Promise<Row<"folders">> {
  const { id } = await readFolder(db, key);
  return db
    .updateTable("folders")
    .set({
      updated_at: by.at,
      updated_by: by.userId,
      ...(body.name == null ? {} : { name: body.name, name_key: body.name.toLowerCase() }),
      ...(body.position == null ? {} : { position: body.position }),
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Moves a folder. Throws `invalid` if it would contain itself, or be too deep. */
export async function moveFolder(
  db: Db,
  key: FolderKey,
  { parentId, by }: { parentId: number | null; by: WriteStamp },
): Promise<Row<"folders">> {
  const { deploymentId } = key;
  const folder = await readFolder(db, key);
  const { id } = folder;
  if (parentId !== null) {
    const path = (await folderPaths(db, [parentId])).get(parentId) ?? [];
    if (path.some((one) => one.id === id)) {
      throw fieldError("folderId", ["invalid", "a folder cannot be moved into itself"]);
    }
    await requireRoom(db, { deploymentId, folderId: parentId }, await heightOf(db, folder));
  }
  return db
    .updateTable("folders")
    .set({
      parent_id: parentId,
      position: await nextPosition(db, deploymentId, parentId),
      updated_at: by.at,
      updated_by: by.userId,
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Deletes a folder and moves its workbooks and reports to the root, which counts as a change of a report. Throws
 * `invalid` while it has subfolders.
 */
export async function dropFolder(db: Db, key: FolderKey): Promise<void> {
  const { id } = await readFolder(db, key);
  const child = await selectFolders(db, key.deploymentId)
    .where("parent_id", "=", id)
    .limit(1)
    .executeTakeFirst();
  if (child) {
    throw new Failure("invalid", `folder ${id} has subfolders; delete or move them first`);
  }
  await db
    .updateTable("workbooks")
    .set({ folder_id: null })
    .where("deployment_id", "=", key.deploymentId)
    .where("folder_id", "=", id)
    .execute();
  await db
    .updateTable("reports")
    .set((eb) => ({ folder_id: null, version: eb("version", "+", 1) }))
    .where("deployment_id", "=", key.deploymentId)
    .where("folder_id", "=", id)
    .execute();
  await db.deleteFrom("folders").where("id", "=", id).execute();
}

/** Throws `invalid` if the deployment does not have the folder; `null` is the root. */
export async function requireFolder(
  db: Db,
  deploymentId: number,
  folderId: number | null | undefined,
): Promise<void> {
  if (folderId == null) return;
  const [row] = await folderByKey(db, { deploymentId, folderId });
  if (row) return;
  throw fieldError("folderId", ["invalid", `the deployment has no folder ${folderId}`]);
}
