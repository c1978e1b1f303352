// `svc workbooks`: the workbooks of a deployment and their dashboards.
import {
  downloadDashboardExport,
  getDashboardExport,
  startDashboardExport,
} from "../../api/dashboard-exports.ts";
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
import { type Area, command, type Outcome, type RunContext } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";
import { dashboardLookup, folderLookup, workbookLookup } from "./lookups.ts";

const inDeployment = { deploymentId: deploymentLookup, folderId: folderLookup };
const lookups = { ...inDeployment, workbookId: workbookLookup };

const intoOption = { syntax: "--into <file>", doc: "file to write" };

/** Commands that list, create, change and delete workbooks, and publish their dashboards. */
export const workbooks: Area = {
  name: "workbooks",
  description: "List, create, change and delete workbooks, and publish their dashboards.",
  groups: { exports: "files that dashboards were exported to" },
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
    command("create", createWorkbook, {
      description: "Create a workbook.",
      lookups: inDeployment,
      arguments: ["name"],
    }),
    command("update", updateWorkbook, { lookups }),
    command("upsert", upsertWorkbook, { lookups: inDeployment }),
    command("duplicate", duplicateWorkbook, { lookups }),
    command("delete", deleteWorkbook, { lookups }),
    command("save-dashboard", saveDashboardDraft, { lookups }),
    command("publish", publishDashboard, { lookups }),
    command("export", startDashboardExport, {
      description:
        "Draw a published dashboard with the data that you may see. With `--into`, wait and write the file; otherwise print the job.",
      lookups: { ...inDeployment, dashboardId: dashboardLookup },
      arguments: ["format"],
      extraOptions: [intoOption],
      run: exportDashboard,
    }),
    command("exports get", getDashboardExport, { lookups: inDeployment }),
    command("exports download", downloadDashboardExport, {
      description: "Download an export. Without `--into`, write the file to standard output.",
      lookups: inDeployment,
      extraOptions: [intoOption],
      printsContent: true,
      run: download,
    }),
  ],
};

/** Starts an export; with `--into`, waits for it and writes the file. */
async function exportDashboard({ client, request, extra, signal }: RunContext): Promise<Outcome> {
  const job = await client.call(startDashboardExport, request as never);
  const { into } = extra.options;
  if (typeof into !== "string") return { answer: { ...job } };
  const { downloadExport, waitForExport, writeExport } =
    await import("../shared/wait/dashboard-export.ts");
  const deploymentId = Number(request.params["deploymentId"]);
  const started = { deploymentId, jobId: job.jobId, signal };
  await waitForExport(client, started);
  const content = await downloadExport(client, started);
  writeExport(into, content);
  return { answer: { ...job, file: into, bytes: content.length } };
}

async function download({ client, request, extra, signal }: RunContext): Promise<Outcome> {
  const { downloadExport, writeExport } = await import("../shared/wait/dashboard-export.ts");
  const { deploymentId, jobId } = request.params;
  const started = { deploymentId: Number(deploymentId), jobId: String(jobId), signal };
  const content = await downloadExport(client, started);
  const { into } = extra.options;
  const { jobId: id } = started;
  if (typeof into !== "string") {
    return { answer: { jobId: id, content: content.toString("base64") }, content };
  }
  writeExport(into, content);
  return { answer: { jobId: id, file: into, bytes: content.length } };
}
