// OAuthIntegration: a client at an OAuth provider, with which users connect their own accounts.
import { type Static, Type } from "typebox";
import {
  ClientSecret,
  createOAuthIntegration,
  deleteOAuthIntegration,
  getOAuthIntegration,
  integrationFields,
  listOAuthIntegrations,
  ProviderConfig,
  Scopes,
  updateOAuthIntegration,
} from "../api/integrations.ts";
import { Id, Timestamp } from "../api/schemas.ts";
import { isObject } from "../core/json.ts";
import { defineKind, type ObjectWrite, type ObservedObject } from "../core/kind/kind.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { mergePatch } from "../core/spec/patch.ts";
import { field, traitsOf } from "../core/schema/traits.ts";
import { definedMembers, idOf } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";
import { observeCollection } from "./observe-collection.ts";

const { name, type, authUrl, tokenUrl, clientId, redirectUri } = integrationFields;

const spec = Type.Object({
  name: field(name, { doc: "Name, unique in the account." }),
  type: field(type, { doc: traitsOf(type).doc }),
  authUrl: field(authUrl, { doc: traitsOf(authUrl).doc }),
  tokenUrl: field(tokenUrl, {
    doc: "URL at which codes are exchanged for tokens. A change to another origin ends the tokens of all users.",
  }),
  clientId: field(clientId, { doc: traitsOf(clientId).doc }),
  clientSecret: ClientSecret,
  redirectUri: field(redirectUri, { doc: traitsOf(redirectUri).doc }),
  scopes: Type.Optional(
    field(
      { ...Scopes, default: [] },
      {
        doc: traitsOf(Scopes).doc,
        order: "set",
        whenOmitted: "default",
      },
    ),
  ),
  config: Type.Optional(
    field(ProviderConfig, { doc: "Settings of the provider.", typeName: "OAuthProviderConfig" }),
  ),
});

type Spec = Static<typeof spec>;

/**
 * Returns the settings of the provider, with undeclared members unchanged and without cleared ones; no `config` if they
 * are empty.
 */
function mergedConfig({ spec: desired, live, changed }: ObjectWrite<Spec>): Pick<Spec, "config"> {
  const before = live?.spec.config;
  const after = changed.has("config") ? mergePatch(before, desired.config ?? null) : before;
  return isObject(after) && Object.keys(after).length > 0 ? { config: after } : {};
}

/** Fields after whose change the server may refuse to keep the stored secret. */
const secretFields = ["clientSecret", "tokenUrl", "config"];

/** The OAuthIntegration resource type. An update replaces all settings; tokens of users are not declared. */
export const oauthIntegration = defineKind(
  {
    name: "OAuthIntegration",
    plural: "oauth-integrations",
    doc: "A client at an OAuth provider, with which users connect their own accounts. Deleting it deletes the tokens of all users.",
    shape: "item",
    key: ["name"],
    scope: [],
    spec,
    status: statusSchema({ id: Id, createdAt: Timestamp }),
    examples: [
      {
        title: "Files of a document store",
        name: "documents",
        spec: {
          name: "documents",
          type: "documents",
          authUrl: "https://login.example.com/oauth2/authorize",
          tokenUrl: "https://login.example.com/oauth2/token",
          clientId: "analytics",
          clientSecret: "a-secret-of-the-provider",
          redirectUri: "https://acme.example.com/oauth/callback",
          scopes: ["files.read", "offline_access"],
          config: { revocationUrl: "https://login.example.com/oauth2/revoke" },
        },
        variations: {
          name: "files",
          type: "files",
          authUrl: "https://sso.example.com/authorize",
          tokenUrl: "https://login.example.com/oauth2/v2/token",
          clientId: "reports",
          clientSecret: "another-secret",
          redirectUri: "https://acme.example.com/callback",
          scopes: ["files.read"],
          config: null,
        },
      },
    ],
  },
  (bind) => ({
    observe: observeCollection(listOAuthIntegrations, getOAuthIntegration, toObserved),
    create: [
      bind.perObject(
        createOAuthIntegration,
        (subject) => {
          const { config: _, ...settings } = subject.spec;
          return { body: { ...settings, ...mergedConfig(subject) } };
        },
        { refusesExisting: true },
      ),
    ],
    update: [
      bind.perObject(updateOAuthIntegration, (subject) => {
        const { clientSecret, config: _, ...settings } = { ...subject.live?.spec, ...subject.spec };
        const sendsSecret = secretFields.some((one) => subject.changed.has(one));
        return {
          params: { id: idOf(subject) },
          body: {
            ...settings,
            ...mergedConfig(subject),
            ...(sendsSecret && definedMembers({ clientSecret })),
          },
        };
      }),
    ],
    delete: [
      bind.perObject(deleteOAuthIntegration, (subject) => ({ params: { id: idOf(subject) } })),
    ],
  }),
);

function toObserved({
  id,
  createdAt,
  updatedAt: _,
  ...settings
}: AnswerOf<typeof listOAuthIntegrations>): ObservedObject<Spec> {
  return { id: String(id), spec: settings, status: { id, createdAt } };
}
