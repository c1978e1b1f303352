// Operations on API keys. The secret of a key is returned once, by the create operation.
import { Type } from "typebox";
import { limits } from "../core/limits.ts";
import { defineOperation } from "../core/operation.ts";
import { optionalForClient } from "../core/traits.ts";
import { strictObject, Id, nullish, Timestamp, Name } from "./schemas.ts";

const common = { area: "api-keys" } as const;
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
  description: "Returns API keys, newest first, without their secrets.",
  source: "public",
  effect: "read",
  permission: { action: "ApiKeysRead", scope: "account" },
  answer: strictObject(apiKey),
  list: "cursor",
});

/** Create an API key. Only this response contains `token`. Without `deploymentIds`, the key can access every deployment. */
export const createApiKey = defineOperation({
  ...common,
  id: "createApiKey",
  method: "POST",
  path: "/api/v1/api-keys",
  summary: "Create an API key",
  description:
    "The key belongs to the caller, or to the user in `ownerUserId`, and has that user's permissions. Returns 403 if the owner is not an administrator and the account does not allow personal API keys.",
  source: "public",
  effect: "write",
  permission: { action: "ApiKeysManage", scope: "account" },
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
  description: "Returns one API key, without its secret.",
  source: "public",
  effect: "read",
  permission: { action: "ApiKeysRead", scope: "account" },
  params: byId,
  answer: strictObject(apiKey),
  errorCodes: ["not_found"],
});

/** Update an API key. Omitted members are kept; `deploymentIds` replaces the scope, and `null` removes it. The secret does not change. */
export const updateApiKey = defineOperation({
  ...common,
  id: "updateApiKey",
  method: "PATCH",
  path: "/api/v1/api-keys/{id}",
  summary: "Update the name or scope of an API key",
  description:
    "Omitted members are kept. Returns 403 when a scope is set on the operator's key, which always has access to every deployment.",
  source: "proposed",
  effect: "write",
  permission: { action: "ApiKeysManage", scope: "account" },
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
  description: "Deletes the key. Requests with it fail immediately.",
  source: "public",
  effect: "write",
  permission: { action: "ApiKeysManage", scope: "account" },
  params: byId,
  errorCodes: ["not_found"],
});
