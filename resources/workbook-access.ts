// WorkbookAccess, WorkbookUserAccess and WorkbookAllUsersAccess: permissions on a workbook and its dashboards.
import { WorkbookSlug } from "../api/workbooks.ts";
import { field } from "../core/schema/traits.ts";
import { deploymentField } from "./codec.ts";
import { accessKinds } from "./access-kinds.ts";
import { policyObjects } from "./policy-objects.ts";

/** The resource types of access to workbooks: of a group, of a user, and of all users. */
export const [workbookAccess, workbookUserAccess, workbookAllUsersAccess] = accessKinds(
  {
    ...policyObjects.Workbook,
    reach: ", and with its dashboards. For embed tenants, use DashboardEmbedAccess.",
    fields: {
      deployment: deploymentField,
      workbook: field(WorkbookSlug, {
        doc: "Workbook that the access is to.",
        refersTo: "Workbook",
        within: { deployment: "deployment" },
        onChange: "replace",
      }),
    },
    idField: "workbookId",
  },
  {
    name: "sales-overview",
    scope: { deployment: "production", workbook: "sales-overview" },
    actions: ["WorkbookEdit", "WorkbookManage"],
  },
);
