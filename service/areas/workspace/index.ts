// Area workspace: the folders of a deployment with their contents.
import {
  bulkDeleteWorkspaceItems,
  bulkMoveWorkspaceItems,
  listSharedWorkspace,
  listWorkspace,
  moveWorkspaceItem,
} from "../../../api/workspace.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { writeInBulk } from "../shared/bulk.ts";
import { requireDeployment } from "../../store/deployments.ts";
import { writeStampOf, readFolder } from "../folders/folders.ts";
import {
  type Call,
  handle,
  handleList,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { pageOf } from "../shared/pagination.ts";
import { deleteItem, type ItemRef, moveItem, showItem, type Workspace } from "./items.ts";
import { workspaceSource } from "./list.ts";

/** The handlers of this area. */
export const workspace: readonly OperationHandler[] = [
  handleList(listWorkspace, (call) => listItems(call, false)),
  handleList(listSharedWorkspace, (call) => listItems(call, true)),
  handle(moveWorkspaceItem, async (call) => {
    const { folderId, ...item } = call.body;
    return moveItem(await workspaceOf(call), item, { folderId, by: writeStampOf(call) });
  }),
  handle(bulkMoveWorkspaceItems, async (call) => {
    const { folderId, items } = call.body;
    const on = await workspaceOf(call);
    const { done, failed } = await forEachItem(call, items, (item) =>
      moveItem(on, item, { folderId, by: writeStampOf(call) }),
    );
    return { moved: done, failed };
  }),
  handle(bulkDeleteWorkspaceItems, async (call) => {
    const on = await workspaceOf(call);
    const { done, failed } = await forEachItem(call, call.body.items, (item) =>
      deleteItem(on, item),
    );
    return { deleted: done, failed };
  }),
];

type ListCall = Call<RequestOf<typeof listWorkspace>>;

async function listItems(call: ListCall, isShared: boolean) {
  const on = await workspaceOf(call);
  const { folderId } = call.query;
  if (folderId !== undefined) await readFolder(call.db, { ...call.params, folderId });
  const source = await workspaceSource(on, { ...call.query, isShared });
  return pageOf(call, source, ({ row }) => showItem(row));
}

async function workspaceOf({
  db,
  params,
  principal,
}: Pick<ListCall, "db" | "params" | "principal">): Promise<Workspace> {
  const { deploymentId } = params;
  await requireDeployment(db, deploymentId);
  return { db, deploymentId, principal };
}

/** Runs `write` for each item, and returns the items for which it succeeded and the others with their errors. */
async function forEachItem(
  { db }: Pick<Call, "db">,
  items: readonly ItemRef[],
  write: (item: ItemRef) => Promise<unknown>,
) {
  const { succeeded, failed } = await writeInBulk(db, items, async (item) => {
    await write(item);
    return { type: item.type, id: item.id };
  });
  const errors = failed.flatMap(({ index, error }) => {
    const item = items[index];
    return item === undefined ? [] : [{ type: item.type, id: item.id, error }];
  });
  return { done: succeeded, failed: errors };
}
