// Operations on API keys. The secret of a key is returned once, by the create operation.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { optionalForClient } from "../core/schema/traits.ts";
import { PermissionActions, StateAccessList } from "./permission-schemas.ts";
import { strictObject, Id, nullish, Timestamp, Name } from "./schemas.ts";

const common = { area: "api-keys" } as const;
const byId = strictObject({ id: Id });

const DeploymentIds = Type.Array(Id, { minItems: 1, maxItems: limits.scopedDeployments });

/** The members that limit what a credential may do of its owner's permissions, and whether it is accepted at all. */
export const credentialScope = {
  isDisabled: Type.Optional(
    Type.Boolean({
      description: "Whether the credential is rejected. Omitted: unchanged, or false.",
    }),
  ),
  deploymentIds: nullish(DeploymentIds),
  permissions: nullish(PermissionActions),
  states: nullish(StateAccessList),
};

/** Whether a credential is rejected. */
export const IsDisabled = optionalForClient(
  Type.Boolean({
    description:
      "Whether the credential is rejected. A deactivation of its owner disables it, until an administrator enables it.",
  }),
);

const apiKey = {
  id: Id,
  name: Type.String(),
  prefix: optionalForClient(Type.String()),
  ownerUserId: optionalForClient(Id),
  deploymentIds: optionalForClient(Type.Union([Type.Array(Id), Type.Null()])),
  permissions: optionalForClient(Type.Union([PermissionActions, Type.Null()])),
  states: optionalForClient(Type.Union([StateAccessList, Type.Null()])),
  isDisabled: IsDisabled,
  createdAt: optionalForClient(Timestamp),
};

/** List API keys. */
export const listApiKeys = defineOperation({
  ...common,
  id: "listApiKeys",
  method: "GET",
  path: "/api/v1/api-keys",
  summary: "List API keys",
  description:
    "Returns API keys, newest first, without their secrets. Callers without the permission ApiKeysRead get their own keys only.",
  source: "public",
  effect: "read",
  permission: { action: "PersonalKeysRead", scope: "account", others: "ApiKeysRead" },
  answer: strictObject(apiKey),
  list: "cursor",
  selectable: true,
});

/** Create an API key. Only this response contains `token`. Without `deploymentIds`, `permissions` and `states`, the key has all permissions of its owner. */
export const createApiKey = defineOperation({
  ...common,
  id: "createApiKey",
  method: "POST",
  path: "/api/v1/api-keys",
  summary: "Create an API key",
  description:
    "The key belongs to the caller, or to the user in `ownerUserId`, and has that user's permissions, within `deploymentIds` and `permissions`. `states` replaces both for states. Returns 403 if the owner is not an administrator and the account does not allow personal API keys, if the key would have more permissions than the caller's, and if callers without the permission ApiKeysManage name another user, or deployments that they cannot read.",
  source: "public",
  effect: "write",
  permission: { action: "PersonalKeysManage", scope: "account" },
  body: strictObject({
    name: Name,
    ...credentialScope,
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
  description:
    "Returns one API key, without its secret. Keys of other users need the permission ApiKeysRead; they are unknown without it.",
  source: "public",
  effect: "read",
  permission: { action: "PersonalKeysRead", scope: "account" },
  params: byId,
  answer: strictObject(apiKey),
  errorCodes: ["not_found"],
});

/** Update an API key. Omitted members are kept; lists are replaced, and `null` removes them. The secret does not change. */
export const updateApiKey = defineOperation({
  ...common,
  id: "updateApiKey",
  method: "PATCH",
  path: "/api/v1/api-keys/{id}",
  summary: "Update the name or scope of an API key",
  description:
    "Omitted members are kept; `null` removes a limit. Keys of other users need the permission ApiKeysManage; they are unknown without it. So does enabling a disabled key. Returns 403 when the operator's key is limited or disabled: it always has all permissions.",
  source: "proposed",
  effect: "write",
  permission: { action: "PersonalKeysManage", scope: "account" },
  params: byId,
  body: strictObject({
    name: Type.Optional(Name),
    ...credentialScope,
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
  description:
    "Deletes the key. Requests with it fail immediately. Keys of other users need the permission ApiKeysManage; they are unknown without it.",
  source: "public",
  effect: "write",
  permission: { action: "PersonalKeysManage", scope: "account" },
  params: byId,
  errorCodes: ["not_found"],
});
