// ScimIntegration: an identity provider that provisions users and groups with its own token.
import { type Static, Type } from "typebox";
import { Id, Timestamp } from "../api/schemas.ts";
import {
  createScimIntegration,
  deleteScimIntegration,
  getScimIntegration,
  listScimIntegrations,
  scimIntegrationFields,
  updateScimIntegration,
} from "../api/scim-integrations.ts";
import { defineKind, type ObservedObject } from "../core/kind/kind.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { shellQuote } from "../core/text/shell-quote.ts";
import { field } from "../core/schema/traits.ts";
import { changedFields, definedMembers, idOf } from "./codec.ts";
import { textOf } from "./field-text.ts";
import { statusSchema } from "./status-schema.ts";
import { observeCollection } from "./observe-collection.ts";

const { name, providerType, isEnabled, defaultRoles } = scimIntegrationFields;

const spec = Type.Object({
  name: field(name, { doc: "Name, unique in the account." }),
  providerType: Type.Optional(
    field(
      { ...providerType, default: "generic" },
      {
        doc: "Identity provider: `entra` is Microsoft Entra ID, `generic` any other. It decides which `baseUrl` to enter there.",
        whenOmitted: "default",
      },
    ),
  ),
  isEnabled: Type.Optional(
    field(
      { ...isEnabled, default: true },
      {
        doc: "Whether the token is accepted. While it is not, stacks and other clients can change what the integration provisioned.",
        whenOmitted: "default",
      },
    ),
  ),
  defaultRoles: Type.Optional(
    field(defaultRoles, {
      doc: "Roles of the users that the integration creates. Defaults to AIBIViewer. Users who exist keep theirs.",
      order: "set",
      whenOmitted: "clear",
    }),
  ),
});

type Spec = Static<typeof spec>;

function counted(doc: string) {
  return field(Type.Integer({ minimum: 0 }), { doc, volatile: true });
}

/** The ScimIntegration resource type. Its token stays when it changes; `svc scim-integrations rotate-token` replaces it. */
export const scimIntegration = defineKind(
  {
    name: "ScimIntegration",
    plural: "scim-integrations",
    doc: "An identity provider that provisions users and groups through SCIM. It manages what it writes: a plan refuses to change that. SCIM works where TenantSettings enables it.",
    shape: "item",
    key: ["name"],
    scope: [],
    spec,
    status: statusSchema({
      id: Id,
      baseUrl: Type.String({ description: "Address to enter at the identity provider." }),
      userCount: counted("Users that the integration manages."),
      groupCount: counted("Groups that the integration manages."),
      lastRequestAt: Type.Optional(
        field(Timestamp, {
          doc: "When the identity provider sent a request last, to the minute.",
          volatile: true,
        }),
      ),
      tokenPrefix: field(Type.String(), {
        doc: "First characters of the token.",
        volatile: true,
      }),
      createdAt: Timestamp,
    }),
    generatedSecret: {
      name: "token",
      doc: "The token: `scim-` followed by 43 characters.",
      rotation: ({ name: of }) => `svc scim-integrations rotate-token ${shellQuote(textOf(of))}`,
      prefixField: "tokenPrefix",
      length: "scim-".length + 43,
    },
    examples: [
      {
        title: "The employees of a company",
        name: "entra",
        spec: { name: "entra", providerType: "entra", defaultRoles: ["AIBIUser"] },
        variations: {
          name: "workforce",
          providerType: "okta",
          isEnabled: false,
          defaultRoles: ["AIBIViewer", "Developer"],
        },
      },
    ],
  },
  (bind) => ({
    observe: observeCollection(listScimIntegrations, getScimIntegration, toObserved),
    create: [
      bind.perObject(createScimIntegration, ({ spec: body }) => ({ body }), {
        extractSecret: ({ token }) => token,
        refusesExisting: true,
      }),
    ],
    update: [
      bind.perObject(updateScimIntegration, (subject) => ({
        params: { id: idOf(subject) },
        body: {
          ...definedMembers(changedFields(subject, ["name"])),
          ...changedFields(subject, ["providerType", "isEnabled", "defaultRoles"]),
        },
      })),
    ],
    delete: [
      bind.perObject(deleteScimIntegration, (subject) => ({ params: { id: idOf(subject) } })),
    ],
  }),
);

function toObserved(item: AnswerOf<typeof listScimIntegrations>): ObservedObject<Spec> {
  const { id, name: named, providerType: type, isEnabled: enabled, defaultRoles: roles } = item;
  const { baseUrl, userCount, groupCount, lastRequestAt, tokenPrefix, createdAt } = item;
  return {
    id: String(id),
    spec: {
      name: named,
      providerType: type,
      isEnabled: enabled,
      ...definedMembers({ defaultRoles: roles }),
    },
    status: definedMembers({
      id,
      baseUrl,
      userCount,
      groupCount,
      lastRequestAt,
      tokenPrefix,
      createdAt,
    }),
  };
}
