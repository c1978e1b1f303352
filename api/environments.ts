// Operations on the environments of a deployment: production, staging and development.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { field, oneOf } from "../core/schema/traits.ts";
import { deploymentScope, Id, nullish, signedToken, strictObject, Timestamp } from "./schemas.ts";

const area = "environments";
const base = "/api/v1/deployments/{deploymentId}/environments";

/** The branch that an environment serves: the deploy branch, a shared branch, or a personal dev-mode branch. */
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
    "Returns the production environment, the enabled staging environments and the development environments, newest first. Each has the base URL of its data API; `createEnvironmentToken` creates tokens for one environment, and `deploymentToken` for all of the deployment.",
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

/** The scopes of a token. Without them, it may do everything at its environment. */
export const tokenScopes = ["meta"] as const;

const EnvironmentToken = strictObject({
  token: field(signedToken(), {
    doc: "The token, for the `Authorization` header.",
    sensitive: true,
  }),
  security_context: Type.Record(Type.String(), Type.Unknown(), {
    description: "Context that the data model's `SECURITY_CONTEXT` and access policies read.",
  }),
  scopes: Type.Optional(
    Type.Array(oneOf(tokenScopes), {
      description: "What the token is limited to. A token without `scopes` is not limited.",
    }),
  ),
  created_at: Timestamp,
  expires_at: Timestamp,
});

const tokens = `${base}/{environmentId}/tokens`;
const byEnvironment = strictObject({ deploymentId: Id, environmentId: Id });
const Scopes = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 });

/** The request for a token. */
const tokenBody = {
  security_context: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "Context that the data model's `SECURITY_CONTEXT` and access policies read. Only callers with the permission SchemaUpdate can set it: the token of another caller has none.",
  }),
  expires_in: nullish(
    Type.Integer({
      minimum: 1,
      maximum: limits.environmentTokenSeconds,
      description: "Lifetime in seconds (default: 3600).",
    }),
  ),
};

/** List the tokens of an environment. */
export const listEnvironmentTokens = defineOperation({
  id: "listEnvironmentTokens",
  area,
  method: "GET",
  path: tokens,
  summary: "List the tokens of an environment",
  description:
    "Returns the tokens that the credential created for the environment and that have not expired, newest first: at most 1000.",
  source: "public",
  effect: "read",
  requiresApiKey: true,
  permission: { action: "PlaygroundRead", scope: deploymentScope },
  params: byEnvironment,
  answer: EnvironmentToken,
  list: "transitional",
  errorCodes: ["not_found"],
});

/** Create a token of an environment. */
export const createEnvironmentToken = defineOperation({
  id: "createEnvironmentToken",
  area,
  method: "POST",
  path: tokens,
  summary: "Create a token of an environment",
  description:
    "Creates a token for the data API of one environment. It is accepted at the address of that environment and nowhere else, and reads no SQL and no tables: it is for viewers. Access policies see its `security_context`, also an empty one, and no groups, roles or attributes. With `scopes`, it may do only what they allow: `meta` reads the metadata, without a context that of the caller. Unknown scopes are dropped. The token of a caller who cannot set the context acts as the caller.",
  source: "public",
  effect: "write",
  requiresApiKey: true,
  permission: { action: "PlaygroundRead", scope: deploymentScope },
  params: byEnvironment,
  body: strictObject({ ...tokenBody, scopes: nullish(Scopes) }),
  answer: strictObject({ data: EnvironmentToken }),
  errorCodes: ["not_found"],
});

/** Create a token that reads the metadata of an environment. */
export const createMetaSyncToken = defineOperation({
  id: "createMetaSyncToken",
  area,
  method: "POST",
  path: `${base}/{environmentId}/tokens-for-meta-sync`,
  summary: "Create a token that reads the metadata of an environment",
  description:
    "Creates a token as `createEnvironmentToken` does, with the scope `meta` and no other: it reads the cubes and views of the environment, and runs no query.",
  source: "public",
  effect: "write",
  requiresApiKey: true,
  permission: { action: "SchemaRead", scope: deploymentScope },
  params: byEnvironment,
  body: strictObject({
    ...tokenBody,
    scopes: nullish({ ...Scopes, description: "Scopes other than `meta` are dropped." }),
  }),
  answer: strictObject({ data: EnvironmentToken }),
  errorCodes: ["not_found"],
});
