// Area usage-analytics: the views of dashboards and reports by user and day.
import { listUsageAnalytics } from "../../../api/usage-analytics.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { keyset } from "../../store/keyset.ts";
import type { Db } from "../../store/schema.ts";
import { requireDeployment } from "../../store/deployments.ts";
import { handleList, omitNullish, type OperationHandler } from "../shared/operation-handler.ts";
import { pageOf } from "../shared/pagination.ts";

/** The handlers of this area. */
export const usageAnalytics: readonly OperationHandler[] = [
  handleList(listUsageAnalytics, async (call) => {
    const { db, params, query } = call;
    await requireDeployment(db, params.deploymentId);
    const found = selectViews(db, params.deploymentId, query);
    return pageOf(call, keyset(found, "content_views.id"), (row) => ({
      day: row.day,
      type: row.dashboard_id === null ? ("REPORT" as const) : ("DASHBOARD" as const),
      name: row.report_name ?? row.workbook_name ?? "",
      ...omitNullish({
        dashboardId: row.dashboard_id,
        reportId: row.report_id,
        publicId: row.report_public_id ?? row.dashboard_public_id,
        workbookId: row.workbook_id,
        email: row.email,
        embedTenantName: row.tenant_name,
      }),
      userId: row.user_id,
      username: row.username,
      views: row.views,
      queries: row.queries,
      lastViewedAt: row.last_viewed_at,
    }));
  }),
];

type Filters = RequestOf<typeof listUsageAnalytics>["query"];

function selectViews(db: Db, deploymentId: number, filters: Filters) {
  const { type, start, end, userId, workbookId } = filters;
  let found = db
    .selectFrom("content_views")
    .innerJoin("users", "users.id", "content_views.user_id")
    .leftJoin("embed_tenants", "embed_tenants.id", "users.embed_tenant_id")
    .leftJoin("dashboards", "dashboards.id", "content_views.dashboard_id")
    .leftJoin("reports", "reports.id", "content_views.report_id")
    .leftJoin("workbooks", "workbooks.id", "content_views.workbook_id")
    .selectAll("content_views")
    .select(["users.username", "users.email", "embed_tenants.name as tenant_name"])
    .select(["reports.name as report_name", "reports.public_id as report_public_id"])
    .select(["workbooks.name as workbook_name", "dashboards.public_id as dashboard_public_id"])
    .where("content_views.deployment_id", "=", deploymentId);
  if (type === "DASHBOARD") found = found.where("content_views.dashboard_id", "is not", null);
  if (type === "REPORT") found = found.where("content_views.report_id", "is not", null);
  if (start !== undefined) found = found.where("content_views.day", ">=", start);
  if (end !== undefined) found = found.where("content_views.day", "<=", end);
  if (userId !== undefined) found = found.where("content_views.user_id", "=", userId);
  if (workbookId !== undefined) found = found.where("content_views.workbook_id", "=", workbookId);
  return found;
}
