// ReportAccess, ReportUserAccess and ReportAllUsersAccess: what may be done with a report.
import { getDeployments } from "../api/deployments.ts";
import { listReports, ReportPublicId } from "../api/reports.ts";
import type { JsonObject } from "../core/json.ts";
import type { Reader } from "../core/kind.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { AnswerOf } from "../core/operation.ts";
import { field } from "../core/traits.ts";
import { deploymentField, deploymentIds } from "./codec.ts";
import { textOf } from "./field-text.ts";
import { accessKinds } from "./access-kinds.ts";

const idsByPublicId = memoizePerObject(
  (reports: readonly AnswerOf<typeof listReports>[]) =>
    new Map(reports.map(({ publicId, id }) => [publicId, id])),
);

/** The IDs of the report that a spec names. */
const ids = {
  operation: listReports,
  dependsOn: ["deployment", "report"],
  read: async (reader: Reader, { deployment, report }: JsonObject) => {
    const deploymentId = (await deploymentIds.read(reader)).get(textOf(deployment));
    if (deploymentId === undefined) return undefined;
    const reports = await reader.all(listReports, { params: { deploymentId } });
    const reportId = idsByPublicId(reports).get(textOf(report));
    return reportId === undefined ? undefined : { deploymentId, reportId };
  },
  missingMessage: "the deployment or the report does not exist",
};

/** The resource types of access to reports: of a group, of a user, and of all users. */
export const [reportAccess, reportUserAccess, reportAllUsersAccess] = accessKinds(
  {
    type: "Report",
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
    needs: [getDeployments, listReports],
    ids,
  },
  {
    name: "orders",
    scope: { deployment: "production", report: "orders-by-status" },
    actions: ["ReportRead", "ReportEdit"],
  },
);
