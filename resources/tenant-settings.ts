// TenantSettings: features that are switched on or off for the whole account.
import { Type } from "typebox";
import { getTenantSettings, tenantSettings, updateTenantSettings } from "../api/tenant-settings.ts";
import { defineKind, defineObserve } from "../core/kind/kind.ts";
import { field, traitsOf } from "../core/schema/traits.ts";
import { changedFields, definedMembers } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

const setting = (schema: (typeof tenantSettings)[keyof typeof tenantSettings]) =>
  Type.Optional(field(schema, { doc: traitsOf(schema).doc, neverCleared: true }));

const spec = Type.Object({
  auditLogEnabled: setting(tenantSettings.auditLogEnabled),
  oidcEnabled: setting(tenantSettings.oidcEnabled),
  useCreatorMode: setting(tenantSettings.useCreatorMode),
  embeddingEnabled: setting(tenantSettings.embeddingEnabled),
  personalKeysEnabled: setting(tenantSettings.personalKeysEnabled),
  scimEnabled: setting(tenantSettings.scimEnabled),
});

const names = Object.keys(spec.properties) as (keyof typeof spec.properties)[];

/** The TenantSettings resource type. Only declared settings are managed. */
export const tenantSettingsKind = defineKind(
  {
    name: "TenantSettings",
    plural: "tenant-settings",
    recordedAs: "settings",
    doc: "Features that are switched on or off for the whole account. Settings that are not declared are not changed.",
    shape: "singleton",
    key: [],
    scope: [],
    spec,
    status: statusSchema({}),
    examples: [
      {
        title: "An account with an audit log, and without keys of users who are not administrators",
        name: "account",
        spec: {
          auditLogEnabled: true,
          oidcEnabled: true,
          useCreatorMode: true,
          embeddingEnabled: true,
          personalKeysEnabled: false,
          scimEnabled: true,
        },
        variations: {
          auditLogEnabled: false,
          oidcEnabled: false,
          useCreatorMode: false,
          embeddingEnabled: false,
          personalKeysEnabled: true,
          scimEnabled: false,
        },
      },
    ],
  },
  (bind) => ({
    observe: defineObserve({
      cost: "list",
      needs: [getTenantSettings],
      read: async (reader) => {
        const settings = await reader.one(getTenantSettings, {});
        if (settings === undefined) return [];
        const shown = Object.fromEntries(names.map((name) => [name, settings[name]]));
        return [{ id: undefined, spec: definedMembers(shown), status: {} }];
      },
    }),
    create: [],
    update: [
      bind.perObject(updateTenantSettings, (subject) => ({
        body: changedFields(subject, names),
      })),
    ],
    delete: [],
  }),
);
