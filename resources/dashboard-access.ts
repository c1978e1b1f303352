// DashboardAccess, DashboardUserAccess and DashboardAllUsersAccess: permissions on a published dashboard.
import { WorkbookSlug } from "../api/workbooks.ts";
import { field } from "../core/schema/traits.ts";
import { accessKinds } from "./access-kinds.ts";
import { deploymentField } from "./codec.ts";
import { policyObjects } from "./policy-objects.ts";
import { publishedDashboardCheck } from "./published-dashboard-check.ts";

/** The resource types of access to published dashboards: of a group, of a user, and of all users. */
export const [dashboardAccess, dashboardUserAccess, dashboardAllUsersAccess] = accessKinds(
  {
    ...policyObjects.Dashboard,
    reach: ": view it, without reading its workbook. For embed tenants, use DashboardEmbedAccess.",
    fields: {
      deployment: deploymentField,
      workbook: field(WorkbookSlug, {
        doc: "Workbook whose published dashboard the access is to.",
        refersTo: "Workbook",
        within: { deployment: "deployment" },
        onChange: "replace",
      }),
    },
    idField: "dashboardId",
    parentIds: ["workbookId"],
    check: publishedDashboardCheck,
  },
  {
    name: "sales-dashboard",
    scope: { deployment: "production", workbook: "sales-overview" },
  },
);
