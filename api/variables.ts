// Operations on a deployment's environment variables. Values are masked when the name contains a word such as SECRET.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { identifierPattern, unmaskedPattern } from "../core/text/text-patterns.ts";
import { documentedRule, optionalForClient } from "../core/schema/traits.ts";
import { deploymentScope, strictObject, Id } from "./schemas.ts";

const area = "variables";
const path = "/api/v1/deployments/{deploymentId}/env-vars";
const byDeployment = strictObject({ deploymentId: Id });

/** Placeholder for a masked value. It is rejected as a value. */
export const maskedValue = "[ENCRYPTED]";

/** Words that make the API mask the value of a variable when its name contains one of them, in any case. */
export const maskedNameParts = ["PASS", "SECRET", "TOKEN", "KEY", "CREDENTIAL"] as const;

const Variable = strictObject({
  name: Type.String(),
  value: Type.String({
    description: "Value of the variable, or the placeholder `[ENCRYPTED]` for a masked value.",
  }),
});

/** List environment variables. */
export const listVariables = defineOperation({
  id: "listVariables",
  area,
  method: "GET",
  path,
  summary: "List environment variables",
  description:
    "Returns the variables, newest first. The value is masked when the name contains PASS, SECRET, TOKEN, KEY or CREDENTIAL.",
  source: "public",
  effect: "read",
  permission: { action: "SecretsRead", scope: deploymentScope },
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
    "Sets the given variables, keeps the others, and returns all of them. Returns 400 for the placeholder of a masked value. A new name consists of letters, digits and underscores and does not start with a digit.",
  source: "public",
  effect: "write",
  permission: { action: "SecretsManage", scope: deploymentScope },
  params: byDeployment,
  body: strictObject({
    env_variables: Type.Array(
      strictObject({
        name: documentedRule(Type.String({ minLength: 1, maxLength: 255 }), {
          pattern: identifierPattern,
        }),
        value: Type.String({
          maxLength: 65_536,
          pattern: unmaskedPattern,
          description:
            "Value of the variable. It can be empty. The placeholder of a masked value is rejected.",
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
  description: "Deletes the variable. Succeeds when the variable does not exist.",
  source: "proposed",
  effect: "write",
  permission: { action: "SecretsManage", scope: deploymentScope },
  params: strictObject({ deploymentId: Id, name: Type.String({ minLength: 1, maxLength: 255 }) }),
  errorCodes: ["not_found"],
});
