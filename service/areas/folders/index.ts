// Area folders: the folders of a deployment.
import {
  createFolder,
  deleteFolder,
  getFolder,
  listFolderAncestors,
  listFolders,
  updateFolder,
} from "../../../api/folders.ts";
import { handle, handleList, type OperationHandler } from "../shared/operation-handler.ts";
import { pageOfBatch, singlePage } from "../shared/pagination.ts";
import { requireDeployment } from "../../store/deployments.ts";
import { permittedRows } from "../../security/authorize-call.ts";
import { keyset, sortedKeyset } from "../../store/keyset.ts";
import {
  ancestorsOf,
  changeFolder,
  writeStampOf,
  dropFolder,
  insertFolder,
  readFolder,
  selectFolders,
  showFolder,
  showFolders,
} from "./folders.ts";
import { requirePlacement } from "./placement.ts";

/** The handlers of this area. */
export const folders: readonly OperationHandler[] = [
  handleList(listFolders, async (call) => {
    const { db, params, query } = call;
    const { deploymentId } = params;
    const { parentId, recursive } = query;
    await requireDeployment(db, deploymentId);
    if (parentId !== undefined) await readFolder(db, { deploymentId, folderId: parentId });
    const permitted = await permittedRows(call, {
      type: "folder",
      deploymentId,
      action: "FolderRead",
    });
    let all = selectFolders(db, deploymentId);
    if (permitted) all = all.where(permitted);
    const children = all.where("parent_id", parentId === undefined ? "is" : "=", parentId ?? null);
    const source =
      recursive === true && parentId === undefined
        ? keyset(all, "folders.id")
        : sortedKeyset(children, {
            column: "folders.position",
            id: "folders.id",
            direction: "asc",
            type: "integer",
            valueOf: ({ position }) => position,
          });
    return pageOfBatch(call, source, (rows) => showFolders(db, rows));
  }),
  handle(createFolder, async (call) => {
    const { db, params, body } = call;
    const { deploymentId } = params;
    await requirePlacement(call, {
      type: "folder",
      deploymentId,
      folderId: body.parentId ?? null,
    });
    return showFolder(db, await insertFolder(db, deploymentId, { body, by: writeStampOf(call) }));
  }),
  handle(getFolder, async ({ db, params }) => showFolder(db, await readFolder(db, params))),
  handle(updateFolder, async (call) => {
    const change = { body: call.body, by: writeStampOf(call) };
    return showFolder(call.db, await changeFolder(call.db, call.params, change));
  }),
  handle(deleteFolder, async ({ db, params }) => dropFolder(db, params)),
  handleList(listFolderAncestors, async ({ db, params }) =>
    singlePage(await showFolders(db, await ancestorsOf(db, params))),
  ),
];
