// ReportAccess, ReportUserAccess and ReportAllUsersAccess: permissions on a report.
import { ReportPublicId } from "../api/reports.ts";
import { field } from "../core/schema/traits.ts";
import { deploymentField } from "./codec.ts";
import { accessKinds } from "./access-kinds.ts";
import { policyObjects } from "./policy-objects.ts";

/** The resource types of access to reports: of a group, of a user, and of all users. */
export const [reportAccess, reportUserAccess, reportAllUsersAccess] = accessKinds(
  {
    ...policyObjects.Report,
    reach: ".",
    fields: {
      deployment: deploymentField,
      report: field(ReportPublicId, {
        doc: "Report that the access is to, by its public ID.",
        refersTo: "Report",
        within: { deployment: "deployment" },
        cascadeDelete: true,
        onChange: "replace",
      }),
    },
    idField: "reportId",
  },
  {
    name: "orders",
    scope: { deployment: "production", report: "orders-by-status" },
    actions: ["ReportRead", "ReportEdit"],
  },
);
