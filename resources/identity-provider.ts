// IdentityProvider: where users of the account sign in with OpenID Connect.
import { type Static, Type } from "typebox";
import {
  createIdentityProvider,
  deleteIdentityProvider,
  getIdentityProvider,
  identityProviderFields,
  IdentityProviderSecret,
  listIdentityProviders,
  updateIdentityProvider,
} from "../api/identity-providers.ts";
import { Id, Timestamp } from "../api/schemas.ts";
import { defineKind, type ObservedObject } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { field } from "../core/schema/traits.ts";
import { changedFields, definedMembers, idOf } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";
import { requiredClaim } from "./workload-trust.schema.ts";
import { observeCollection } from "./observe-collection.ts";

const { name, displayName, issuer, clientId, emailDomains } = identityProviderFields;

const spec = Type.Object({
  name: field(name, { doc: "Name, unique in the account, and part of the redirect URI." }),
  displayName: Type.Optional(
    field(displayName, {
      doc: "Name on the sign-in page. Defaults to `name`.",
      whenOmitted: "clear",
    }),
  ),
  issuer: field(issuer, { doc: "Issuer, exactly as the provider publishes it." }),
  clientId: field(clientId, { doc: "ID of the client at the provider." }),
  clientSecret: IdentityProviderSecret,
  emailDomains: Type.Optional(
    field(emailDomains, {
      doc: "Domains of the emails that the provider signs in. `null` means all.",
      order: "set",
      whenRemoved: "refuse",
    }),
  ),
  claims: Type.Optional(
    field(Type.Array(requiredClaim, { minItems: 1, maxItems: limits.workloadClaims }), {
      doc: "Claims that a user must have, all of them: those of the ID token, and of the user information where the token lacks them. `null` means none.",
      order: "set",
      whenRemoved: "refuse",
    }),
  ),
});

type Spec = Static<typeof spec>;

/** The IdentityProvider resource type. It signs in existing users, and does not create users. */
export const identityProvider = defineKind(
  {
    name: "IdentityProvider",
    plural: "identity-providers",
    doc: "Where users of the account sign in with OpenID Connect, by their verified email.",
    shape: "item",
    key: ["name"],
    scope: [],
    spec,
    status: statusSchema({
      id: Id,
      redirectUri: Type.String({ description: "Redirect URI to register at the provider." }),
      createdAt: Timestamp,
    }),
    examples: [
      {
        title: "The employees of a company",
        name: "acme",
        spec: {
          name: "acme",
          displayName: "Acme",
          issuer: "https://login.acme.example.com",
          clientId: "analytics",
          clientSecret: "a-secret-of-the-provider",
          emailDomains: ["acme.example.com"],
        },
        variations: {
          name: "acme-sso",
          displayName: "Acme single sign-on",
          issuer: "https://sso.acme.example.com",
          clientId: "reports",
          clientSecret: "another-secret",
          emailDomains: ["acme.example.com", "acme.example.org"],
          claims: [{ name: "groups", value: "analysts" }],
        },
      },
    ],
  },
  (bind) => ({
    observe: observeCollection(listIdentityProviders, getIdentityProvider, toObserved),
    create: [
      bind.perObject(createIdentityProvider, ({ spec: body }) => ({ body }), {
        refusesExisting: true,
      }),
    ],
    update: [
      bind.perObject(updateIdentityProvider, (subject) => {
        const { name: label, issuer: from, clientId: client, clientSecret } = subject.spec;
        const { changed } = subject;
        // The stored secret is not sent to another issuer.
        const sendsSecret = changed.has("clientSecret") || changed.has("issuer");
        return {
          params: { id: idOf(subject) },
          body: {
            ...(changed.has("name") && { name: label }),
            ...(changed.has("issuer") && { issuer: from }),
            ...(changed.has("clientId") && { clientId: client }),
            ...(sendsSecret && definedMembers({ clientSecret })),
            ...changedFields(subject, ["displayName", "emailDomains", "claims"]),
          },
        };
      }),
    ],
    delete: [
      bind.perObject(deleteIdentityProvider, (subject) => ({ params: { id: idOf(subject) } })),
    ],
  }),
);

function toObserved({
  id,
  redirectUri,
  createdAt,
  updatedAt: _,
  claims,
  ...settings
}: AnswerOf<typeof listIdentityProviders>): ObservedObject<Spec> {
  const observed = { ...settings, ...(claims.length > 0 && { claims }) };
  return { id: String(id), spec: observed, status: { id, redirectUri, createdAt } };
}
