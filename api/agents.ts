// Operations on agents: their skills in the files of a data model.
import { Type } from "typebox";
import { defineOperation } from "../core/operation/operation.ts";
import { deploymentScope, Id, strictObject } from "./schemas.ts";

const Skill = strictObject({
  name: Type.String({
    description: "Name in the file; defaults to the file name without its extension.",
  }),
  title: Type.String({ description: "Title; the name, if the file has none." }),
  description: Type.String({ description: "When to use the skill." }),
  input: Type.Optional(Type.String({ description: "What a user can add to a request." })),
  space: Type.Optional(Type.String({ description: "Proposed. Agent space of the skill." })),
});

/** List the skills of agents. */
export const listAgentSkills = defineOperation({
  id: "listAgentSkills",
  area: "agents",
  method: "GET",
  path: "/api/v1/deployments/{deploymentId}/agent-skills",
  summary: "List the skills of agents",
  description:
    "Returns the skills in the build that the environment of a branch serves, by name: the Markdown files under `agents/skills`. A build reports errors in them with file, line and column. Without `branchName`, returns those of production. Returns 400 if no environment serves the branch.",
  source: "public",
  effect: "read",
  permission: { action: "DeploymentAgentRead", scope: deploymentScope },
  params: strictObject({ deploymentId: Id }),
  query: strictObject({
    space: Type.Optional(
      Type.String({
        maxLength: 255,
        description: "Only skills of this agent space, and those without a space.",
      }),
    ),
    branchName: Type.Optional(Type.String({ maxLength: 255, description: "Name of the branch." })),
  }),
  answer: strictObject({
    skills: Type.Array(Skill, { description: "The skills, by name." }),
  }),
  errorCodes: ["invalid", "not_found", "conflict", "unavailable"],
});
