// Operations on workload trusts: which OIDC tokens of CI systems are exchanged for short-lived tokens, and the
// permissions of those tokens.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import type { MemberRule } from "../core/schema/member-rules.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { claimNamePattern } from "../core/text/text-patterns.ts";
import { field, optionalForClient } from "../core/schema/traits.ts";
import { credentialScope, IsDisabled } from "./api-keys.ts";
import { PermissionActions, StateAccessList } from "./permission-schemas.ts";
import { httpUrl, Id, Name, nullish, strictObject, Timestamp } from "./schemas.ts";

const common = { area: "workload-trusts", source: "proposed" } as const;
const base = "/api/v1/workload-trusts";
const byId = strictObject({ id: Id });
const read = { action: "ApiKeysRead", scope: "account" } as const;
const manage = { action: "ApiKeysManage", scope: "account" } as const;

/** A claim that a token must have. */
export const WorkloadClaim = strictObject({
  name: Type.String({
    maxLength: 128,
    pattern: claimNamePattern,
    description: "Name of a claim, such as `repository_id`.",
  }),
  value: Type.String({
    minLength: 1,
    maxLength: 1000,
    description: "Value of the claim, in which `*` matches any text; exact for `sub`.",
  }),
});

/** The members of a trust that a request sets, without those that limit its tokens. */
export const workloadTrustFields = {
  issuer: httpUrl("Issuer of the tokens: their claim `iss`, exactly."),
  jwksUri: httpUrl("URL of the issuer's keys. Defaults to the one that the issuer publishes."),
  audience: Type.String({
    minLength: 1,
    maxLength: 1000,
    description: "Audience of the tokens: their claim `aud`, exactly.",
  }),
  claims: Type.Array(WorkloadClaim, {
    minItems: 1,
    maxItems: limits.workloadClaims,
    description: "Claims that a token must have, all of them.",
  }),
  isReusable: Type.Boolean({
    description: "Whether a token can be exchanged more than once. Defaults to `false`.",
  }),
  tokenSeconds: Type.Integer({
    minimum: limits.workloadTokenSecondsMin,
    maximum: limits.accessTokenSeconds,
    description: `Lifetime of the tokens that are issued, in seconds. Defaults to ${limits.workloadTokenSeconds}.`,
  }),
};

const { issuer, jwksUri, audience, claims, isReusable, tokenSeconds } = workloadTrustFields;

const trust = strictObject({
  id: Id,
  name: Type.String(),
  issuer: Type.String({ description: "Issuer of the tokens." }),
  jwksUri: Type.Optional(Type.String({ description: "URL of the issuer's keys." })),
  audience: Type.String({ description: "Audience of the tokens." }),
  claims,
  isReusable,
  tokenSeconds,
  ownerUserId: field(Id, { doc: "ID of the user whose permissions the tokens have." }),
  deploymentIds: optionalForClient(Type.Union([Type.Array(Id), Type.Null()])),
  permissions: optionalForClient(Type.Union([PermissionActions, Type.Null()])),
  states: optionalForClient(Type.Union([StateAccessList, Type.Null()])),
  isDisabled: IsDisabled,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

/**
 * Issuers that serve everyone, and the claims that name one of their customers. Without one of these, everyone with a
 * repository there would be trusted.
 */
const publicIssuers: Readonly<Record<string, readonly string[]>> = {
  "https://token.actions.githubusercontent.com": [
    "sub",
    "repository_id",
    "repository_owner_id",
    "repository",
  ],
  "https://gitlab.com": ["sub", "project_id", "namespace_id", "project_path"],
  "https://agent.buildkite.com": ["sub", "organization_id", "organization_slug", "pipeline_id"],
  "https://app.terraform.io": ["sub", "terraform_organization_id", "terraform_workspace_id"],
  "https://oidc.codefresh.io": ["sub", "account_id"],
  "https://accounts.google.com": ["sub"],
};

/** A value that matches only itself. */
const exactValue = "^[^*]*$";

/** The rules against tokens of other subjects. */
export const workloadTrustRules: readonly MemberRule<"issuer" | "claims">[] = [
  { distinct: ["claims", "name"], message: "must list each claim once" },
  {
    each: ["claims", { value: exactValue }],
    of: { name: "^sub$" },
    at: "claims",
    message:
      "must not have `*` in `sub`, because a subject has several parts; use other claims for patterns",
  },
  {
    each: ["claims", { value: "[^*]" }],
    at: "claims",
    message: "must not have a claim with any value, such as `*`; leave it out",
  },
  {
    contains: ["claims", { value: exactValue }],
    at: "claims",
    message: "must have at least one claim with a value without `*`",
  },
  ...Object.entries(publicIssuers).map(([url, names]) => ({
    when: { issuer: `^${url.replaceAll(".", "\\.")}/?$` },
    contains: ["claims", { name: `^(?:${names.join("|")})$`, value: exactValue }] as const,
    at: "claims" as const,
    message: `must require one of ${names.join(", ")} exactly, because everyone can get tokens of ${url}`,
  })),
];

const rules =
  "At least one claim has an exact value, and one that names the repository or project if the issuer serves everyone. Returns 403 if the tokens would have more permissions than the caller's.";

/** List workload trusts. */
export const listWorkloadTrusts = defineOperation({
  ...common,
  id: "listWorkloadTrusts",
  method: "GET",
  path: base,
  summary: "List workload trusts",
  description: "Returns workload trusts, newest first.",
  effect: "read",
  permission: read,
  answer: trust,
  list: "cursor",
});

/** Create a workload trust. */
export const createWorkloadTrust = defineOperation({
  ...common,
  id: "createWorkloadTrust",
  method: "POST",
  path: base,
  summary: "Create a workload trust",
  description: `A pipeline exchanges an OIDC token of its CI system for a token of this API at the token endpoint (RFC 8693). The token has the permissions of the caller, or of the user in \`ownerUserId\`, within the limits. Returns 409 when the name is already in use. ${rules}`,
  effect: "write",
  permission: manage,
  body: strictObject(
    {
      name: Name,
      issuer,
      jwksUri: nullish(jwksUri),
      audience,
      claims,
      isReusable: nullish(isReusable),
      tokenSeconds: nullish(tokenSeconds),
      ownerUserId: nullish(Id),
      ...credentialScope,
    },
    { rules: workloadTrustRules },
  ),
  answer: trust,
  errorCodes: ["conflict", "limit_reached"],
});

/** Get a workload trust. */
export const getWorkloadTrust = defineOperation({
  ...common,
  id: "getWorkloadTrust",
  method: "GET",
  path: `${base}/{id}`,
  summary: "Get a workload trust",
  description: "Returns one workload trust.",
  effect: "read",
  permission: read,
  params: byId,
  answer: trust,
  errorCodes: ["not_found"],
});

/** Update a workload trust. */
export const updateWorkloadTrust = defineOperation({
  ...common,
  id: "updateWorkloadTrust",
  method: "PATCH",
  path: `${base}/{id}`,
  summary: "Update a workload trust",
  description: `Omitted members are kept; lists are replaced, and \`null\` restores the default. Tokens that were issued end. ${rules}`,
  effect: "write",
  permission: manage,
  params: byId,
  body: strictObject({
    name: Type.Optional(Name),
    issuer: Type.Optional(issuer),
    jwksUri: nullish(jwksUri),
    audience: Type.Optional(audience),
    claims: Type.Optional(claims),
    isReusable: nullish(isReusable),
    tokenSeconds: nullish(tokenSeconds),
    ...credentialScope,
  }),
  answer: trust,
  errorCodes: ["not_found", "conflict"],
});

/** Delete a workload trust. */
export const deleteWorkloadTrust = defineOperation({
  ...common,
  id: "deleteWorkloadTrust",
  method: "DELETE",
  path: `${base}/{id}`,
  summary: "Delete a workload trust",
  description: "Deletes the trust. Tokens that were issued end.",
  effect: "write",
  permission: manage,
  params: byId,
  errorCodes: ["not_found"],
});
