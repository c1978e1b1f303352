// How users, user groups, folders and workbooks are named in commands.
import { listFolders } from "../../api/folders.ts";
import { listUserGroups } from "../../api/user-groups.ts";
import { listUsers } from "../../api/users.ts";
import { listWorkbooks } from "../../api/workbooks.ts";
import { isObject } from "../../core/json.ts";
import type { Lookup } from "../shared/lookup/lookup.ts";

/** Users, by email or username. */
export const userLookup: Lookup = {
  label: "user",
  list: listUsers,
  listCommand: "users list",
  names: ["email", "username"],
};

/** Account-wide groups. */
export const groupLookup: Lookup = {
  label: "group",
  list: listUserGroups,
  listCommand: "groups list",
  names: ["name"],
};

/** Folders of the deployment of the request. */
export const folderLookup: Lookup = {
  label: "folder",
  list: listFolders,
  listCommand: "folders list",
  names: ["name"],
  listQuery: { recursive: true },
  root: "/",
};

/** Workbooks of the deployment of the request, by slug or name. */
export const workbookLookup: Lookup = {
  label: "workbook",
  list: listWorkbooks,
  listCommand: "workbooks list",
  names: ["slug", "name"],
};

/** Published dashboards of the deployment of the request, by the slug or name of their workbook. */
export const dashboardLookup: Lookup = {
  label: "published dashboard",
  list: listWorkbooks,
  listCommand: "workbooks list",
  names: ["slug", "name"],
  idOfFound: ({ publishedDashboard }) =>
    isObject(publishedDashboard) ? publishedDashboard["id"] : undefined,
};
