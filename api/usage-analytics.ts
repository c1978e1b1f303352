// Operations on usage: who viewed which dashboards and reports.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { field, oneOf } from "../core/schema/traits.ts";
import { deploymentScope, Id, strictObject, Timestamp } from "./schemas.ts";

const day = (description: string) => Type.Optional(Type.String({ format: "date", description }));
const count = (description: string) => Type.Integer({ minimum: 0, description });

const ViewedType = field(oneOf(["DASHBOARD", "REPORT"]), { doc: "What was viewed." });

/** List who viewed the dashboards and reports of a deployment. */
export const listUsageAnalytics = defineOperation({
  id: "listUsageAnalytics",
  area: "usage-analytics",
  method: "GET",
  path: "/api/v1/deployments/{deploymentId}/usage-analytics",
  summary: "List who viewed the dashboards and reports of a deployment",
  description: `Returns one entry for each dashboard or report, user and day, newest first. Views are reads of an embedded dashboard; queries are requests of the data API in a session for one dashboard, and requests that name \`dashboardPublicId\` or \`reportPublicId\`. Counts are stored every few seconds, and entries kept for ${limits.usageMs / 86_400_000} days.`,
  source: "proposed",
  effect: "read",
  permission: { action: "APMRead", scope: deploymentScope },
  params: strictObject({ deploymentId: Id }),
  query: strictObject({
    type: Type.Optional(ViewedType),
    start: day("Returns only entries of this day, in UTC, and later ones."),
    end: day("Returns only entries of this day, in UTC, and earlier ones."),
    userId: Type.Optional(Id),
    workbookId: Type.Optional(Id),
  }),
  answer: strictObject({
    day: Type.String({ format: "date", description: "Day, in UTC." }),
    type: ViewedType,
    name: Type.String({ description: "Name of the report, or of the workbook of the dashboard." }),
    dashboardId: Type.Optional(Id),
    reportId: Type.Optional(Id),
    publicId: Type.Optional(Type.String()),
    workbookId: Type.Optional(Id),
    userId: Id,
    username: Type.String(),
    email: Type.Optional(Type.String()),
    embedTenantName: Type.Optional(Type.String()),
    views: count("Reads of the dashboard."),
    queries: count("Queries for the dashboard or the report."),
    lastViewedAt: Timestamp,
  }),
  list: "cursor",
  errorCodes: ["not_found"],
});
