// Spec schema of WorkloadTrust.
import { Type, type Static } from "typebox";
import { Name } from "../api/schemas.ts";
import { WorkloadClaim, workloadTrustFields, workloadTrustRules } from "../api/workload-trusts.ts";
import { limits } from "../core/limits/limits.ts";
import { memberRulesKeyword } from "../core/schema/member-rules.ts";
import { field } from "../core/schema/traits.ts";
import { credentialFields } from "./api-key.schema.ts";

const { issuer, jwksUri, audience, tokenSeconds } = workloadTrustFields;

/** A claim that tokens must have. */
export const requiredClaim = field(
  Type.Object(
    {
      name: field(WorkloadClaim.properties.name, {
        doc: "Name of a claim, such as `repository_id`.",
      }),
      value: field(WorkloadClaim.properties.value, {
        doc: "Value of the claim, in which `*` matches any text; exact for `sub`.",
      }),
    },
    { additionalProperties: false },
  ),
  { doc: "A claim that tokens must have.", typeName: "WorkloadClaim" },
);

/** The spec schema. */
export const spec = Type.Object(
  {
    name: field(Name, { doc: "Name of the trust, unique in the account." }),
    issuer: field(issuer, { doc: "Issuer of the tokens: their claim `iss`, exactly." }),
    jwksUri: Type.Optional(
      field(jwksUri, {
        doc: "URL of the issuer's keys. Defaults to the one that the issuer publishes.",
        whenOmitted: "clear",
      }),
    ),
    audience: field(audience, { doc: "Audience of the tokens: their claim `aud`, exactly." }),
    claims: field(Type.Array(requiredClaim, { minItems: 1, maxItems: limits.workloadClaims }), {
      doc: "Claims that a token must have, all of them. At least one has a value without `*`.",
      order: "set",
    }),
    isReusable: Type.Optional(
      field(Type.Boolean({ default: false }), {
        doc: "Whether a token can be exchanged more than once.",
        whenOmitted: "default",
      }),
    ),
    tokenSeconds: Type.Optional(
      field(Type.Integer({ ...tokenSeconds, default: limits.workloadTokenSeconds }), {
        doc: "Lifetime of the tokens that are issued, in seconds.",
        whenOmitted: "default",
      }),
    ),
    ...credentialFields("token", "trust"),
  },
  { [memberRulesKeyword]: workloadTrustRules },
);

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;
