// WorkbookAccess: what an account-wide group may do with a workbook.
import { Type } from "typebox";
import { getDeployments } from "../api/deployments.ts";
import { Id } from "../api/schemas.ts";
import { listWorkbooks, WorkbookSlug } from "../api/workbooks.ts";
import { defineKind } from "../core/kind.ts";
import { field } from "../core/traits.ts";
import { deploymentField } from "./codec.ts";
import { policyBindings, policyFields } from "./resource-policy.codec.ts";
import { statusSchema } from "./status-schema.ts";
import { workbookIds } from "./workbook.codec.ts";

/** The WorkbookAccess resource type. */
export const workbookAccess = defineKind(
  {
    name: "WorkbookAccess",
    plural: "workbook-accesses",
    doc: "What the members of an account-wide group may do with a workbook. The policy also permits the action on its dashboard, and adds to what roles permit. Policies of single users and of all users are not managed. For embed tenants, use DashboardEmbedAccess.",
    shape: "entry",
    key: ["deployment", "workbook", "group"],
    scope: ["deployment", "workbook"],
    spec: Type.Object({
      deployment: deploymentField,
      workbook: field(WorkbookSlug, {
        doc: "Workbook that the access is to.",
        refersTo: "Workbook",
        within: { deployment: "deployment" },
        onChange: "replace",
      }),
      ...policyFields("Workbook"),
    }),
    status: statusSchema({ deploymentId: Id, workbookId: Id, groupId: Id }),
    examples: [
      {
        title: "Analysts edit a workbook",
        name: "sales-overview-analysts",
        spec: {
          deployment: "production",
          workbook: "sales-overview",
          group: "analysts",
          action: "WorkbookEdit",
        },
        variations: { action: "WorkbookManage" },
      },
    ],
  },
  (bind) =>
    policyBindings(bind, {
      type: "Workbook",
      idField: "workbookId",
      needs: [getDeployments, listWorkbooks],
      ids: workbookIds,
    }),
);
