// `svc workspace`: the folders of a deployment with their contents.
import {
  bulkDeleteWorkspaceItems,
  bulkMoveWorkspaceItems,
  listSharedWorkspace,
  listWorkspace,
  moveWorkspaceItem,
} from "../../api/workspace.ts";
import { type Area, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";
import { folderLookup } from "./lookups.ts";

const lookups = { deploymentId: deploymentLookup, folderId: folderLookup };
const toFolder = { folderId: { doc: "folder to move to" } } as const;
const columns = {
  TYPE: "type",
  ID: "id",
  NAME: "name",
  SLUG: "slug",
  CHANGED: "updatedAt",
} as const;

/** Commands that list, move and delete the folders and workbooks of a deployment. */
export const workspace: Area = {
  name: "workspace",
  description: "List, move and delete the folders and workbooks of a deployment.",
  commands: [
    command("list", listWorkspace, { lookups, columns }),
    command("shared", listSharedWorkspace, { lookups, columns }),
    command("move", moveWorkspaceItem, { lookups, arguments: ["type", "id"], flags: toFolder }),
    command("bulk-move", bulkMoveWorkspaceItems, { lookups, flags: toFolder }),
    command("bulk-delete", bulkDeleteWorkspaceItems, { lookups, confirm: true }),
  ],
};
