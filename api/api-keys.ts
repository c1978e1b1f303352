// Area api-keys: credentials of the account; a secret is shown once, when its key is made.
import { Type } from "typebox";
import { defineOperation } from "../core/operation.ts";
import { closed, Id, maybe, Moment } from "./schemas.ts";

const common = { area: "api-keys", access: "admin", scope: "account" } as const;
const byId = closed({ id: Id });

const apiKey = {
  id: Id,
  name: Type.String(),
  prefix: Type.String(),
  ownerUserId: Id,
  deploymentIds: Type.Union([Type.Array(Id), Type.Null()]),
  createdAt: Moment,
};

/** Newest first; secrets are never shown. */
export const listApiKeys = defineOperation({
  ...common,
  id: "listApiKeys",
  method: "GET",
  path: "/api/v1/api-keys",
  summary: "List API keys",
  source: "public",
  effect: "read",
  answer: closed(apiKey),
  list: "cursor",
});

/** `token` is shown this once. `deploymentIds` scopes the key; left out or `null` it reaches all. */
export const createApiKey = defineOperation({
  ...common,
  id: "createApiKey",
  method: "POST",
  path: "/api/v1/api-keys",
  summary: "Create an API key",
  source: "public",
  effect: "write",
  body: closed({
    name: Type.String({ minLength: 1, maxLength: 255 }),
    deploymentIds: maybe(Type.Array(Id, { minItems: 1, maxItems: 1000 })),
    ownerUserId: maybe(Id),
  }),
  answer: closed({ ...apiKey, token: Type.String() }),
});

/** One key, without its secret. */
export const getApiKey = defineOperation({
  ...common,
  id: "getApiKey",
  method: "GET",
  path: "/api/v1/api-keys/{id}",
  summary: "Get an API key",
  source: "public",
  effect: "read",
  params: byId,
  answer: closed(apiKey),
  fails: ["not_found"],
});

/** The key stops working at once. */
export const deleteApiKey = defineOperation({
  ...common,
  id: "deleteApiKey",
  method: "DELETE",
  path: "/api/v1/api-keys/{id}",
  summary: "Delete an API key",
  source: "public",
  effect: "write",
  params: byId,
  fails: ["not_found"],
});
