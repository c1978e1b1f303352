// Operations on OAuth integrations, and on the tokens that users get from their providers.
import { Type } from "typebox";
import { oauthScopePattern } from "../core/text/text-patterns.ts";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { field, oneOf } from "../core/schema/traits.ts";
import { httpUrl, Id, Name, nullish, strictObject, Timestamp } from "./schemas.ts";

const common = { area: "integrations", source: "public" } as const;
const base = "/api/v1/oauth-integrations";
const tokens = "/api/v1/user-oauth-tokens";
const byId = strictObject({ id: Id });
const byIntegration = strictObject({ integrationId: Id });
const manage = { action: "OAuthIntegrationsManage", scope: "account" } as const;
const issue = { action: "OAuthIntegrationsIssueTokens", scope: "account" } as const;

/** Scopes of an integration. */
export const Scopes = Type.Array(
  Type.String({ minLength: 1, maxLength: 255, pattern: oauthScopePattern }),
  {
    maxItems: 100,
    description: "Scopes that users are asked for.",
  },
);

/** Settings of a provider. */
export const ProviderConfig = strictObject(
  { revocationUrl: Type.Optional(httpUrl("URL at which the provider revokes tokens.")) },
  { description: "Settings of the provider." },
);

/** The members of an integration, without its secret. */
export const integrationFields = {
  name: Name,
  type: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "Type of the provider, in your own words.",
  }),
  authUrl: httpUrl("URL at which users approve the access."),
  tokenUrl: httpUrl("URL at which codes are exchanged for tokens."),
  clientId: Type.String({
    minLength: 1,
    maxLength: 255,
    description: "ID of the client at the provider.",
  }),
  redirectUri: httpUrl("URL to which the provider sends users back, with the code and the state."),
};

/** The secret of an integration. */
export const ClientSecret = field(Type.String({ minLength: 1, maxLength: 1000 }), {
  doc: "Secret of the client at the provider. It is stored encrypted and never returned.",
  sensitive: true,
  writeOnly: true,
});

const integration = strictObject({
  id: Id,
  ...integrationFields,
  name: Type.String(),
  scopes: Scopes,
  config: Type.Optional(ProviderConfig),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const input = {
  ...integrationFields,
  scopes: nullish(Scopes),
  config: nullish(ProviderConfig),
};

/** List OAuth integrations. */
export const listOAuthIntegrations = defineOperation({
  ...common,
  id: "listOAuthIntegrations",
  method: "GET",
  path: base,
  summary: "List OAuth integrations",
  description: "Returns all integrations, without their secrets.",
  effect: "read",
  permission: { ...issue, readAll: true },
  answer: integration,
  list: "array",
});

/** Create an OAuth integration. */
export const createOAuthIntegration = defineOperation({
  ...common,
  id: "createOAuthIntegration",
  method: "POST",
  path: base,
  summary: "Create an OAuth integration",
  description: `Names are unique. An account has at most ${limits.oauthIntegrations} integrations.`,
  effect: "write",
  permission: manage,
  body: strictObject({ ...input, clientSecret: ClientSecret }),
  answer: integration,
  errorCodes: ["conflict", "limit_reached"],
});

/** Get an OAuth integration. */
export const getOAuthIntegration = defineOperation({
  ...common,
  id: "getOAuthIntegration",
  method: "GET",
  path: `${base}/{id}`,
  summary: "Get an OAuth integration",
  description: "Returns one integration, without its secret.",
  effect: "read",
  permission: { ...issue, readAll: true },
  params: byId,
  answer: integration,
  errorCodes: ["not_found"],
});

/** Update an OAuth integration. */
export const updateOAuthIntegration = defineOperation({
  ...common,
  id: "updateOAuthIntegration",
  method: "PUT",
  path: `${base}/{id}`,
  summary: "Update an OAuth integration",
  description:
    "Replaces the integration. Without `clientSecret` the stored one is kept, as long as `tokenUrl` and `config.revocationUrl` stay at the same origins. A new origin ends the tokens of all users, which are never sent to it.",
  effect: "write",
  permission: manage,
  params: byId,
  body: strictObject({ ...input, clientSecret: nullish(ClientSecret) }),
  answer: integration,
  errorCodes: ["not_found", "conflict"],
});

/** Delete an OAuth integration. */
export const deleteOAuthIntegration = defineOperation({
  ...common,
  id: "deleteOAuthIntegration",
  method: "DELETE",
  path: `${base}/{id}`,
  summary: "Delete an OAuth integration",
  description: "Deletes the integration with the tokens of all users. The provider is not called.",
  effect: "write",
  permission: manage,
  params: byId,
  errorCodes: ["not_found"],
});

/** Whether a token can be used. */
export const tokenStatuses = ["ACTIVE", "EXPIRED", "REVOKED", "ERROR"] as const;

const userToken = strictObject({
  id: Id,
  userId: Id,
  integrationId: Type.Integer({ minimum: 1, description: "ID of an OAuth integration." }),
  status: field(oneOf(tokenStatuses), { doc: "Whether the token can be used." }),
  accessTokenExpiresAt: Type.Optional(
    Type.String({ format: "date-time", description: "When the access token expires, in UTC." }),
  ),
  refreshTokenExpiresAt: Type.Optional(
    Type.String({ format: "date-time", description: "When the refresh token expires, in UTC." }),
  ),
  lastError: Type.Optional(Type.String({ description: "Error of the last refresh." })),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

/** List the tokens of the current user. */
export const listUserOAuthTokens = defineOperation({
  ...common,
  id: "listUserOAuthTokens",
  method: "GET",
  path: tokens,
  summary: "List the OAuth tokens of the current user",
  description: "Returns the state of the tokens, not the tokens.",
  effect: "read",
  permission: issue,
  answer: userToken,
  list: "array",
});

/** Get a token of the current user. */
export const getUserOAuthToken = defineOperation({
  ...common,
  id: "getUserOAuthToken",
  method: "GET",
  path: `${tokens}/{integrationId}`,
  summary: "Get the OAuth token of the current user for an integration",
  description: "Returns the state of the token, not the token.",
  effect: "read",
  permission: issue,
  params: byIntegration,
  answer: userToken,
  errorCodes: ["not_found"],
});

/** Delete a token of the current user. */
export const deleteUserOAuthToken = defineOperation({
  ...common,
  id: "deleteUserOAuthToken",
  method: "DELETE",
  path: `${tokens}/{integrationId}`,
  summary: "Revoke the OAuth token of the current user for an integration",
  description:
    "Deletes the token, and revokes it at the provider if `config.revocationUrl` is set. A provider that does not answer keeps it valid until it expires.",
  effect: "write",
  permission: issue,
  params: byIntegration,
  errorCodes: ["not_found"],
});

/** Start an authorization. */
export const initiateUserOAuthToken = defineOperation({
  ...common,
  id: "initiateUserOAuthToken",
  method: "POST",
  path: `${tokens}/{integrationId}/initiate`,
  summary: "Start the authorization of an integration",
  description: `Returns the URL at which the user approves the access (authorization code with PKCE). The provider sends the user to \`redirectUri\` with a code and a state, which complete the authorization within ${limits.oauthStateMs / 60_000} minutes.`,
  effect: "write",
  permission: issue,
  params: byIntegration,
  answer: strictObject({
    authorizationUrl: Type.String({
      description: "URL to open in the user's browser. This value is a secret.",
    }),
  }),
  errorCodes: ["not_found"],
});

/** Complete an authorization. */
export const completeUserOAuthToken = defineOperation({
  ...common,
  source: "proposed",
  id: "completeUserOAuthToken",
  method: "POST",
  path: `${tokens}/{integrationId}/complete`,
  summary: "Complete the authorization of an integration",
  description:
    "Exchanges the code of the provider for a token. Only the user who started the authorization can complete it, once.",
  effect: "write",
  permission: issue,
  params: byIntegration,
  body: strictObject({
    code: Type.String({ minLength: 1, maxLength: 4096, description: "Code of the provider." }),
    state: Type.String({
      minLength: 1,
      maxLength: 255,
      description: "State of the provider's answer.",
    }),
  }),
  answer: userToken,
  errorCodes: ["not_found", "conflict", "unavailable"],
});

/** Get an access token. */
export const issueUserOAuthToken = defineOperation({
  ...common,
  source: "proposed",
  id: "issueUserOAuthToken",
  method: "POST",
  repeatable: true,
  path: `${tokens}/{integrationId}/token`,
  summary: "Get an access token of an integration",
  description:
    "Returns the access token of the current user, and refreshes it first if it is about to expire.",
  effect: "write",
  permission: issue,
  params: byIntegration,
  answer: strictObject({
    accessToken: Type.String({ description: "The access token. This value is a secret." }),
    expiresAt: Type.Optional(
      Type.String({ format: "date-time", description: "When it expires, in UTC." }),
    ),
  }),
  errorCodes: ["not_found", "conflict", "unavailable"],
});
