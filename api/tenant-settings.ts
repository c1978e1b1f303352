// Operations on tenant settings: features that an administrator switches on or off for the whole account.
import { Type } from "typebox";
import { defineOperation } from "../core/operation.ts";
import { nullish, strictObject } from "./schemas.ts";

const common = {
  area: "tenant-settings",
  path: "/api/v1/tenant-settings",
  source: "proposed",
} as const;

const settings = {
  useCreatorMode: Type.Boolean(),
  embeddingEnabled: Type.Boolean(),
  personalKeysEnabled: Type.Boolean(),
};

/** Get the tenant settings. */
export const getTenantSettings = defineOperation({
  ...common,
  id: "getTenantSettings",
  method: "GET",
  summary: "Get the tenant settings",
  description: "Returns the settings of the account.",
  effect: "read",
  permission: { action: "TenantSettingsRead", scope: "account" },
  answer: strictObject(settings),
});

/** Update the tenant settings. */
export const updateTenantSettings = defineOperation({
  ...common,
  id: "updateTenantSettings",
  method: "PATCH",
  summary: "Update the tenant settings",
  description: "Omitted members and `null` keep their value.",
  effect: "write",
  permission: { action: "TenantSettingsManage", scope: "account" },
  body: strictObject({
    useCreatorMode: nullish(settings.useCreatorMode),
    embeddingEnabled: nullish(settings.embeddingEnabled),
    personalKeysEnabled: nullish(settings.personalKeysEnabled),
  }),
  answer: strictObject(settings),
});
