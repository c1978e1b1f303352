// Operations on SCIM integrations: identity providers that provision users and groups, each with its own token.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { field, oneOf } from "../core/schema/traits.ts";
import { Id, Name, nullish, strictObject, Timestamp } from "./schemas.ts";
import { DefaultRoles } from "./users.ts";

const common = { area: "scim-integrations", source: "proposed" } as const;
const base = "/api/v1/scim-integrations";
const byId = strictObject({ id: Id });
const read = { action: "TenantSettingsRead", scope: "account" } as const;
const manage = { action: "TenantSettingsManage", scope: "account" } as const;

/** The members of an integration that a request sets. */
export const scimIntegrationFields = {
  name: Name,
  providerType: field(oneOf(["entra", "okta", "generic"]), {
    doc: "Identity provider: `entra` is Microsoft Entra ID, `generic` any other. It decides which `baseUrl` to enter there. Defaults to `generic`.",
  }),
  isEnabled: Type.Boolean({
    description:
      "Whether the token is accepted. While it is not, other clients can change what the integration provisioned. Defaults to `true`.",
  }),
  defaultRoles: field(DefaultRoles, {
    doc: "Roles of the users that the integration creates. Defaults to AIBIViewer. Users who exist keep theirs.",
  }),
};

const { name, providerType, isEnabled, defaultRoles } = scimIntegrationFields;

const integration = {
  id: Id,
  name: Type.String(),
  providerType,
  isEnabled,
  defaultRoles: Type.Union([DefaultRoles, Type.Null()], {
    description: "Roles of the users that the integration creates; `null` for AIBIViewer.",
  }),
  baseUrl: field(Type.String(), {
    doc: "Address to enter at the identity provider. That of Entra ID has the flag with which it follows the standard.",
  }),
  tokenPrefix: field(Type.String(), { doc: "First characters of the token." }),
  previousTokenExpiresAt: Type.Optional(
    field(Timestamp, {
      doc: "When the token before the last rotation ends. Omitted if it has ended.",
    }),
  ),
  lastRequestAt: Type.Optional(
    field(Timestamp, {
      doc: "When the identity provider sent a request last, to the minute. Omitted before the first one.",
    }),
  ),
  userCount: field(Type.Integer({ minimum: 0 }), { doc: "Users that the integration manages." }),
  groupCount: field(Type.Integer({ minimum: 0 }), { doc: "Groups that the integration manages." }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

const withToken = strictObject({
  ...integration,
  token: field(Type.String(), { doc: "Token of the integration. It is shown once." }),
});

const changes = {
  providerType: nullish(providerType),
  isEnabled: nullish(isEnabled),
  defaultRoles: nullish(defaultRoles),
};

const rules =
  "Returns 403 when a key with chosen permissions sets `defaultRoles`, or lacks the permission ScimManage.";

/** List SCIM integrations. */
export const listScimIntegrations = defineOperation({
  ...common,
  id: "listScimIntegrations",
  method: "GET",
  path: base,
  summary: "List SCIM integrations",
  description: "Returns all integrations, without their tokens.",
  effect: "read",
  permission: read,
  answer: strictObject(integration),
  list: "array",
});

/** Create a SCIM integration. Only this response and that of a rotation contain `token`. */
export const createScimIntegration = defineOperation({
  ...common,
  id: "createScimIntegration",
  method: "POST",
  path: base,
  summary: "Create a SCIM integration",
  description: `The token manages users and groups through SCIM, and nothing else. It belongs to no user, so that it outlives the one who created it. Users and groups that the integration writes are managed by it: other integrations and clients cannot change what it provisions. Returns 409 when the name is already in use. ${rules}`,
  effect: "write",
  permission: manage,
  body: strictObject({ name, ...changes }),
  answer: withToken,
  errorCodes: ["conflict", "limit_reached"],
});

/** Get a SCIM integration. */
export const getScimIntegration = defineOperation({
  ...common,
  id: "getScimIntegration",
  method: "GET",
  path: `${base}/{id}`,
  summary: "Get a SCIM integration",
  description: "Returns one integration, without its token.",
  effect: "read",
  permission: read,
  params: byId,
  answer: strictObject(integration),
  errorCodes: ["not_found"],
});

/** Update a SCIM integration. */
export const updateScimIntegration = defineOperation({
  ...common,
  id: "updateScimIntegration",
  method: "PATCH",
  path: `${base}/{id}`,
  summary: "Update a SCIM integration",
  description: `Omitted members do not change; \`null\` restores the default. The token stays. ${rules}`,
  effect: "write",
  permission: manage,
  params: byId,
  body: strictObject({ name: Type.Optional(name), ...changes }),
  answer: strictObject(integration),
  errorCodes: ["not_found", "conflict"],
});

/** Delete a SCIM integration. */
export const deleteScimIntegration = defineOperation({
  ...common,
  id: "deleteScimIntegration",
  method: "DELETE",
  path: `${base}/{id}`,
  summary: "Delete a SCIM integration",
  description:
    "Ends the token. Users and groups stay, and become the account's own: attributes that only SCIM has, such as phone numbers, are removed.",
  effect: "write",
  permission: manage,
  params: byId,
  errorCodes: ["not_found"],
});

/** Rotate the token of a SCIM integration. */
export const rotateScimIntegrationToken = defineOperation({
  ...common,
  id: "rotateScimIntegrationToken",
  method: "POST",
  path: `${base}/{id}/rotate-token`,
  summary: "Rotate the token of a SCIM integration",
  description:
    "Returns a new token. The last one is accepted for a while, so that the identity provider can be given the new one; an older one ends. Returns 403 for a key that lacks the permission ScimManage.",
  effect: "write",
  permission: manage,
  params: byId,
  body: strictObject({
    previousTokenSeconds: nullish(
      Type.Integer({
        minimum: 0,
        maximum: limits.previousScimTokenSecondsMax,
        description: `How long the last token is accepted, in seconds. Defaults to ${limits.previousScimTokenSeconds}.`,
      }),
    ),
  }),
  answer: withToken,
  errorCodes: ["not_found"],
});
