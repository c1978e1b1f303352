// Area reports: the reports of a deployment.
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
} from "../../../api/reports.ts";
import { Failure } from "../../../core/errors.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { toTimestamp } from "../../store/codec.ts";
import { permittedRows, requireResourcePermission } from "../../security/authorize-call.ts";
import { keyset, type PageSource, sortedKeyset } from "../../store/keyset.ts";
import type { Row } from "../../store/schema.ts";
import { contains } from "../../store/sql-conditions.ts";
import { requireDeployment } from "../../store/deployments.ts";
import { writeStampOf, selectFolders, showFolders } from "../folders/folders.ts";
import { requireMove, requirePlacement } from "../folders/placement.ts";
import {
  type Call,
  handle,
  handleList,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { pageOfBatch } from "../shared/pagination.ts";
import { showDefinition } from "./definition.ts";
import {
  changeReport,
  connectReport,
  dropReport,
  insertReport,
  putReport,
  readReport,
  reportNamed,
  recordRefresh,
  selectReports,
  showReport,
  showReports,
} from "./reports.ts";

/** The handlers of this area. */
export const reports: readonly OperationHandler[] = [
  handleList(listReports, async (call) => {
    refuseCursor(call);
    const source = reportSource(await readableReports(call, call.params.deploymentId), call.query);
    return pageOfBatch(call, source, (rows) => showReports(call.db, rows));
  }),
  handle(createReport, async (call) => {
    const { db, params, body } = call;
    const by = writeStampOf(call);
    await requireNewPlaces(call);
    return showReport(db, await insertReport(db, params.deploymentId, { body, by }));
  }),
  handle(checkReportQuery, async ({ db, params, body, principal, checkQuery }) => {
    const { deploymentId } = params;
    await requireDeployment(db, deploymentId);
    return checkQuery({ deploymentId, principal, ...body });
  }),
  handle(getReport, async ({ db, params }) => showReport(db, await readReport(db, params))),
  handle(getReportDefinition, async ({ db, params }) =>
    showDefinition(await readReport(db, params)),
  ),
  handle(updateReport, async (call) => {
    const { db, params, body, now } = call;
    await requirePlaces(call, await readReport(db, params));
    return showReport(db, await changeReport(db, params, { body, at: toTimestamp(now()) }));
  }),
  handle(upsertReport, async (call) => {
    const { db, params, body } = call;
    const known = await reportNamed(db, params.publicId);
    if (known?.deployment_id === params.deploymentId) {
      await requireResourcePermission(call, "ReportEdit", { type: "report", id: known.id });
      await requirePlaces(call, known);
    } else await requireNewPlaces(call);
    return showReport(db, await putReport(db, { params, body, by: writeStampOf(call) }));
  }),
  handle(deleteReport, async ({ db, params }) => dropReport(db, params)),
  handle(refreshReport, async (call) => {
    const { db, params, body } = call;
    const refresh = { checksum: body?.resultChecksum, by: writeStampOf(call) };
    return showReport(db, await recordRefresh(db, params, refresh));
  }),
  handle(connectReportWorkbook, async (call) => {
    const { db, params, body, now } = call;
    await requireWorkbookEdit(call, body.workbookId, await readReport(db, params));
    return showReport(db, await connectReport(db, params, { ...body, at: toTimestamp(now()) }));
  }),
  handle(disconnectReportWorkbook, async ({ db, params, now }) => {
    await connectReport(db, params, { workbookId: null, at: toTimestamp(now()) });
  }),
  handleList(listReportFolders, async (call) => {
    const { db, params } = call;
    const readable = await readableReports(call, params.deploymentId);
    const found = selectFolders(db, params.deploymentId).where(
      "folders.id",
      "in",
      readable.clearSelect().select("reports.folder_id").where("reports.folder_id", "is not", null),
    );
    return pageOfBatch(call, keyset(found, "folders.id"), (rows) => showFolders(db, rows));
  }),
];

/** Selects the reports of a deployment that the caller can read. */
async function readableReports(call: Pick<Call, "db" | "principal">, deploymentId: number) {
  await requireDeployment(call.db, deploymentId);
  const permitted = await permittedRows(call, {
    type: "report",
    deploymentId,
    action: "ReportRead",
  });
  const all = selectReports(call.db, deploymentId);
  return permitted ? all.where(permitted) : all;
}

interface PlacingCall extends Pick<Call, "db" | "principal"> {
  readonly params: { readonly deploymentId: number };
  readonly body: { readonly folderId?: number | null; readonly workbookId?: number | null };
}

/** Throws `forbidden` unless the caller may create a report in the folder and the workbook that the request names. */
async function requireNewPlaces(call: PlacingCall): Promise<void> {
  const { params, body } = call;
  const { deploymentId } = params;
  await requirePlacement(call, { type: "report", deploymentId, folderId: body.folderId ?? null });
  await requireWorkbookEdit(call, body.workbookId);
}

/** Throws `forbidden` unless the caller may move the report to the folder and the workbook that the request names. */
async function requirePlaces(call: PlacingCall, report: Row<"reports">): Promise<void> {
  const { params, body } = call;
  const { deploymentId } = params;
  const folderId = body.folderId ?? undefined;
  await requireMove(call, report.id, { type: "report", deploymentId, folderId });
  await requireWorkbookEdit(call, body.workbookId, report);
}

/** Throws `forbidden` unless the caller may edit a workbook that a report is added to. */
async function requireWorkbookEdit(
  call: Pick<Call, "db" | "principal">,
  workbookId: number | null | undefined,
  report?: Row<"reports">,
): Promise<void> {
  if (workbookId == null || workbookId === report?.workbook_id) return;
  await requireResourcePermission(call, "WorkbookEdit", { type: "workbook", id: workbookId });
}

/** Throws `invalid` for a cursor in the order of the last view, which changes while the list is read. */
function refuseCursor({ query, paging }: { query: Filters; paging: { after?: string } }): void {
  if (query.sortBy !== "lastViewedAt" || paging.after === undefined) return;
  throw new Failure("invalid", "after: reports sorted by lastViewedAt have no cursors", {
    remedy: "Read them with offset and limit.",
  });
}

type Filters = RequestOf<typeof listReports>["query"];

/**
 * The column and the value of each order. IDs grow with the time of creation, so that order needs no separate index.
 */
const orders = {
  name: { column: "name_key", type: "text", valueOf: (row: Row<"reports">) => row.name_key },
  updatedAt: {
    column: "updated_at",
    type: "text",
    valueOf: (row: Row<"reports">) => row.updated_at,
  },
  lastViewedAt: {
    column: "last_viewed_at",
    type: "text",
    valueOf: (row: Row<"reports">) => row.last_viewed_at,
  },
  createdAt: { column: "id", type: "integer", valueOf: (row: Row<"reports">) => row.id },
} as const;

function reportSource(
  selected: ReturnType<typeof selectReports>,
  filters: Filters,
): PageSource<Row<"reports">> {
  let found = selected;
  const { workbookId, folderId, externalWorkbookId, search, sortBy, sortDirection } = filters;
  if (workbookId !== undefined) found = found.where("workbook_id", "=", workbookId);
  if (folderId !== undefined) found = found.where("folder_id", "=", folderId);
  if (externalWorkbookId !== undefined) {
    found = found.where("external_workbook_id", "=", externalWorkbookId);
  }
  if (search !== undefined) {
    found = found.where((eb) => eb.or([contains("name", search), eb("public_id", "=", search)]));
  }
  if (sortBy === undefined) return keyset(found, "reports.id");
  const direction = sortDirection === "DESC" ? "desc" : "asc";
  return sortedKeyset(found, { ...orders[sortBy], id: "id", direction });
}
