// Operations on embedded dashboards: reading one, and the embed tenants that may view the dashboards of a workbook.
import { Type } from "typebox";
import { defineOperation } from "../core/operation/operation.ts";
import { exactlyOne } from "../core/schema/member-rules.ts";
import { field, oneOf } from "../core/schema/traits.ts";
import {
  anyDeployment,
  deploymentScope,
  EmbedTenantName,
  Id,
  LookupName,
  nullish,
  strictObject,
} from "./schemas.ts";
import { Dashboard, Workbook } from "./workbooks.ts";

const area = "embed";
const dashboardPath = "/api/v1/embed/dashboard/{publicId}";
const byPublicId = strictObject({ publicId: LookupName });
const accessPath = "/api/v1/deployments/{deploymentId}/workbooks/{workbookId}/embed-access";
const byWorkbook = strictObject({ deploymentId: Id, workbookId: Id });
const workbookScope = { ...deploymentScope, workbook: "params.workbookId" } as const;

/** Whether embed sessions may view the dashboards of the workbook. */
const AccessAction = field(oneOf(["read", "none"]), {
  doc: "`read` to let embed sessions view the dashboard of the workbook, `none` not to.",
});

/** Who may view the embedded dashboard of a workbook. */
const EmbedAccess = strictObject({
  allowEmbed: Type.Boolean(),
  allEmbedUsers: field(strictObject({ enabled: Type.Boolean(), action: AccessAction }), {
    doc: "Access of the users of all embed tenants.",
  }),
  tenants: field(
    Type.Array(strictObject({ embedTenantName: Type.String(), action: AccessAction })),
    {
      doc: "Embed tenants that were given access by name.",
    },
  ),
});

/** Get an embedded dashboard. */
export const getEmbeddedDashboard = defineOperation({
  id: "getEmbeddedDashboard",
  area,
  method: "GET",
  path: dashboardPath,
  summary: "Get an embedded dashboard",
  description:
    "Returns a published dashboard to an embed session. A chart that shows a report has the `query` of the report in its `config`, and its `title` and `chart` where it has none of its own. 404 if the session may not view it: an external user needs the embed access of its tenant, and a session with a `publicDashboardId` views only that dashboard. 403 if the dashboard does not allow embedding. Other credentials need the permission to read the dashboard.",
  source: "public",
  effect: "read",
  permission: {
    action: "EmbedDashboardRead",
    scope: { ...anyDeployment, workbook: "any", dashboard: "any" },
  },
  crossOrigin: true,
  params: byPublicId,
  answer: Dashboard,
  errorCodes: ["not_found"],
});

/** Find a dashboard that a link names. */
export const getLinkedDashboard = defineOperation({
  id: "getLinkedDashboard",
  area,
  method: "GET",
  path: `${dashboardPath}/links/{dashboard}`,
  summary: "Find a dashboard that a link names",
  description:
    "Returns the published dashboard of the same deployment that a link of the data model names: by the slug of its workbook, or by its public ID. 404 if there is none, or if the caller may not view it.",
  source: "proposed",
  effect: "read",
  permission: {
    action: "EmbedDashboardRead",
    scope: { ...anyDeployment, workbook: "any", dashboard: "any" },
  },
  crossOrigin: true,
  params: strictObject({
    publicId: LookupName,
    dashboard: field(LookupName, {
      doc: "The slug of a workbook, or the public ID of a dashboard.",
    }),
  }),
  answer: strictObject({ publicId: Type.String() }),
  errorCodes: ["not_found"],
});

/** Get the embed access of a workbook. */
export const getEmbedAccess = defineOperation({
  id: "getEmbedAccess",
  area,
  method: "GET",
  path: accessPath,
  summary: "Get the embed access of a workbook",
  description:
    "Returns which embed tenants may view the published dashboard of the workbook. A workbook starts without access.",
  source: "public",
  effect: "read",
  permission: { action: "EmbedTenantsRead", scope: workbookScope },
  params: byWorkbook,
  answer: EmbedAccess,
  errorCodes: ["not_found"],
});

/** List the embed access of the workbooks of a deployment. */
export const listEmbedAccess = defineOperation({
  id: "listEmbedAccess",
  area,
  method: "GET",
  path: "/api/v1/deployments/{deploymentId}/embed-access",
  summary: "List the embed access of the workbooks of a deployment",
  description:
    "Returns each workbook of the deployment, newest first, with the embed tenants that may view its published dashboard, also if there are none.",
  source: "proposed",
  effect: "read",
  permission: { action: "EmbedTenantsRead", scope: deploymentScope },
  params: strictObject({ deploymentId: Id }),
  answer: strictObject({ workbookId: Id, ...EmbedAccess.properties }),
  list: "cursor",
  errorCodes: ["not_found"],
});

/** Set the embed access of a workbook. */
export const setEmbedAccess = defineOperation({
  id: "setEmbedAccess",
  area,
  method: "PUT",
  path: accessPath,
  summary: "Set the embed access of a workbook",
  description:
    "Gives one embed tenant, or the users of all of them, access to the published dashboard of the workbook, or takes it away. Access of a tenant and of all are independent: a user needs one of them. `allowEmbed` also sets whether the dashboard allows embedding, which needs a published dashboard.",
  source: "public",
  effect: "write",
  permission: { action: "EmbedDashboardManage", scope: workbookScope },
  params: byWorkbook,
  body: strictObject(
    {
      embedTenantName: nullish(EmbedTenantName),
      allEmbedUsers: nullish(
        field(Type.Literal(true), { doc: "Sets the access of the users of all embed tenants." }),
      ),
      action: AccessAction,
      allowEmbed: nullish(Type.Boolean()),
    },
    { rules: [exactlyOne("embedTenantName", "allEmbedUsers")] },
  ),
  answer: EmbedAccess,
  errorCodes: ["not_found", "limit_reached"],
});

/** List the workbooks of an embed tenant. */
export const listEmbedTenantWorkbooks = defineOperation({
  id: "listEmbedTenantWorkbooks",
  area,
  method: "GET",
  path: "/api/v1/deployments/{deploymentId}/embed-tenants/{embedTenantName}/workbooks",
  summary: "List the workbooks of an embed tenant",
  description:
    "Returns the workbooks of the deployment that the embed tenant has access to, newest first. `publishedDashboard.allowEmbed` says whether the dashboard can be embedded now.",
  source: "public",
  effect: "read",
  permission: { action: "EmbedTenantsRead", scope: deploymentScope },
  params: strictObject({ deploymentId: Id, embedTenantName: LookupName }),
  query: strictObject({
    accessSource: Type.Optional(
      field(oneOf(["tenant", "allEmbedUsers", "folder"]), {
        doc: "Returns only workbooks to which the tenant itself, or all embed tenants, were given access. Folders give no access to embed tenants, so `folder` returns none.",
      }),
    ),
  }),
  answer: Workbook,
  list: "cursor",
  errorCodes: ["not_found"],
});
