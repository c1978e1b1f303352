// `svc reports`: the reports of a deployment.
import {
  checkReportQuery,
  connectReportWorkbook,
  createReport,
  deleteReport,
  disconnectReportWorkbook,
  getReport,
  getReportDefinition,
  listReportFolders,
  listReports,
  refreshReport,
  updateReport,
  upsertReport,
} from "../../api/reports.ts";
import { type Area, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";
import { folderLookup, workbookLookup } from "./lookups.ts";

const report = {
  label: "report",
  list: listReports,
  listCommand: "reports list",
  names: ["publicId", "name"],
};
const inDeployment = {
  deploymentId: deploymentLookup,
  folderId: folderLookup,
  workbookId: workbookLookup,
};
const lookups = { ...inDeployment, reportId: report };

/** Commands that list, create, change and delete reports, and connect them to workbooks. */
export const reports: Area = {
  name: "reports",
  description: "List, create, change and delete reports, and connect them to workbooks.",
  commands: [
    command("list", listReports, {
      lookups: inDeployment,
      columns: {
        ID: "id",
        "PUBLIC ID": "publicId",
        NAME: "name",
        WORKBOOK: "workbookId",
        VERSION: "version",
        CHANGED: "updatedAt",
        VIEWED: "lastViewedAt",
      },
    }),
    command("folders", listReportFolders, {
      lookups: inDeployment,
      columns: { ID: "id", NAME: "name", PARENT: "parentId" },
    }),
    command("get", getReport, { lookups }),
    command("definition", getReportDefinition, { lookups }),
    command("check", checkReportQuery, { lookups: inDeployment, arguments: ["jsonQuery"] }),
    command("create", createReport, {
      description:
        "Create a report. The public ID is generated unless it is given. Fails if another report has it.",
      lookups: inDeployment,
      arguments: ["name"],
    }),
    command("update", updateReport, { lookups }),
    command("upsert", upsertReport, { lookups: inDeployment }),
    command("delete", deleteReport, { lookups }),
    command("refresh", refreshReport, { lookups }),
    command("connect", connectReportWorkbook, { lookups, arguments: ["workbookId"] }),
    command("disconnect", disconnectReportWorkbook, { lookups, confirm: false }),
  ],
};
