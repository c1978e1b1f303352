// Operations on the workspace of a deployment: its folders with their contents.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { field, oneOf } from "../core/schema/traits.ts";
import { deploymentScope, Id, strictObject, Timestamp } from "./schemas.ts";

const area = "workspace";
const base = "/api/v1/deployments/{deploymentId}";
const byDeployment = strictObject({ deploymentId: Id });

/** Items of each type, of which the caller sees and changes those that it may. */
const anyItem = { ...deploymentScope, folder: "any", workbook: "any", report: "any" } as const;

/** Types of items. */
const ItemType = oneOf(["FOLDER", "WORKBOOK", "REPORT"]);

/** An item of the workspace. */
export const WorkspaceItem = strictObject({
  type: ItemType,
  id: Id,
  name: Type.String(),
  deploymentId: Id,
  folderId: Type.Optional(Id),
  slug: Type.Optional(Type.String()),
  publicId: Type.Optional(Type.String()),
  createdBy: Type.Optional(Id),
  viewerLastViewedAt: Type.Optional(
    field(Timestamp, {
      doc: "Time when the caller viewed the workbook or the report last. Only in the order `viewer_last_viewed_at`.",
    }),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const folderId = Type.Union([Id, Type.Null()], {
  description: "ID of the folder to move to. `null` is the root.",
});

const ItemRef = strictObject({ type: ItemType, id: Id });

const items = Type.Array(ItemRef, {
  minItems: 1,
  maxItems: limits.bulkItems,
  description: `Items, 1 to ${limits.bulkItems}.`,
});

const failed = Type.Array(
  strictObject({
    type: ItemType,
    id: Id,
    error: strictObject({ status: Type.Integer(), message: Type.String() }),
  }),
  { description: "Items that the call did not change, each with the error." },
);

const listQuery = strictObject({
  folderId: Type.Optional(Id),
  types: Type.Optional(
    Type.Array(ItemType, { maxItems: 3, description: "Types of items. Defaults to all." }),
  ),
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  orderByField: Type.Optional(oneOf(["updated_at", "created_at", "name", "viewer_last_viewed_at"])),
  orderByDirection: Type.Optional(oneOf(["asc", "desc"])),
});

const listRules =
  "Folders come first. Without `folderId`, the items are those at the root; a `search` without it is about every folder. `orderByField` defaults to `name`, and `orderByDirection` to `asc`. `viewer_last_viewed_at` orders by what the caller viewed last. Items that the caller may not read are left out.";

/** List the workspace. */
export const listWorkspace = defineOperation({
  id: "listWorkspace",
  area,
  method: "GET",
  path: `${base}/workspace`,
  summary: "List the workspace",
  description: `Returns the items in a folder. ${listRules}`,
  source: "public",
  effect: "read",
  permission: { action: ["FolderRead", "WorkbookRead", "ReportRead"], scope: anyItem },
  params: byDeployment,
  query: listQuery,
  answer: WorkspaceItem,
  list: "cursor",
  errorCodes: ["not_found"],
});

/** List what others created in the workspace. */
export const listSharedWorkspace = defineOperation({
  id: "listSharedWorkspace",
  area,
  method: "GET",
  path: `${base}/shared-workspace`,
  summary: "List what others created in the workspace",
  description: `Returns the items in a folder that other users created. ${listRules}`,
  source: "public",
  effect: "read",
  permission: { action: ["FolderRead", "WorkbookRead", "ReportRead"], scope: anyItem },
  params: byDeployment,
  query: listQuery,
  answer: WorkspaceItem,
  list: "cursor",
  errorCodes: ["not_found"],
});

/** Move an item of the workspace. */
export const moveWorkspaceItem = defineOperation({
  id: "moveWorkspaceItem",
  area,
  method: "POST",
  path: `${base}/workspace/move`,
  summary: "Move an item of the workspace",
  description:
    "Moves a folder with everything in it, a workbook or a report. Returns 400 if a folder would contain itself or be too deep. Needs the permission to edit the item and the folder that it moves to or, at the root, to create such items in the deployment; and to manage the item if it inherits other policies there.",
  source: "public",
  effect: "write",
  permission: { action: ["FolderEdit", "WorkbookEdit", "ReportEdit"], scope: anyItem },
  repeatable: true,
  params: byDeployment,
  body: strictObject({ type: ItemType, id: Id, folderId }),
  answer: WorkspaceItem,
  errorCodes: ["not_found"],
});

/** Move items of the workspace in bulk. */
export const bulkMoveWorkspaceItems = defineOperation({
  id: "bulkMoveWorkspaceItems",
  area,
  method: "POST",
  path: `${base}/workspace/bulk-move`,
  summary: "Move items of the workspace in bulk",
  description:
    "Moves the items in order, each as `moveWorkspaceItem` does. The call continues when one cannot be moved and reports it in `failed`.",
  source: "public",
  effect: "write",
  permission: { action: ["FolderEdit", "WorkbookEdit", "ReportEdit"], scope: anyItem },
  repeatable: true,
  params: byDeployment,
  body: strictObject({ items, folderId }),
  answer: strictObject({
    moved: Type.Array(ItemRef, { description: "Items that the call moved." }),
    failed,
  }),
  errorCodes: ["not_found"],
});

/** Delete items of the workspace in bulk. */
export const bulkDeleteWorkspaceItems = defineOperation({
  id: "bulkDeleteWorkspaceItems",
  area,
  method: "POST",
  path: `${base}/workspace/bulk-delete`,
  summary: "Delete items of the workspace in bulk",
  description:
    "Deletes the items in order, each under the rules and the permission of its own delete operation. The call continues when one cannot be deleted and reports it in `failed`.",
  source: "public",
  effect: "write",
  permission: { action: ["FolderManage", "WorkbookManage", "ReportManage"], scope: anyItem },
  params: byDeployment,
  body: strictObject({ items }),
  answer: strictObject({
    deleted: Type.Array(ItemRef, { description: "Items that the call deleted." }),
    failed,
  }),
  errorCodes: ["not_found"],
});
