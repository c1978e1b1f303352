// `svc usage`: who viewed the dashboards and reports of a deployment.
import { listUsageAnalytics } from "../../api/usage-analytics.ts";
import { type Area, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";

/** Commands that list who viewed the dashboards and reports of a deployment, by day. */
export const usage: Area = {
  name: "usage",
  description: "List who viewed the dashboards and reports of a deployment, by day.",
  commands: [
    command("", listUsageAnalytics, {
      lookups: { deploymentId: deploymentLookup },
      columns: {
        DAY: "day",
        TYPE: "type",
        NAME: "name",
        USER: "username",
        VIEWS: "views",
        QUERIES: "queries",
        "LAST VIEW": "lastViewedAt",
      },
    }),
  ],
};
