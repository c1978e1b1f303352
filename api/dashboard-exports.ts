// Operations on exports of published dashboards: jobs that draw a PNG or a PDF.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { exactlyOne } from "../core/schema/member-rules.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { field, oneOf, optionalForClient } from "../core/schema/traits.ts";
import { MemberSwitcher, NotificationFilter, TimeGrain } from "./notifications.ts";
import { deploymentScope, Id, nullish, strictObject, TimeZone } from "./schemas.ts";

const area = "workbooks";
const base = "/api/v1/deployments/{deploymentId}/dashboard-exports";
const one = `${base}/{jobId}` as const;
const JobId = Type.String({ minLength: 1, maxLength: 64, description: "ID of the export." });
const ExpiresAt = optionalForClient(
  Type.String({ format: "date-time", description: "When the export is deleted, in UTC." }),
);
const Format = field(oneOf(["png", "pdf"]), { doc: "Format of the file." });
const byJob = strictObject({ deploymentId: Id, jobId: JobId });
const permission = { action: "EmbedExport", scope: deploymentScope } as const;
const minutes = limits.exportMs / 60_000;

/** An export in responses. */
export const DashboardExport = strictObject({
  jobId: JobId,
  status: optionalForClient(oneOf(["pending", "processing", "completed", "failed"])),
  format: optionalForClient(Format),
  expiresAt: ExpiresAt,
  error: Type.Optional(Type.String({ description: "Why the export failed." })),
});

/** Start an export of a dashboard. */
export const startDashboardExport = defineOperation({
  id: "startDashboardExport",
  area,
  method: "POST",
  path: base,
  summary: "Start an export of a dashboard",
  description: `Starts a job that draws a published dashboard with the data that the caller may see. The request contains exactly one of \`dashboardId\` and \`dashboardPublicId\`; the caller must be able to view it. Filters apply to the charts that read the same cube or view. Without \`filters\`, \`timeGrains\` and \`memberSwitchers\`, controls have the values that the page begins with. Returns 403 to all but administrators while \`restrictDataDownload\` of the app configuration is set. The export is deleted after ${minutes} minutes. Returns 429 for more than ${limits.exportsOfUser} unfinished exports of one user.`,
  source: "public",
  crossOrigin: true,
  effect: "write",
  cost: 100,
  permission,
  params: strictObject({ deploymentId: Id }),
  body: strictObject(
    {
      dashboardId: nullish(Id),
      dashboardPublicId: nullish(Type.String({ minLength: 1, maxLength: 255 })),
      format: Format,
      filters: nullish(Type.Array(NotificationFilter, { maxItems: limits.notificationFilters })),
      timeGrains: nullish(Type.Array(TimeGrain, { maxItems: limits.notificationFilters })),
      memberSwitchers: nullish(
        Type.Array(MemberSwitcher, { maxItems: limits.notificationFilters }),
      ),
      timezone: nullish(
        field(TimeZone, {
          doc: "Time zone of the queries that name none: by default that of the embed session, else UTC.",
        }),
      ),
    },
    { rules: [exactlyOne("dashboardId", "dashboardPublicId")] },
  ),
  answer: strictObject({ jobId: JobId, expiresAt: ExpiresAt }),
  errorCodes: ["not_found", "limit_reached"],
});

/** Get the status of an export. */
export const getDashboardExport = defineOperation({
  id: "getDashboardExport",
  area,
  method: "GET",
  path: one,
  summary: "Get the status of an export",
  description: "Returns an export of the caller, until it expires.",
  source: "public",
  crossOrigin: true,
  effect: "read",
  permission,
  params: byJob,
  answer: DashboardExport,
  errorCodes: ["not_found"],
});

/** Download an export. */
export const downloadDashboardExport = defineOperation({
  id: "downloadDashboardExport",
  area,
  method: "GET",
  path: `${one}/download`,
  summary: "Download an export",
  description:
    "Returns the file: a PNG or a PDF. Returns 409 while the export runs, 422 if it failed, and 404 once it has expired.",
  source: "public",
  crossOrigin: true,
  effect: "read",
  permission,
  params: byJob,
  contentType: ["image/png", "application/pdf"],
  answer: Type.String({ format: "binary", description: "The file." }),
  errorCodes: ["not_found", "conflict", "failed"],
});
