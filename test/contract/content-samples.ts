// One call of each operation on folders and the workspace that succeeds.
import type { TestService } from "../support/test-service.ts";
import { sampleAfter } from "./sample.ts";

const base = "/api/v1/deployments/1";
const folders = `${base}/folders`;

async function createdId(service: TestService, path: string, body: object): Promise<number> {
  return ((await service.send("POST", path, { body })).body as { id: number }).id;
}

const folder = (service: TestService) => createdId(service, folders, { name: "Sales" });
const workbook = (service: TestService) =>
  createdId(service, `${base}/workbooks`, { name: "Figures" });

async function subfolder(service: TestService): Promise<number> {
  return createdId(service, folders, { name: "Europe", parentId: await folder(service) });
}

const reports = `${base}/reports`;
const report = (service: TestService) =>
  createdId(service, reports, { name: "Orders", jsonQuery: '{"measures":["orders.count"]}' });

/** Samples by operation id. */
export const contentSamples = {
  listFolders: async (service: TestService) =>
    sampleAfter(subfolder(service), `${folders}?first=1&recursive=false`),
  createFolder: async (service: TestService) => ({
    path: folders,
    body: { name: "Europe", parentId: await folder(service), position: 3 },
  }),
  getFolder: async (service: TestService) => ({ path: `${folders}/${await subfolder(service)}` }),
  updateFolder: async (service: TestService) => ({
    path: `${folders}/${await folder(service)}`,
    body: { name: "Revenue", position: null },
  }),
  deleteFolder: async (service: TestService) => ({ path: `${folders}/${await folder(service)}` }),
  listFolderAncestors: async (service: TestService) => ({
    path: `${folders}/${await subfolder(service)}/ancestors`,
  }),
  duplicateWorkbook: async (service: TestService) => ({
    path: `${base}/workbooks/${await workbook(service)}/duplicate`,
  }),
  listReports: async (service: TestService) =>
    sampleAfter(report(service), `${reports}?first=1&sortBy=name&sortDirection=DESC`),
  listReportFolders: async (service: TestService) => {
    await createdId(service, reports, { name: "Orders", folderId: await folder(service) });
    return { path: `${base}/report-folders?first=1` };
  },
  createReport: async (service: TestService) => ({
    path: reports,
    body: {
      name: "Orders",
      title: "All orders",
      folderId: await folder(service),
      workbookId: await workbook(service),
      sqlQuery: "SELECT 1",
      meta: { team: "sales" },
      pivotItems: { x: ["orders.status"] },
      source: "PLAYGROUND",
    },
  }),
  getReport: async (service: TestService) => ({ path: `${reports}/${await report(service)}` }),
  getReportDefinition: async (service: TestService) => ({
    path: `${reports}/${await report(service)}/definition`,
  }),
  updateReport: async (service: TestService) => ({
    path: `${reports}/${await report(service)}`,
    body: { name: "Orders 2", title: null, expectedVersion: 1 },
  }),
  checkReportQuery: async () => ({
    path: `${reports}/check-query`,
    body: { jsonQuery: '{"measures":["orders.count"]}' },
  }),
  upsertReport: async () => ({
    path: `${reports}/by-public-id/orders000001`,
    body: { name: "Orders", source: "EXCEL" },
  }),
  deleteReport: async (service: TestService) => ({ path: `${reports}/${await report(service)}` }),
  refreshReport: async (service: TestService) => ({
    path: `${reports}/${await report(service)}/refresh`,
    body: { resultChecksum: "abc" },
  }),
  connectReportWorkbook: async (service: TestService) => ({
    path: `${reports}/${await report(service)}/connect-workbook`,
    body: { workbookId: await workbook(service) },
  }),
  disconnectReportWorkbook: async (service: TestService) => ({
    path: `${reports}/${await report(service)}/connect-workbook`,
  }),
  listWorkspace: async (service: TestService) => {
    await workbook(service);
    return sampleAfter(
      folder(service),
      `${base}/workspace?first=1&types=FOLDER&types=WORKBOOK&orderByField=updated_at&orderByDirection=desc`,
    );
  },
  listSharedWorkspace: async (service: TestService) => {
    const folderId = await folder(service);
    await createdId(service, `${base}/workbooks`, { name: "Figures", folderId });
    return { path: `${base}/shared-workspace?folderId=${folderId}&orderByField=created_at` };
  },
  moveWorkspaceItem: async (service: TestService) => ({
    path: `${base}/workspace/move`,
    body: { type: "WORKBOOK", id: await workbook(service), folderId: await folder(service) },
  }),
  bulkMoveWorkspaceItems: async (service: TestService) => ({
    path: `${base}/workspace/bulk-move`,
    body: { items: [{ type: "FOLDER", id: await subfolder(service) }], folderId: null },
  }),
  bulkDeleteWorkspaceItems: async (service: TestService) => ({
    path: `${base}/workspace/bulk-delete`,
    body: { items: [{ type: "WORKBOOK", id: await workbook(service) }] },
  }),
};
