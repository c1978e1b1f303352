// WorkbookAccess, WorkbookUserAccess and WorkbookAllUsersAccess: what may be done with a workbook and its dashboards.
import { getDeployments } from "../api/deployments.ts";
import { listWorkbooks, WorkbookSlug } from "../api/workbooks.ts";
import { field } from "../core/traits.ts";
import { deploymentField } from "./codec.ts";
import { accessKinds } from "./access-kinds.ts";
import { workbookIds } from "./workbook.codec.ts";

/** The resource types of access to workbooks: of a group, of a user, and of all users. */
export const [workbookAccess, workbookUserAccess, workbookAllUsersAccess] = accessKinds(
  {
    type: "Workbook",
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
    needs: [getDeployments, listWorkbooks],
    ids: workbookIds,
  },
  {
    name: "sales-overview",
    scope: { deployment: "production", workbook: "sales-overview" },
    actions: ["WorkbookEdit", "WorkbookManage"],
  },
);
