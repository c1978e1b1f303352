// Operations on identity providers: where the account's users sign in with OpenID Connect.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import {
  hostNamePattern,
  oidcConfigNamePattern,
  trimmedPattern,
} from "../core/text/text-patterns.ts";
import { field } from "../core/schema/traits.ts";
import { httpUrl, Id, nullish, strictObject, Timestamp } from "./schemas.ts";
import { WorkloadClaim } from "./workload-trusts.ts";

const common = { area: "identity-providers", source: "proposed" } as const;
const base = "/api/v1/identity-providers";
const byId = strictObject({ id: Id });
const read = { action: "TenantSettingsRead", scope: "account" } as const;
const manage = { action: "TenantSettingsManage", scope: "account" } as const;

/** The members of an identity provider that a request sets, without the secret. */
export const identityProviderFields = {
  name: Type.String({
    maxLength: 100,
    pattern: oidcConfigNamePattern,
    description: "Name, unique in the account, and part of the redirect URI.",
  }),
  displayName: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: trimmedPattern,
    description: "Name on the sign-in page. Defaults to `name`.",
  }),
  issuer: httpUrl("Issuer, exactly as the provider publishes it."),
  clientId: Type.String({
    minLength: 1,
    maxLength: 255,
    description: "ID of the client at the provider.",
  }),
  emailDomains: Type.Array(Type.String({ maxLength: 253, pattern: hostNamePattern }), {
    minItems: 1,
    maxItems: limits.identityProviderDomains,
    description: "Domains of the emails that the provider signs in. Defaults to all.",
  }),
  claims: Type.Array(WorkloadClaim, {
    maxItems: limits.workloadClaims,
    description:
      "Claims that a user must have, all of them: those of the ID token, and of the user information where the token lacks them. Defaults to none.",
  }),
};

/** The secret of the client at the provider. */
export const IdentityProviderSecret = field(Type.String({ minLength: 1, maxLength: 1000 }), {
  doc: "Secret of the client at the provider. It is stored encrypted and never returned.",
  sensitive: true,
  writeOnly: true,
});

const { name, displayName, issuer, clientId, emailDomains, claims } = identityProviderFields;

const provider = strictObject({
  id: Id,
  name: Type.String(),
  displayName: Type.Optional(Type.String()),
  issuer: Type.String({ description: "Issuer of the ID tokens." }),
  clientId: Type.String({ description: "ID of the client at the provider." }),
  emailDomains: Type.Optional(emailDomains),
  claims,
  redirectUri: Type.String({ description: "Redirect URI to register at the provider." }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const rules =
  "Whoever decides where users sign in can sign in as any of them, so a credential with limits gets 403.";

/** List identity providers. */
export const listIdentityProviders = defineOperation({
  ...common,
  id: "listIdentityProviders",
  method: "GET",
  path: base,
  summary: "List identity providers",
  description: "Returns all identity providers, without their secrets.",
  effect: "read",
  permission: read,
  answer: provider,
  list: "array",
});

/** Create an identity provider. */
export const createIdentityProvider = defineOperation({
  ...common,
  id: "createIdentityProvider",
  method: "POST",
  path: base,
  summary: "Create an identity provider",
  description: `The sign-in page offers the provider. It signs in active users of the account by their verified email, and creates none. Returns 409 when the name is already in use. ${rules}`,
  effect: "write",
  permission: manage,
  body: strictObject({
    name,
    displayName: nullish(displayName),
    issuer,
    clientId,
    clientSecret: IdentityProviderSecret,
    emailDomains: nullish(emailDomains),
    claims: nullish(claims),
  }),
  answer: provider,
  errorCodes: ["conflict", "limit_reached"],
});

/** Get an identity provider. */
export const getIdentityProvider = defineOperation({
  ...common,
  id: "getIdentityProvider",
  method: "GET",
  path: `${base}/{id}`,
  summary: "Get an identity provider",
  description: "Returns one identity provider, without its secret.",
  effect: "read",
  permission: read,
  params: byId,
  answer: provider,
  errorCodes: ["not_found"],
});

/** Update an identity provider. */
export const updateIdentityProvider = defineOperation({
  ...common,
  id: "updateIdentityProvider",
  method: "PATCH",
  path: `${base}/{id}`,
  summary: "Update an identity provider",
  description: `Omitted members do not change; \`null\` restores the default. A change other than of \`displayName\` ends the browser sessions of those who signed in at the provider, and the tokens that they approved. A new \`issuer\` needs \`clientSecret\`, because the stored secret is never sent to another one. ${rules}`,
  effect: "write",
  permission: manage,
  params: byId,
  body: strictObject({
    name: Type.Optional(name),
    displayName: nullish(displayName),
    issuer: Type.Optional(issuer),
    clientId: Type.Optional(clientId),
    clientSecret: Type.Optional(IdentityProviderSecret),
    emailDomains: nullish(emailDomains),
    claims: nullish(claims),
  }),
  answer: provider,
  errorCodes: ["not_found", "conflict"],
});

/** Delete an identity provider. */
export const deleteIdentityProvider = defineOperation({
  ...common,
  id: "deleteIdentityProvider",
  method: "DELETE",
  path: `${base}/{id}`,
  summary: "Delete an identity provider",
  description: `Deletes the provider. The browser sessions of those who signed in there end, and so do the tokens that they approved. ${rules}`,
  effect: "write",
  permission: manage,
  params: byId,
  errorCodes: ["not_found"],
});
