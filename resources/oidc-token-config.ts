// OidcTokenConfig: OIDC tokens with which deployments sign in at a cloud or another service.
import { type Static, Type } from "typebox";
import {
  audienceTypes,
  createOidcTokenConfig,
  deleteOidcTokenConfig,
  getOidcTokenConfig,
  listOidcTokenConfigs,
  oidcSettings,
  updateOidcTokenConfig,
} from "../api/oidc.ts";
import { Id, Timestamp } from "../api/schemas.ts";
import { defineKind, type ObservedObject } from "../core/kind/kind.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { field, oneOf, traitsOf } from "../core/schema/traits.ts";
import { changedFields, definedMembers, idOf } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";
import { observeCollection } from "./observe-collection.ts";

const { name, customAudience, subFormat, targetEnvVar, customClaims, isEnabled } = oidcSettings;

const spec = Type.Object({
  name: field(name, { doc: traitsOf(name).doc }),
  audienceType: field(oneOf(audienceTypes), {
    doc: "Who the tokens are for. An account has one configuration of each cloud, and any number of `Custom` ones.",
    onChange: "replace",
  }),
  audience: Type.Optional(
    field(customAudience, {
      doc: "Audience of the tokens. Defaults to the audience of the cloud; `Custom` requires it.",
      serverChosen: true,
      neverCleared: true,
    }),
  ),
  subFormat: Type.Optional(field(subFormat, { doc: traitsOf(subFormat).doc })),
  targetEnvVar: Type.Optional(field(targetEnvVar, { doc: traitsOf(targetEnvVar).doc })),
  customClaims: Type.Optional(field(customClaims, { doc: traitsOf(customClaims).doc })),
  isEnabled: Type.Optional(field(isEnabled, { doc: traitsOf(isEnabled).doc, neverCleared: true })),
});

type Spec = Static<typeof spec>;

/** The OidcTokenConfig resource type. */
export const oidcTokenConfig = defineKind(
  {
    name: "OidcTokenConfig",
    plural: "oidc-token-configs",
    doc: "A configuration of OIDC tokens, with which deployments sign in at a cloud or another service without a stored secret. It requires the tenant setting `oidcEnabled`.",
    shape: "item",
    key: ["name"],
    scope: [],
    requiresSettings: ["TenantSettings"],
    spec,
    status: statusSchema({ id: Id, createdAt: Timestamp }),
    examples: [
      {
        title: "Sign in at a cloud",
        name: "warehouse-role",
        spec: {
          name: "warehouse-role",
          audienceType: "AWS",
          subFormat: "svc:deployment:{deployment_id}:{component}",
          targetEnvVar: "AWS_WEB_IDENTITY_TOKEN_FILE",
          isEnabled: true,
        },
        variations: {
          name: "lake-role",
          audienceType: "Azure",
          subFormat: null,
          targetEnvVar: "TOKEN_FILE",
          isEnabled: false,
        },
      },
      {
        title: "Sign in at a service of your own",
        name: "vault",
        spec: {
          name: "vault",
          audienceType: "Custom",
          audience: "https://vault.example.com",
          customClaims: { team: "analytics" },
        },
        variations: {
          name: "secrets",
          audience: "https://secrets.example.com",
          customClaims: { team: "finance", level: 2 },
        },
      },
    ],
  },
  (bind) => ({
    observe: observeCollection(listOidcTokenConfigs, getOidcTokenConfig, toObserved),
    create: [
      bind.perObject(
        createOidcTokenConfig,
        ({ spec: { audienceType, audience, ...settings } }) => ({
          body: { audienceType, ...definedMembers({ ...settings, customAudience: audience }) },
        }),
        { refusesExisting: true },
      ),
    ],
    update: [
      bind.perObject(updateOidcTokenConfig, (subject) => ({
        params: { id: idOf(subject) },
        body: {
          ...changedFields(subject, [
            "name",
            "subFormat",
            "targetEnvVar",
            "customClaims",
            "isEnabled",
          ]),
          ...(subject.changed.has("audience") &&
            definedMembers({ customAudience: subject.spec.audience })),
        },
      })),
    ],
    delete: [
      bind.perObject(deleteOidcTokenConfig, (subject) => ({ params: { id: idOf(subject) } })),
    ],
  }),
);

function toObserved({
  id,
  createdAt,
  updatedAt: _,
  ...settings
}: AnswerOf<typeof listOidcTokenConfigs>): ObservedObject<Spec> {
  return { id: String(id), spec: settings, status: { id, createdAt } };
}
