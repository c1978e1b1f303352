// `svc logs`: the log lines of a deployment.
import { listLogs } from "../../api/logs.ts";
import { type Area, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";

/** Commands that list the log lines of a deployment. */
export const logs: Area = {
  name: "logs",
  description: "List the log lines of a deployment.",
  commands: [
    command("", listLogs, {
      lookups: { deploymentId: deploymentLookup },
      columns: { DATE: "date", POD: "pod", CONTAINER: "container", MESSAGE: "message" },
    }),
  ],
};
