// Operations on the environments of a deployment: production, staging and development.
import { Type } from "typebox";
import { defineOperation } from "../core/operation.ts";
import { field, oneOf } from "../core/traits.ts";
import { deploymentScope, Id, strictObject } from "./schemas.ts";

const area = "environments";
const base = "/api/v1/deployments/{deploymentId}/environments";

/** What an environment serves: the deploy branch, a shared branch, or a personal dev-mode branch. */
export const environmentTypes = ["production", "staging", "development"] as const;

const EnvironmentType = field(oneOf(environmentTypes), {
  doc: "What the environment serves: the deploy branch, an enabled shared branch, or a personal dev-mode branch.",
});

/** The address of an environment's API. */
const ApiCredential = strictObject({
  type: field(oneOf(["rest"]), { doc: "Kind of API." }),
  version: Type.Integer({ minimum: 1, description: "Version of the API." }),
  url: Type.String({ description: "Base URL. Requests need a data API token." }),
});

/** List environments. */
export const listEnvironments = defineOperation({
  id: "listEnvironments",
  area,
  method: "GET",
  path: base,
  summary: "List environments",
  description:
    "Returns the production environment, the enabled staging environments and the development environments, newest first. Each has the base URL of its data API; `deploymentToken` creates tokens for it.",
  source: "public",
  effect: "read",
  permission: { action: "DeploymentRead", scope: deploymentScope },
  params: strictObject({ deploymentId: Id }),
  query: strictObject({ type: Type.Optional(EnvironmentType) }),
  answer: strictObject({
    id: Type.String({ description: "ID of the environment, unique in the deployment." }),
    type: EnvironmentType,
    branch: Type.Optional(Type.String({ description: "Branch that it serves." })),
    user: Type.Optional(
      Type.String({ description: "Username of the owner of a development environment." }),
    ),
    api_credentials: Type.Array(ApiCredential, { description: "Addresses of its APIs." }),
  }),
  list: "transitional",
  errorCodes: ["not_found"],
});
