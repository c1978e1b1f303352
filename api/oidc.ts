// Operations on OIDC token configurations, and the documents that verifiers of these tokens read.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import {
  environmentVariablePattern,
  oidcConfigNamePattern,
  oidcSubjectPattern,
} from "../core/text/text-patterns.ts";
import { field, oneOf, recordedOnly } from "../core/schema/traits.ts";
import { recordedBecause } from "./recorded-because.ts";
import { Id, nullish, signedToken, strictObject, Timestamp } from "./schemas.ts";

const common = { area: "oidc", source: "public" } as const;
const base = "/api/v1/oidc-token-configs";
const byId = strictObject({ id: Id });
const read = { action: "TenantSettingsRead", scope: "account" } as const;
const manage = { action: "TenantSettingsManage", scope: "account" } as const;

/** Types of audiences. An account has at most one configuration for each cloud, and any number of others. */
export const audienceTypes = ["AWS", "GCP", "Azure", "Custom"] as const;

/** Parts of the platform that a token can be for. */
export const oidcComponents = ["svc_api", "svc_store", "ai_engineer", "global"] as const;

const CustomClaims = Type.Record(Type.String({ maxLength: 128 }), Type.Unknown(), {
  maxProperties: 50,
  description:
    "Additional claims. Registered claims, and those that start with `svc`, cannot be set.",
});

/** The members of a configuration that a request can set. */
export const oidcSettings = {
  customAudience: Type.String({
    minLength: 1,
    maxLength: 255,
    description: "Audience of the tokens, in place of the cloud's default. `Custom` requires it.",
  }),
  name: Type.String({
    maxLength: 100,
    pattern: oidcConfigNamePattern,
    description:
      "Name, unique in the account: lowercase letters, digits and hyphens. Defaults to that of the audience type, with a number if it is taken.",
  }),
  subFormat: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: oidcSubjectPattern,
    description:
      "Subject of the tokens, with `{deployment_id}`, `{component}` and `{region}`. Defaults to `svc:deployment:{deployment_id}`.",
  }),
  targetEnvVar: field(
    recordedOnly(
      Type.String({ maxLength: 128, pattern: environmentVariablePattern }),
      recordedBecause.tokenFiles,
    ),
    { doc: "Environment variable that names the token's file." },
  ),
  customClaims: CustomClaims,
  isEnabled: Type.Boolean({ description: "Whether tokens are issued." }),
};

const AudienceType = oneOf(audienceTypes);
const settings = {
  customAudience: nullish(oidcSettings.customAudience),
  name: nullish(oidcSettings.name),
  subFormat: nullish(oidcSettings.subFormat),
  targetEnvVar: nullish(oidcSettings.targetEnvVar),
  customClaims: nullish(oidcSettings.customClaims),
  isEnabled: nullish(oidcSettings.isEnabled),
};

const config = strictObject({
  id: Id,
  audienceType: AudienceType,
  audience: Type.String({ description: "Audience of the tokens." }),
  name: Type.String(),
  subFormat: Type.Optional(Type.String({ description: "Subject of the tokens." })),
  targetEnvVar: Type.Optional(
    Type.String({ description: "Environment variable that names the token's file." }),
  ),
  customClaims: Type.Optional(CustomClaims),
  isEnabled: oidcSettings.isEnabled,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

/** List OIDC token configurations. */
export const listOidcTokenConfigs = defineOperation({
  ...common,
  id: "listOidcTokenConfigs",
  method: "GET",
  path: base,
  summary: "List OIDC token configurations",
  description: "Returns all configurations. Returns 404 while OIDC is disabled for the account.",
  effect: "read",
  permission: read,
  answer: config,
  list: "array",
  errorCodes: ["not_found"],
});

/** Create an OIDC token configuration. */
export const createOidcTokenConfig = defineOperation({
  ...common,
  id: "createOidcTokenConfig",
  method: "POST",
  path: base,
  summary: "Create an OIDC token configuration",
  description: `\`AWS\`, \`GCP\` and \`Azure\` have one configuration each; \`Custom\` has up to ${limits.oidcConfigs}.`,
  effect: "write",
  permission: manage,
  body: strictObject(
    { audienceType: AudienceType, ...settings },
    {
      rules: [
        {
          when: { audienceType: "^Custom$" },
          given: "customAudience",
          at: "customAudience",
          message: "is required by the audience type Custom",
        },
      ],
    },
  ),
  answer: config,
  errorCodes: ["not_found", "conflict", "limit_reached"],
});

/** Get an OIDC token configuration. */
export const getOidcTokenConfig = defineOperation({
  ...common,
  id: "getOidcTokenConfig",
  method: "GET",
  path: `${base}/{id}`,
  summary: "Get an OIDC token configuration",
  description: "Returns one configuration.",
  effect: "read",
  permission: read,
  params: byId,
  answer: config,
  errorCodes: ["not_found"],
});

/** Update an OIDC token configuration. */
export const updateOidcTokenConfig = defineOperation({
  ...common,
  id: "updateOidcTokenConfig",
  method: "PUT",
  path: `${base}/{id}`,
  summary: "Update an OIDC token configuration",
  description:
    "Omitted members keep their value, and `null` restores the default. The audience type cannot be changed.",
  effect: "write",
  permission: manage,
  params: byId,
  body: strictObject(settings),
  answer: config,
  errorCodes: ["not_found", "conflict"],
});

/** Delete an OIDC token configuration. */
export const deleteOidcTokenConfig = defineOperation({
  ...common,
  id: "deleteOidcTokenConfig",
  method: "DELETE",
  path: `${base}/{id}`,
  summary: "Delete an OIDC token configuration",
  description: "No more tokens are issued. Those that were issued stay valid until they expire.",
  effect: "write",
  permission: manage,
  params: byId,
  errorCodes: ["not_found"],
});

/** Issue a token. */
export const issueOidcToken = defineOperation({
  ...common,
  source: "proposed",
  id: "issueOidcToken",
  method: "POST",
  repeatable: true,
  path: `${base}/{id}/token`,
  summary: "Issue an OIDC token for a deployment",
  description: `Returns a token signed by the account's key (RS256), valid for ${limits.oidcTokenSeconds} seconds. A token of the component \`global\`, or with a subject that does not name the deployment, needs the permission for the whole account.`,
  effect: "write",
  permission: { action: "SecretsManage", scope: { deployment: "body.deploymentId" } },
  params: byId,
  body: strictObject({
    deploymentId: Id,
    component: nullish(oneOf(oidcComponents)),
  }),
  answer: strictObject({
    token: signedToken({ description: "The token. This value is a secret." }),
    expiresIn: Type.Integer({ description: "Lifetime in seconds." }),
  }),
  errorCodes: ["not_found", "conflict"],
});

const Text = (description: string) => Type.String({ description });
const Texts = (description: string) => Type.Array(Type.String(), { description });

/** Discover the issuer. */
export const getOidcDiscovery = defineOperation({
  ...common,
  id: "getOidcDiscovery",
  method: "GET",
  path: "/.well-known/openid-configuration",
  summary: "Discover the issuer of OIDC tokens",
  description: "Returns 404 while OIDC is disabled for the account.",
  effect: "read",
  permission: "public",
  answer: strictObject({
    issuer: Text("URL of the account."),
    jwks_uri: Text("URL of the keys."),
    response_types_supported: Texts("Supported response types."),
    subject_types_supported: Texts("Supported types of subjects."),
    id_token_signing_alg_values_supported: Texts("Algorithms of the signatures."),
    claims_supported: Texts("Claims of the tokens."),
  }),
  errorCodes: ["not_found"],
});

/** Get the keys that verify OIDC tokens. */
export const getOidcKeys = defineOperation({
  ...common,
  id: "getOidcKeys",
  method: "GET",
  path: "/.well-known/jwks.json",
  summary: "Get the keys that verify OIDC tokens",
  description:
    "Returns the public keys as a JSON Web Key Set: the current one, and retired ones whose tokens are still valid.",
  effect: "read",
  permission: "public",
  answer: strictObject({
    keys: Type.Array(
      strictObject({
        kty: Text("Type of the key."),
        kid: Text("ID of the key."),
        use: Text("Use of the key."),
        alg: Text("Algorithm of the signatures."),
        n: Text("Modulus."),
        e: Text("Exponent."),
      }),
      { description: "Public keys." },
    ),
  }),
  errorCodes: ["not_found"],
});
