// The items of a workspace: moves and deletes each type with its permissions.
import type { Static } from "typebox";
import type { WorkspaceItem } from "../../../api/workspace.ts";
import type { PermissionAction } from "../../../core/operation/permission-actions.ts";
import { requireResourcePermission } from "../../security/authorize-call.ts";
import type { Principal } from "../../security/principal.ts";
import { emptyToNull } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import type { ItemRow, ItemType } from "../../store/workspace-items.ts";
import { type WriteStamp, dropFolder, moveFolder } from "../folders/folders.ts";
import { requireMove } from "../folders/placement.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { dropReport, moveReport } from "../reports/reports.ts";
import { dropWorkbook, moveWorkbook } from "../workbooks/workbooks.ts";

type Item = Static<typeof WorkspaceItem>;

/** An item that a request names. */
export interface ItemRef {
  readonly type: ItemType;
  readonly id: number;
}

/** The place of the items, and the caller. */
export interface Workspace {
  readonly db: Db;
  readonly deploymentId: number;
  readonly principal: Principal;
}

interface Move {
  readonly id: number;
  readonly folderId: number | null;
  readonly by: WriteStamp;
}

interface ItemTypeRules {
  readonly target: "folder" | "workbook" | "report";
  readonly read: PermissionAction;
  readonly edit: PermissionAction;
  readonly delete: PermissionAction;
  readonly move: (workspace: Workspace, move: Move) => Promise<Item>;
  readonly drop: (workspace: Workspace, id: number) => Promise<void>;
}

/** Each type of item: its permissions, and the functions that move and delete it. */
export const itemTypes: Readonly<Record<ItemType, ItemTypeRules>> = {
  FOLDER: {
    target: "folder",
    read: "FolderRead",
    edit: "FolderEdit",
    delete: "FolderManage",
    async move({ db, deploymentId }, { id, folderId: parentId, by }) {
      const row = await moveFolder(db, { deploymentId, folderId: id }, { parentId, by });
      return showItem({
        ...row,
        type: "FOLDER",
        folder_id: row.parent_id,
        slug: null,
        public_id: null,
      });
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
      return showItem({ ...row, type: "WORKBOOK", public_id: null });
    },
    drop: ({ db, deploymentId }, id) => dropWorkbook(db, { deploymentId, workbookId: id }),
  },
  REPORT: {
    target: "report",
    read: "ReportRead",
    edit: "ReportEdit",
    delete: "ReportManage",
    async move({ db, deploymentId }, { id, folderId, by }) {
      const row = await moveReport(db, { deploymentId, reportId: id }, { folderId, at: by.at });
      return showItem({ ...row, type: "REPORT", slug: null });
    },
    drop: ({ db, deploymentId }, id) => dropReport(db, { deploymentId, reportId: id }),
  },
};

/** Moves an item to a folder, or to the root. Throws `forbidden` unless the caller may edit the item and place it there. */
export async function moveItem(
  workspace: Workspace,
  { type, id }: ItemRef,
  { folderId, by }: Omit<Move, "id">,
): Promise<Item> {
  await requireItem(workspace, { type, id }, "edit");
  const { target } = itemTypes[type];
  await requireMove(workspace, id, {
    type: target,
    deploymentId: workspace.deploymentId,
    folderId,
  });
  return itemTypes[type].move(workspace, { id, folderId, by });
}

/** Deletes an item under the rules of its own delete operation. */
export async function deleteItem(workspace: Workspace, { type, id }: ItemRef): Promise<void> {
  await requireItem(workspace, { type, id }, "delete");
  await itemTypes[type].drop(workspace, id);
}

async function requireItem(
  workspace: Workspace,
  { type, id }: ItemRef,
  verb: "edit" | "delete",
): Promise<void> {
  const { target, [verb]: action } = itemTypes[type];
  await requireResourcePermission(workspace, action, { type: target, id });
}

/** Converts an item to its API form. */
export function showItem(
  row: Omit<ItemRow, "name_key" | "viewer_last_viewed_at"> & Partial<ItemRow>,
): Item {
  return {
    type: row.type,
    id: row.id,
    name: row.name,
    deploymentId: row.deployment_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...omitNullish({
      folderId: row.folder_id,
      slug: row.slug,
      publicId: row.public_id,
      createdBy: row.created_by,
      viewerLastViewedAt: emptyToNull(row.viewer_last_viewed_at),
    }),
  };
}
