// Operations on the folders of a deployment.
import { Type } from "typebox";
import { defineOperation } from "../core/operation/operation.ts";
import { limits } from "../core/limits/limits.ts";
import { field, optionalForClient } from "../core/schema/traits.ts";
import {
  ContentUser,
  deploymentScope,
  Id,
  Name,
  nullish,
  strictObject,
  Timestamp,
} from "./schemas.ts";

const area = "folders";
const base = "/api/v1/deployments/{deploymentId}/folders";
const one = `${base}/{folderId}` as const;
const folderScope = { ...deploymentScope, folder: "params.folderId" } as const;
const byDeployment = strictObject({ deploymentId: Id });
const byId = strictObject({ deploymentId: Id, folderId: Id });

/** Position of a folder among its siblings. */
const Position = Type.Integer({
  minimum: 0,
  maximum: limits.folderPosition,
  description: "Position among its sibling folders.",
});

/** The folders that contain an object, the outermost first. */
export const FolderPath = Type.Array(strictObject({ id: Id, name: Type.String() }), {
  description: "Folders that contain it, the outermost first.",
});

/** The folder that a write puts an object into. */
export const TargetFolder = nullish(
  field(Id, {
    doc: "ID of the folder to put it into. Requires `FolderEdit` on the folder. At the root, requires the operation's permission on the deployment.",
  }),
);

/** A folder in responses. */
export const Folder = strictObject({
  id: Id,
  name: Type.String(),
  position: Position,
  deploymentId: Id,
  type: optionalForClient(Type.Literal("FOLDER")),
  parentId: Type.Optional(Id),
  folderPath: Type.Optional(FolderPath),
  createdBy: Type.Optional(Id),
  user: Type.Optional(ContentUser),
  updatedBy: Type.Optional(Id),
  createdAt: optionalForClient(Timestamp),
  updatedAt: optionalForClient(Timestamp),
});

/** List folders. */
export const listFolders = defineOperation({
  id: "listFolders",
  area,
  method: "GET",
  path: base,
  summary: "List folders",
  description:
    "Returns the folders in `parentId`, or at the root, by position. With `recursive` (a proposed addition), returns every folder of the deployment, newest first.",
  source: "public",
  effect: "read",
  permission: { action: "FolderRead", scope: { ...deploymentScope, folder: "any" } },
  params: byDeployment,
  query: strictObject({
    parentId: Type.Optional(Id),
    recursive: Type.Optional(
      Type.Boolean({ description: "Whether to return the folders at every depth." }),
    ),
  }),
  answer: Folder,
  list: "transitional",
  errorCodes: ["not_found"],
});

/** Create a folder. */
export const createFolder = defineOperation({
  id: "createFolder",
  area,
  method: "POST",
  path: base,
  summary: "Create a folder",
  description: `Creates a folder in \`parentId\`, or at the root. The position defaults to the last. Folders can be ${limits.folderDepth} deep. Needs the permission for the parent or, at the root, for the deployment.`,
  source: "public",
  effect: "write",
  permission: { action: "FolderEdit", scope: { ...deploymentScope, folder: "any" } },
  params: byDeployment,
  body: strictObject({ name: Name, parentId: nullish(Id), position: nullish(Position) }),
  answer: Folder,
  errorCodes: ["not_found"],
});

/** Get a folder. */
export const getFolder = defineOperation({
  id: "getFolder",
  area,
  method: "GET",
  path: one,
  summary: "Get a folder",
  description: "Returns one folder with the folders that contain it.",
  source: "proposed",
  effect: "read",
  permission: { action: "FolderRead", scope: folderScope },
  params: byId,
  answer: Folder,
  errorCodes: ["not_found"],
});

/** Update a folder. */
export const updateFolder = defineOperation({
  id: "updateFolder",
  area,
  method: "PUT",
  path: one,
  summary: "Update a folder",
  description:
    "Changes the name or the position. Omitted members are kept. `moveWorkspaceItem` moves a folder.",
  source: "public",
  effect: "write",
  permission: { action: "FolderEdit", scope: folderScope },
  params: byId,
  body: strictObject({ name: nullish(Name), position: nullish(Position) }),
  answer: Folder,
  errorCodes: ["not_found"],
});

/** Delete a folder. */
export const deleteFolder = defineOperation({
  id: "deleteFolder",
  area,
  method: "DELETE",
  path: one,
  summary: "Delete a folder",
  description:
    "Deletes a folder without subfolders. Returns 400 if it has subfolders. The workbooks and reports in it move to the root.",
  source: "public",
  effect: "write",
  permission: { action: "FolderManage", scope: folderScope },
  params: byId,
  errorCodes: ["not_found"],
});

/** List the folders that contain a folder. */
export const listFolderAncestors = defineOperation({
  id: "listFolderAncestors",
  area,
  method: "GET",
  path: `${one}/ancestors`,
  summary: "List the folders that contain a folder",
  description: "Returns the folders from the root to the folder itself.",
  source: "public",
  effect: "read",
  permission: { action: "FolderRead", scope: folderScope },
  params: byId,
  answer: Folder,
  list: "array",
  errorCodes: ["not_found"],
});
