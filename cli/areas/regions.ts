// `svc regions`: the regions that deployments run in.
import { listRegions } from "../../api/regions.ts";
import { command, type Area } from "../operations/command.ts";

/** Commands that list the regions that deployments run in. */
export const regions: Area = {
  name: "regions",
  description: "List the regions that deployments run in.",
  commands: [command("list", listRegions)],
};
