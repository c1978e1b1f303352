// Area api-keys: credentials of the account; a secret is shown once, when its key is made.
import { Type } from "typebox";
import { limits } from "../core/limits.ts";
import { defineOperation } from "../core/operation.ts";
import { optionalForClient } from "../core/traits.ts";
import { strictObject, Id, nullish, Timestamp, Name } from "./schemas.ts";

const common = { area: "api-keys", access: "admin", scope: "account" } as const;
const byId = strictObject({ id: Id });

const DeploymentIds = Type.Array(Id, { minItems: 1, maxItems: limits.scopedDeployments });

const apiKey = {
  id: Id,
  name: Type.String(),
  prefix: optionalForClient(Type.String()),
  ownerUserId: optionalForClient(Id),
  deploymentIds: optionalForClient(Type.Union([Type.Array(Id), Type.Null()])),
  createdAt: optionalForClient(Timestamp),
};

/** List API keys. */
export const listApiKeys = defineOperation({
  ...common,
  id: "listApiKeys",
  method: "GET",
  path: "/api/v1/api-keys",
  summary: "List API keys",
  description: "Newest first; secrets are never shown.",
  source: "public",
  effect: "read",
  answer: strictObject(apiKey),
  list: "cursor",
});

/** `token` is shown this once. `deploymentIds` scopes the key; left out or `null` it reaches all. */
export const createApiKey = defineOperation({
  ...common,
  id: "createApiKey",
  method: "POST",
  path: "/api/v1/api-keys",
  summary: "Create an API key",
  description:
    "It belongs to the caller, or to the user of `ownerUserId`, and carries just that user's rights. A key of a user who is no administrator needs the account's switch for personal keys, else it is 403.",
  source: "public",
  effect: "write",
  body: strictObject({
    name: Name,
    deploymentIds: nullish(DeploymentIds),
    ownerUserId: nullish(Id),
  }),
  answer: strictObject({ ...apiKey, token: Type.String() }),
});

/** Get an API key. */
export const getApiKey = defineOperation({
  ...common,
  id: "getApiKey",
  method: "GET",
  path: "/api/v1/api-keys/{id}",
  summary: "Get an API key",
  description: "One key, without its secret.",
  source: "public",
  effect: "read",
  params: byId,
  answer: strictObject(apiKey),
  errorCodes: ["not_found"],
});

/** Omitted members are kept; the scope is replaced, and `null` makes it all deployments. The secret stays what it is. */
export const updateApiKey = defineOperation({
  ...common,
  id: "updateApiKey",
  method: "PATCH",
  path: "/api/v1/api-keys/{id}",
  summary: "Rename an API key, or change its scope",
  description: "The operator's key reaches everything for good: giving it a scope is 403.",
  source: "proposed",
  effect: "write",
  params: byId,
  body: strictObject({
    name: Type.Optional(Name),
    deploymentIds: nullish(DeploymentIds),
  }),
  answer: strictObject(apiKey),
  errorCodes: ["not_found"],
});

/** Delete an API key. */
export const deleteApiKey = defineOperation({
  ...common,
  id: "deleteApiKey",
  method: "DELETE",
  path: "/api/v1/api-keys/{id}",
  summary: "Delete an API key",
  description: "The key stops working at once.",
  source: "public",
  effect: "write",
  params: byId,
  errorCodes: ["not_found"],
});
