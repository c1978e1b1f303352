// Report: a saved query of a deployment, identified by its public ID.
import { getDeployments } from "../api/deployments.ts";
import {
  deleteReport,
  disconnectReportWorkbook,
  getReport,
  listReports,
  updateReport,
  upsertReport,
} from "../api/reports.ts";
import { listWorkbooks } from "../api/workbooks.ts";
import { moveWorkspaceItem } from "../api/workspace.ts";
import { defineKind, defineObserve, type ObjectWrite } from "../core/kind/kind.ts";
import { definedMembers, idOf } from "./codec.ts";
import {
  changedDefinition,
  createInput,
  definition,
  observeReports,
  place,
  placeInFolder,
} from "./report.codec.ts";
import { queryErrors, queryWarnings } from "./report-check.ts";
import { reportCheck } from "./report-public-id.ts";
import { type Spec, spec, status } from "./report.schema.ts";

function paramsOf(subject: ObjectWrite<Spec>) {
  return { deploymentId: Number(subject.live?.status["deploymentId"]), reportId: idOf(subject) };
}

/** The Report resource type. */
export const report = defineKind(
  {
    name: "Report",
    plural: "reports",
    doc: "A saved query of a deployment, with how its results are shown. You choose its public ID, which identifies it.",
    shape: "item",
    key: ["deployment", "publicId"],
    scope: ["deployment"],
    spec,
    status,
    check: reportCheck,
    offlineErrors: queryErrors,
    offlineWarnings: queryWarnings,
    examples: [
      {
        title: "Orders by status, in a folder",
        name: "orders-by-status",
        spec: {
          deployment: "production",
          publicId: "orders000001",
          name: "Orders by status",
          title: "Orders",
          folder: "sales-folder",
          workbook: "sales-overview",
          jsonQuery: '{"dimensions":["orders.status"],"measures":["orders.count"]}',
          meta: { team: "sales" },
          pivotItems: { x: ["orders.status"], y: ["measures"] },
          source: "PLAYGROUND",
        },
        variations: {
          publicId: "orders000002",
          name: "Orders",
          title: null,
          folder: null,
          workbook: null,
          jsonQuery: '{"measures":["orders.count"]}',
          sqlQuery: "SELECT count(*) FROM orders",
          meta: { team: "sales", reviewed: true },
          pivotItems: null,
          source: "D3",
        },
      },
    ],
  },
  (bind) => ({
    observe: defineObserve<Spec>({
      cost: "perParent",
      items: listReports,
      needs: [getDeployments, listReports, listWorkbooks],
      read: async (reader, { deployment = "" }) =>
        observeReports(reader, deployment, async (deploymentId) =>
          reader.all(listReports, { params: { deploymentId } }),
        ),
      byId: {
        needs: [getReport, listWorkbooks],
        read: async (reader, reportId, { scope: { deployment = "" } }) => {
          const [found] = await observeReports(reader, deployment, async (deploymentId) => {
            const one = await reader.one(getReport, { params: { deploymentId, reportId } });
            return one === undefined ? [] : [one];
          });
          return found;
        },
      },
    }),
    create: [bind.perObject(upsertReport, createInput, { prerequisite: place })],
    update: [
      bind.perObject(
        moveWorkspaceItem,
        (subject, { deploymentId, folderId }) => ({
          params: { deploymentId },
          body: { type: "REPORT" as const, id: idOf(subject), folderId },
        }),
        { prerequisite: placeInFolder, covers: ["folder"] },
      ),
      bind.perObject(
        updateReport,
        (subject, { workbookId }) => ({
          params: paramsOf(subject),
          body: {
            ...changedDefinition(subject),
            ...(subject.changed.has("workbook") && definedMembers({ workbookId })),
          },
        }),
        { prerequisite: place, covers: [...definition, "workbook"], cannotClear: ["workbook"] },
      ),
      bind.perObject(disconnectReportWorkbook, (subject) => ({ params: paramsOf(subject) }), {
        covers: ["workbook"],
      }),
    ],
    delete: [bind.perObject(deleteReport, (subject) => ({ params: paramsOf(subject) }))],
  }),
);
