// `svc workbooks`: the workbooks of a deployment and their dashboards.
import {
  createWorkbook,
  deleteWorkbook,
  duplicateWorkbook,
  getWorkbook,
  listWorkbooks,
  publishDashboard,
  saveDashboardDraft,
  updateWorkbook,
  upsertWorkbook,
} from "../../api/workbooks.ts";
import { type Area, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/deployment-argument.ts";
import { folderLookup, workbookLookup } from "./lookups.ts";

const inDeployment = { deploymentId: deploymentLookup, folderId: folderLookup };
const lookups = { ...inDeployment, workbookId: workbookLookup };

/** The area. */
export const workbooks: Area = {
  name: "workbooks",
  description: "List, create, change and delete workbooks, and publish their dashboards.",
  commands: [
    command("list", listWorkbooks, {
      lookups: inDeployment,
      columns: {
        ID: "id",
        NAME: "name",
        SLUG: "slug",
        FOLDER: ({ folderPath = [] }) => folderPath.map(({ name }) => name).join(" / "),
        CHANGED: "updatedAt",
      },
    }),
    command("get", getWorkbook, { lookups }),
    command("create", createWorkbook, { lookups: inDeployment, arguments: ["name"] }),
    command("update", updateWorkbook, { lookups }),
    command("upsert", upsertWorkbook, { lookups: inDeployment }),
    command("duplicate", duplicateWorkbook, { lookups }),
    command("delete", deleteWorkbook, { lookups }),
    command("save-dashboard", saveDashboardDraft, { lookups }),
    command("publish", publishDashboard, { lookups }),
  ],
};
