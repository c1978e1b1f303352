// OAuthClient: a program to which users of the account give access.
import { type Static, Type } from "typebox";
import {
  createOAuthClient,
  deleteOAuthClient,
  getOAuthClient,
  listOAuthClients,
  oauthClientFields,
  OAuthClientSecret,
  updateOAuthClient,
} from "../api/oauth-clients.ts";
import { Id, Timestamp } from "../api/schemas.ts";
import { defineKind, type ObservedObject } from "../core/kind/kind.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { field, traitsOf } from "../core/schema/traits.ts";
import { changedFields, definedMembers, idOf } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";
import { observeCollection } from "./observe-collection.ts";

const { clientId, name, redirectUris, scopes } = oauthClientFields;

const spec = Type.Object({
  clientId: field(clientId, {
    doc: "ID that the client sends, unique in the account.",
    onChange: "replace",
  }),
  name: field(name, { doc: traitsOf(name).doc }),
  clientSecret: Type.Optional(OAuthClientSecret),
  redirectUris: Type.Optional(
    field(
      { ...redirectUris, default: [] },
      {
        doc: "Addresses to which users return with a code: https, or http on 127.0.0.1, where any port matches. Needed unless the client allows devices.",
        order: "set",
        whenOmitted: "default",
      },
    ),
  ),
  allowsDevices: Type.Optional(
    field(Type.Boolean({ default: false }), {
      doc: "Whether the client may ask for a code that the user enters elsewhere.",
      whenOmitted: "default",
    }),
  ),
  scopes: Type.Optional(
    field(scopes, {
      doc: "Scopes that the client may ask for: permission actions. `null` means all rights of the user.",
      order: "set",
      whenRemoved: "refuse",
    }),
  ),
});

type Spec = Static<typeof spec>;

/** The OAuthClient resource type. A change other than of the name ends the tokens of the client. */
export const oauthClient = defineKind(
  {
    name: "OAuthClient",
    plural: "oauth-clients",
    doc: "A program that gets tokens of the users who approve it, by authorization codes with PKCE or device codes.",
    shape: "item",
    key: ["clientId"],
    scope: [],
    spec,
    status: statusSchema({
      id: Id,
      isConfidential: Type.Boolean({ description: "Whether the client has a secret." }),
      createdAt: Timestamp,
    }),
    examples: [
      {
        title: "A portal that reads reports",
        name: "portal",
        spec: {
          clientId: "portal",
          name: "Company portal",
          clientSecret: "0123456789abcdef0123456789abcdef",
          redirectUris: ["https://portal.acme.example.com/callback"],
          scopes: ["ReportRead"],
        },
        variations: {
          clientId: "intranet",
          name: "Intranet",
          clientSecret: "fedcba9876543210fedcba9876543210",
          redirectUris: ["https://intranet.acme.example.com/callback"],
          allowsDevices: true,
          scopes: ["ReportRead", "WorkbookRead"],
        },
      },
    ],
  },
  (bind) => ({
    observe: observeCollection(listOAuthClients, getOAuthClient, toObserved),
    create: [
      bind.perObject(createOAuthClient, ({ spec: body }) => ({ body }), { refusesExisting: true }),
    ],
    update: [
      bind.perObject(updateOAuthClient, (subject) => ({
        params: { id: idOf(subject) },
        body: {
          ...(subject.changed.has("name") && { name: subject.spec.name }),
          ...changedFields(subject, ["clientSecret", "redirectUris", "allowsDevices", "scopes"]),
        },
      })),
    ],
    delete: [bind.perObject(deleteOAuthClient, (subject) => ({ params: { id: idOf(subject) } }))],
  }),
);

function toObserved(client: AnswerOf<typeof listOAuthClients>): ObservedObject<Spec> {
  const { id, isConfidential, createdAt, updatedAt: _, scopes: allowed, ...settings } = client;
  return {
    id: String(id),
    spec: { ...settings, ...definedMembers({ scopes: allowed }) },
    status: { id, isConfidential, createdAt },
  };
}
