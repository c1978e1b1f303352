// Area variables: a deployment's environment variables; values whose name says they are secret are never shown.
import { Type } from "typebox";
import { limits } from "../core/limits.ts";
import { defineOperation } from "../core/operation.ts";
import { optionalForClient } from "../core/traits.ts";
import { strictObject, Id, deploymentAdmins } from "./schemas.ts";

const area = "variables";
const path = "/api/v1/deployments/{deploymentId}/env-vars";
const byDeployment = strictObject({ deploymentId: Id });

/** What stands in place of a value that is never shown; it is refused as a value. */
export const maskedValue = "[ENCRYPTED]";

/** A variable whose name holds one of these, in any case, has its value masked. */
export const maskedNameParts = ["PASS", "SECRET", "TOKEN", "KEY", "CREDENTIAL"] as const;

const Variable = strictObject({
  name: Type.String(),
  value: Type.String({
    description: "Its value, or the placeholder where its name says it is secret.",
  }),
});

/** List environment variables. */
export const listVariables = defineOperation({
  id: "listVariables",
  area,
  method: "GET",
  path,
  summary: "List environment variables",
  description: "The variables, newest first; values that their names call secret are masked.",
  source: "public",
  effect: "read",
  ...deploymentAdmins,
  params: byDeployment,
  answer: Variable,
  list: "cursor",
  errorCodes: ["not_found"],
});

/** Set environment variables. */
export const setVariables = defineOperation({
  id: "setVariables",
  area,
  method: "PUT",
  path,
  summary: "Set environment variables",
  description:
    "Sets these variables, leaves the others, and answers with all. The placeholder of a masked value is refused; a new name is of letters, digits and underscores, with no digit first.",
  source: "public",
  effect: "write",
  ...deploymentAdmins,
  params: byDeployment,
  body: strictObject({
    env_variables: Type.Array(
      strictObject({
        name: Type.String({ minLength: 1, maxLength: 255 }),
        value: Type.String({
          maxLength: 65_536,
          description:
            "Its value; an empty text is one. The placeholder of a masked value is refused.",
        }),
      }),
      { minItems: 1, maxItems: limits.variables },
    ),
  }),
  answer: strictObject({ items: optionalForClient(Type.Array(Variable)) }),
  errorCodes: ["not_found"],
});

/** Delete an environment variable. */
export const deleteVariable = defineOperation({
  id: "deleteVariable",
  area,
  method: "DELETE",
  path: `${path}/{name}`,
  summary: "Delete an environment variable",
  description: "One that is not set is fine.",
  source: "proposed",
  effect: "write",
  ...deploymentAdmins,
  params: strictObject({ deploymentId: Id, name: Type.String({ minLength: 1, maxLength: 255 }) }),
  errorCodes: ["not_found"],
});
