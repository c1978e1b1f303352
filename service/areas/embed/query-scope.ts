// Decides which members of the data model a session of an external user may query: those of the dashboards that it may
// view, unless the account opens the data model.
import { allows } from "../../../core/operation/authorize.ts";
import { externalUserRole } from "../../../core/operation/permission-actions.ts";
import type { SessionLimits } from "../../security/principal.ts";
import { grantsOfRoles, type RoleName } from "../../security/roles.ts";
import type { QueryCaller } from "../../query/access.ts";
import { keptResult } from "../../store/prepared-query.ts";
import type { Db } from "../../store/schema.ts";
import { readAppConfig } from "../app/app-config.ts";
import { membersOfWidget } from "../workbooks/chart-widgets.ts";
import { reportOfChart, widgetsOf } from "../workbooks/report-writers.ts";
import { reportsOf } from "../workbooks/widget-reports.ts";

/** What decides about the queries of a session. */
export type QuerySession = Pick<
  SessionLimits,
  "deploymentId" | "tenantId" | "dashboardPublicId" | "roles" | "isExternal" | "isCreatorMode"
>;

/** What a session may query: members, and those of reports in SQL. */
type QueryScope = Pick<QueryCaller, "members" | "statements">;

/**
 * Returns what alone a session may query, besides the drill members of its measures; empty if access policies alone
 * decide.
 */
export async function queryScopeOf(db: Db, session: QuerySession): Promise<QueryScope> {
  if (!session.isExternal || session.isCreatorMode) return {};
  const { deploymentId, tenantId = 0, dashboardPublicId = null, roles } = session;
  const grants = grantsOfRoles((roles ?? [externalUserRole]) as readonly RoleName[]);
  const mayView = grants.some(({ actions }) => allows(actions, "EmbedDashboardRead"));
  return scopeOfDashboards(db, { deploymentId, tenantId, dashboardPublicId, mayView });
}

interface ViewableDashboards {
  readonly deploymentId: number;
  /** No embed tenant has the ID 0. */
  readonly tenantId: number;
  /** Null for every dashboard of the deployment. */
  readonly dashboardPublicId: string | null;
  readonly mayView: boolean;
}

/** Every dashboard that one links to and the session may view is one of its dashboards. */
const scopeOfDashboards = keptResult(
  async (db: Db, { mayView, ...of }: ViewableDashboards): Promise<QueryScope> => {
    const { embedding } = await readAppConfig(db);
    if (embedding?.queryScope === "model") return {};
    const members = new Set<string>();
    const statements = new Set<string>();
    for (const dashboard of mayView ? await viewableDashboards(db, of) : []) {
      const widgets = widgetsOf(dashboard);
      const reports = await reportsOf(db, dashboard, widgets);
      for (const widget of widgets) {
        const report = reports.get(reportOfChart(widget) ?? "");
        for (const member of membersOfWidget(widget, report)) members.add(member);
        if (report?.statement !== undefined) statements.add(report.statement);
      }
    }
    return { members, statements: [...statements] };
  },
);

function viewableDashboards(
  db: Db,
  { deploymentId, tenantId, dashboardPublicId }: Omit<ViewableDashboards, "mayView">,
) {
  const permitted = db
    .selectFrom("workbook_embed_access")
    .select("workbook_id")
    .where((eb) =>
      eb.or([eb("embed_tenant_id", "is", null), eb("embed_tenant_id", "=", tenantId)]),
    );
  const found = db
    .selectFrom("dashboards")
    .selectAll()
    .where("deployment_id", "=", deploymentId)
    .where("status", "=", "published")
    .where("allow_embed", "=", 1)
    .where("workbook_id", "in", permitted);
  const own = dashboardPublicId === null ? found : found.where("public_id", "=", dashboardPublicId);
  return own.execute();
}
