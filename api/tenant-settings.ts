// Operations on tenant settings: features that an administrator switches on or off for the whole account.
import { Type } from "typebox";
import { defineOperation } from "../core/operation/operation.ts";
import { optionalForClient } from "../core/schema/traits.ts";
import { nullish, strictObject } from "./schemas.ts";

const common = {
  area: "tenant-settings",
  path: "/api/v1/tenant/settings",
  source: "public",
} as const;

/** The settings that a request can change. */
export const tenantSettings = {
  auditLogEnabled: Type.Boolean({
    description: "Whether changes are recorded in the audit log. The switch itself always is.",
  }),
  oidcEnabled: Type.Boolean({
    description:
      "Whether deployments get OIDC tokens. While it is disabled, the operations on OIDC token configurations, and the discovery of the issuer, return 404.",
  }),
  useCreatorMode: Type.Boolean({
    description:
      "Whether embed sessions may use creator mode, and define groups and user attributes of their embed tenant.",
  }),
  embeddingEnabled: Type.Boolean({
    description:
      "Whether sessions of embedded pages are accepted. While it is disabled, none can be created, and their tokens are refused with 403.",
  }),
  personalKeysEnabled: Type.Boolean({
    description:
      "Whether all users may create API keys. While it is disabled, keys of users who are not administrators are refused; they are kept.",
  }),
  scimEnabled: Type.Boolean({
    description: "Whether identity providers may manage users and groups through SCIM.",
  }),
};

const answer = strictObject({
  ...tenantSettings,
  useCreatorMode: optionalForClient(tenantSettings.useCreatorMode),
  embeddingEnabled: optionalForClient(tenantSettings.embeddingEnabled),
  personalKeysEnabled: optionalForClient(tenantSettings.personalKeysEnabled),
  scimEnabled: optionalForClient(tenantSettings.scimEnabled),
  auditLogEnabledCurrent: Type.Boolean({ description: "Whether changes are recorded now." }),
  auditLogEnabledTimestamp: Type.Optional(
    Type.Integer({ description: "When the audit log was last switched, in ms since 1970." }),
  ),
});

/** Get the tenant settings. */
export const getTenantSettings = defineOperation({
  ...common,
  id: "getTenantSettings",
  method: "GET",
  summary: "Get the tenant settings",
  description: "Returns the settings of the account.",
  effect: "read",
  permission: { action: "TenantSettingsRead", scope: "account" },
  answer,
});

/** Update the tenant settings. */
export const updateTenantSettings = defineOperation({
  ...common,
  id: "updateTenantSettings",
  method: "PUT",
  summary: "Update the tenant settings",
  description: "Omitted members and `null` keep their value.",
  effect: "write",
  permission: { action: "TenantSettingsManage", scope: "account" },
  body: strictObject({
    auditLogEnabled: nullish(tenantSettings.auditLogEnabled),
    oidcEnabled: nullish(tenantSettings.oidcEnabled),
    useCreatorMode: nullish(tenantSettings.useCreatorMode),
    embeddingEnabled: nullish(tenantSettings.embeddingEnabled),
    personalKeysEnabled: nullish(tenantSettings.personalKeysEnabled),
    scimEnabled: nullish(tenantSettings.scimEnabled),
  }),
  answer,
});
