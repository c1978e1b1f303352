// `svc dev-mode`: the session of a credential on a personal branch.
import { enterDevMode, exitDevMode } from "../../api/branches.ts";
import { command, type Area } from "../operations/command.ts";
import { deploymentLookup } from "../shared/deployment-argument.ts";

const lookups = { deploymentId: deploymentLookup };

/** The area. */
export const devMode: Area = {
  name: "dev-mode",
  description:
    "Enter and exit dev mode. While a session of your credential is open, commands that omit the branch use its branch.",
  commands: [
    command("enter", enterDevMode, { lookups, arguments: ["branchName"] }),
    command("exit", exitDevMode, { lookups, confirm: false }),
  ],
};
