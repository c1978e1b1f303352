// The items of a workspace: how each type is moved and deleted, and with which permissions.
import type { Static } from "typebox";
import type { WorkspaceItem } from "../../../api/workspace.ts";
import type { PermissionAction } from "../../../core/permissions.ts";
import { requirePermission } from "../../security/require-permission.ts";
import type { Principal } from "../../security/principal.ts";
import type { Db } from "../../store/schema.ts";
import type { ItemRow, ItemType } from "../../store/workspace-items.ts";
import { type Change, dropFolder, moveFolder } from "../folders/folders.ts";
import { omitNullish } from "../operation-handler.ts";
import { dropWorkbook, moveWorkbook } from "../workbooks/workbooks.ts";

type Item = Static<typeof WorkspaceItem>;

/** An item as a request names it. */
export interface ItemRef {
  readonly type: ItemType;
  readonly id: number;
}

/** Where the items are, and who calls. */
export interface Workspace {
  readonly db: Db;
  readonly deploymentId: number;
  readonly principal: Principal;
}

interface Move {
  readonly id: number;
  readonly folderId: number | null;
  readonly by: Change;
}

interface ItemTypeRules {
  readonly target: "folder" | "workbook";
  readonly read: PermissionAction;
  readonly edit: PermissionAction;
  readonly delete: PermissionAction;
  readonly move: (workspace: Workspace, move: Move) => Promise<Item>;
  readonly drop: (workspace: Workspace, id: number) => Promise<void>;
}

/** Each type of item: its permissions, and how it is moved and deleted. */
export const itemTypes: Readonly<Record<ItemType, ItemTypeRules>> = {
  FOLDER: {
    target: "folder",
    read: "FolderRead",
    edit: "FolderEdit",
    delete: "FolderManage",
    async move({ db, deploymentId }, { id, folderId: parentId, by }) {
      const row = await moveFolder(db, { deploymentId, folderId: id }, { parentId, by });
      return showItem({ ...row, type: "FOLDER", folder_id: row.parent_id, slug: null });
    },
    drop: ({ db, deploymentId }, id) => dropFolder(db, { deploymentId, folderId: id }),
  },
  WORKBOOK: {
    target: "workbook",
    read: "WorkbookRead",
    edit: "WorkbookEdit",
    delete: "WorkbookManage",
    async move({ db, deploymentId }, { id, folderId, by }) {
      const row = await moveWorkbook(db, { deploymentId, workbookId: id }, { folderId, at: by.at });
      return showItem({ ...row, type: "WORKBOOK" });
    },
    drop: ({ db, deploymentId }, id) => dropWorkbook(db, { deploymentId, workbookId: id }),
  },
};

/** Moves an item to a folder, or to the root. Throws `forbidden` unless the caller may edit both. */
export async function moveItem(
  workspace: Workspace,
  { type, id }: ItemRef,
  { folderId, by }: Omit<Move, "id">,
): Promise<Item> {
  requireItem(workspace, { type, id }, "edit");
  if (folderId !== null) requireItem(workspace, { type: "FOLDER", id: folderId }, "edit");
  return itemTypes[type].move(workspace, { id, folderId, by });
}

/** Deletes an item under the rules of its own delete operation. */
export async function deleteItem(workspace: Workspace, { type, id }: ItemRef): Promise<void> {
  requireItem(workspace, { type, id }, "delete");
  await itemTypes[type].drop(workspace, id);
}

function requireItem(
  { principal, deploymentId }: Workspace,
  { type, id }: ItemRef,
  verb: "edit" | "delete",
): void {
  const { target, [verb]: action } = itemTypes[type];
  requirePermission(principal, action, [
    { type: target, id: String(id) },
    { type: "deployment", id: String(deploymentId) },
  ]);
}

/** Converts an item to its API form. */
export function showItem(row: Omit<ItemRow, "name_key">): Item {
  return {
    type: row.type,
    id: row.id,
    name: row.name,
    deploymentId: row.deployment_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...omitNullish({ folderId: row.folder_id, slug: row.slug, createdBy: row.created_by }),
  };
}
