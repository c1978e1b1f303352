// The list of a workspace: the items of each type in one order, folders first.
import type { listWorkspace } from "../../../api/workspace.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { permittedRows } from "../../security/authorize-call.ts";
import type { PageSource } from "../../store/keyset.ts";
import {
  compareItems,
  type ItemRow,
  itemsOfType,
  type ItemType,
} from "../../store/workspace-items.ts";
import { type MergedRow, mergedSource } from "../shared/merged-pages.ts";
import { itemTypes, type Workspace } from "./items.ts";

type Query = RequestOf<typeof listWorkspace>["query"];

/** The parameters of the list. */
export interface WorkspaceQuery extends Query {
  /** Whether to leave out items that the caller created. */
  readonly isShared: boolean;
}

/** Returns the items that the caller may read, in the requested order. */
export async function workspaceSource(
  workspace: Workspace,
  query: WorkspaceQuery,
): Promise<PageSource<MergedRow<ItemRow>>> {
  const { db, deploymentId, principal } = workspace;
  const all = Object.keys(itemTypes) as ItemType[];
  const types = all.filter((type) => query.types?.includes(type) ?? true);
  const { folderId, search } = query;
  const order = {
    field: query.orderByField ?? "name",
    direction: query.orderByDirection ?? "asc",
  };
  const notCreatedBy = query.isShared ? principal.userId : undefined;
  const items = {
    deploymentId,
    folderId,
    search,
    notCreatedBy,
    viewer: principal.userId,
    ...order,
  };
  const sources: PageSource<ItemRow>[] = [];
  for (const type of types) {
    const { target, read } = itemTypes[type];
    const permitted = await permittedRows(workspace, { type: target, deploymentId, action: read });
    sources.push(itemsOfType(db, type, { ...items, permitted }));
  }
  return mergedSource(sources, compareItems(order));
}
