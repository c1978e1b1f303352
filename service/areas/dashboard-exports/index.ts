// Area workbooks: exports of published dashboards.
import {
  downloadDashboardExport,
  getDashboardExport,
  startDashboardExport,
} from "../../../api/dashboard-exports.ts";
import { readAppConfig, requireDownloads } from "../app/app-config.ts";
import { requireDeployment } from "../../store/deployments.ts";
import { readVisibleDashboard } from "../embed/access.ts";
import { FileAnswer } from "../shared/http-answer.ts";
import { checkFilterValues } from "../shared/filter-values.ts";
import {
  type Call,
  handle,
  handleFile,
  handleThenFinish,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { readDashboard } from "../workbooks/dashboards.ts";
import {
  addExport,
  contentOf,
  dashboardToExport,
  exportNotFound,
  readExport,
  showExport,
} from "./exports.ts";
import { viewerOf } from "./viewer.ts";

const mediaTypes = { png: "image/png", pdf: "application/pdf" } as const;

/** The handlers of this area. */
export const dashboardExports: readonly OperationHandler[] = [
  handleThenFinish(
    startDashboardExport,
    async (call) => {
      const { db, params, body, principal, now } = call;
      await requireDeployment(db, params.deploymentId);
      await requireDownloads(db, principal);
      checkFilterValues(body.filters);
      const dashboard = await dashboardToExport(db, params.deploymentId, body);
      await readVisibleDashboard(call, dashboard.public_id);
      const timezone = body.timezone ?? (await pageTimezone(call));
      const options = { ...body, timezone };
      const viewer = viewerOf(principal);
      const { userId } = principal;
      return addExport(db, { dashboard, body: options, userId, viewer, now: now() });
    },
    async ({ job_id, expires_at }, { deliveries }) => {
      deliveries.wake();
      return { jobId: job_id, expiresAt: expires_at };
    },
  ),
  handle(getDashboardExport, async (call) => showExport(await ownExport(call))),
  handleFile(downloadDashboardExport, async (call) => {
    // Also refuses exports from before the account restricted downloads.
    await requireDownloads(call.db, call.principal);
    const row = await ownExport(call);
    const name = `dashboard-${row.dashboard_id}.${row.format}`;
    return new FileAnswer({ content: contentOf(row), name, type: mediaTypes[row.format] });
  }),
];

/** Returns the time zone of the page that an embed session is for. */
async function pageTimezone({ db, principal }: Pick<Call, "db" | "principal">) {
  const { session } = principal;
  if (session === undefined) return null;
  return session.timezone ?? (await readAppConfig(db)).embedding?.timezone ?? null;
}

type ExportCall = Pick<Call, "db" | "principal" | "now"> & {
  readonly params: { readonly deploymentId: number; readonly jobId: string };
};

async function ownExport({ db, params, principal, now }: ExportCall) {
  await requireDeployment(db, params.deploymentId);
  const row = await readExport(db, { ...params, userId: principal.userId, now: now() });
  // When the access ends, earlier exports are no longer available either.
  const { public_id: publicId } = await readDashboard(db, row.dashboard_id);
  if (publicId === null) throw exportNotFound(params.jobId);
  await readVisibleDashboard({ db, principal }, publicId);
  return row;
}
