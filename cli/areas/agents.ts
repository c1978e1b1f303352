// `svc agents`: the skills of agents in the files of a data model.
import { listAgentSkills } from "../../api/agents.ts";
import { type Area, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";

/** Commands that list the skills of agents, which the files of a data model declare. */
export const agents: Area = {
  name: "agents",
  description: "List the skills of agents, which the files of a data model declare.",
  commands: [command("skills", listAgentSkills, { lookups: { deploymentId: deploymentLookup } })],
};
