// Operations on OAuth clients: programs to which the account's users give access.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import {
  oauthRedirectPattern,
  oauthSecretPattern,
  oidcConfigNamePattern,
} from "../core/text/text-patterns.ts";
import { documentedRule, field } from "../core/schema/traits.ts";
import { PermissionActions } from "./permission-schemas.ts";
import { Id, Name, nullish, strictObject, Timestamp } from "./schemas.ts";

const common = { area: "oauth-clients", source: "proposed" } as const;
const base = "/api/v1/oauth-clients";
const byId = strictObject({ id: Id });
const read = { action: "TenantSettingsRead", scope: "account" } as const;
const manage = { action: "TenantSettingsManage", scope: "account" } as const;

/** The members of a client that a request sets, without the secret. */
export const oauthClientFields = {
  clientId: Type.String({
    maxLength: 100,
    pattern: oidcConfigNamePattern,
    description: "ID that the client sends, unique in the account.",
  }),
  name: field(Name, { doc: "Name that users see when they approve." }),
  redirectUris: Type.Array(
    Type.String({ maxLength: 2048, format: "iri", pattern: oauthRedirectPattern }),
    {
      maxItems: limits.oauthRedirectUris,
      description:
        "Addresses to which users return with a code: https, or http on 127.0.0.1, where any port matches. Defaults to none.",
    },
  ),
  allowsDevices: Type.Boolean({
    description:
      "Whether the client may ask for a code that the user enters elsewhere. Defaults to `false`.",
  }),
  scopes: PermissionActions,
};

/** The secret of a client. */
export const OAuthClientSecret = field(
  Type.String({ minLength: 32, maxLength: 255, pattern: oauthSecretPattern }),
  {
    doc: "Secret that the client sends (HTTP basic authentication), random and at least 32 characters long. It is stored encrypted and never returned. `null` makes the client public.",
    sensitive: true,
    writeOnly: true,
  },
);

const { clientId, name, redirectUris, allowsDevices, scopes } = oauthClientFields;

const rules =
  "A credential with limits gets 403 for a client that may ask for more than the credential may do.";

const client = strictObject({
  id: Id,
  clientId: Type.String({ description: "ID that the client sends." }),
  name: Type.String(),
  redirectUris,
  allowsDevices,
  isConfidential: Type.Boolean({ description: "Whether the client has a secret." }),
  scopes: Type.Union([PermissionActions, Type.Null()], {
    description: "Scopes that the client may ask for; `null` for all.",
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const changes = {
  clientSecret: nullish(OAuthClientSecret),
  redirectUris: nullish(redirectUris),
  allowsDevices: nullish(allowsDevices),
  scopes: nullish(scopes),
};

const hasRedirectUri = { properties: { redirectUris: { type: "array", minItems: 1 } } };
const takesDevices = { properties: { allowsDevices: { const: true } } };

/** List OAuth clients. */
export const listOAuthClients = defineOperation({
  ...common,
  id: "listOAuthClients",
  method: "GET",
  path: base,
  summary: "List OAuth clients",
  description: "Returns all clients but `svc-cli`, which every account has, without their secrets.",
  effect: "read",
  permission: read,
  answer: client,
  list: "array",
});

/** Create an OAuth client. */
export const createOAuthClient = defineOperation({
  ...common,
  id: "createOAuthClient",
  method: "POST",
  path: base,
  summary: "Create an OAuth client",
  description: `The client gets tokens of users who approve it, by authorization codes with PKCE or device codes. It needs a redirect URI, or \`allowsDevices\`. Returns 409 when the client ID is already in use. ${rules}`,
  effect: "write",
  permission: manage,
  body: documentedRule(strictObject({ clientId, name, ...changes }), {
    anyOf: [
      { required: ["redirectUris"], ...hasRedirectUri },
      { required: ["allowsDevices"], ...takesDevices },
    ],
  }),
  answer: client,
  errorCodes: ["conflict", "limit_reached"],
});

/** Get an OAuth client. */
export const getOAuthClient = defineOperation({
  ...common,
  id: "getOAuthClient",
  method: "GET",
  path: `${base}/{id}`,
  summary: "Get an OAuth client",
  description: "Returns one client, without its secret.",
  effect: "read",
  permission: read,
  params: byId,
  answer: client,
  errorCodes: ["not_found"],
});

/** Update an OAuth client. */
export const updateOAuthClient = defineOperation({
  ...common,
  id: "updateOAuthClient",
  method: "PATCH",
  path: `${base}/{id}`,
  summary: "Update an OAuth client",
  description: `Omitted members do not change; \`null\` restores the default. A change other than of \`name\` ends the tokens of the client. ${rules}`,
  effect: "write",
  permission: manage,
  params: byId,
  body: documentedRule(strictObject({ name: Type.Optional(name), ...changes }), {
    anyOf: [
      hasRedirectUri,
      takesDevices,
      { not: { required: ["redirectUris"] } },
      { not: { required: ["allowsDevices"] } },
    ],
  }),
  answer: client,
  errorCodes: ["not_found"],
});

/** Delete an OAuth client. */
export const deleteOAuthClient = defineOperation({
  ...common,
  id: "deleteOAuthClient",
  method: "DELETE",
  path: `${base}/{id}`,
  summary: "Delete an OAuth client",
  description: "Deletes the client. Its tokens end.",
  effect: "write",
  permission: manage,
  params: byId,
  errorCodes: ["not_found"],
});
