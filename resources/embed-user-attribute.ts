// EmbedUserAttribute: an attribute definition in an embed tenant. The API creates and updates it only through sessions.
import { Type } from "typebox";
import { generateSession } from "../api/embed.ts";
import {
  deleteEmbedTenantUserAttribute,
  listEmbedTenantUserAttributes,
} from "../api/embed-tenants.ts";
import { defaultValuePatterns, embedAttributeTypes, Id, Name } from "../api/schemas.ts";
import { defineKind, defineObserve } from "../core/kind/kind.ts";
import { field, oneOf } from "../core/schema/traits.ts";
import {
  embedTenantField,
  definitionSession,
  idOf,
  batchByTenant,
  definedMembers,
} from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

/** The EmbedUserAttribute resource type. Attributes are written through one creator-mode session per tenant. */
export const embedUserAttribute = defineKind(
  {
    name: "EmbedUserAttribute",
    plural: "embed-user-attributes",
    recordedAs: "user-attributes",
    doc: "An attribute of the external users of an embed tenant. It is written through a creator-mode session, so the account's `useCreatorMode` setting must be on.",
    shape: "item",
    key: ["embedTenant", "name"],
    scope: ["embedTenant"],
    spec: Type.Object({
      embedTenant: embedTenantField,
      name: field(Name, { doc: "Name, unique in the embed tenant.", onChange: "replace" }),
      type: field(oneOf(embedAttributeTypes), {
        doc: "Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values.",
        onChange: "replace",
      }),
      displayName: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 255 }), {
          doc: "Display name.",
          neverCleared: true,
        }),
      ),
      defaultValue: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 10_000 }), {
          doc: "Default value, as text, for users without a value.",
          patternBy: { field: "type", patterns: defaultValuePatterns },
          neverCleared: true,
        }),
      ),
      description: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 500 }), {
          doc: "Description.",
          neverCleared: true,
        }),
      ),
    }),
    status: statusSchema({ id: Id }),
    examples: [
      {
        title: "The store that a viewer works in",
        name: "acme-store",
        spec: {
          embedTenant: "acme",
          name: "store",
          type: "string",
          displayName: "Store",
          defaultValue: "none",
          description: "Store that a viewer works in.",
        },
        variations: {
          name: "branch-store",
          type: "string_array",
          displayName: "Stores",
          defaultValue: "all",
          description: "Every store that a viewer works in.",
        },
      },
    ],
  },
  (bind) => {
    const define = bind.batched(generateSession, batchByTenant, (subjects, deploymentId) => ({
      body: {
        ...definitionSession(subjects[0].spec.embedTenant, deploymentId),
        userAttributeDefinitions: subjects.map(({ spec: { embedTenant: _, ...rest } }) => rest),
      },
    }));
    return {
      observe: defineObserve({
        cost: "perParent",
        needs: [listEmbedTenantUserAttributes],
        items: listEmbedTenantUserAttributes,
        read: async (reader, scope) => {
          const embedTenant = scope["embedTenant"] ?? "";
          const items = await reader.all(listEmbedTenantUserAttributes, {
            params: { embedTenantName: embedTenant },
          });
          return items.map(({ id, ...spec }) => ({
            id: String(id),
            spec: definedMembers({ embedTenant, ...spec }),
            status: { id },
          }));
        },
      }),
      create: [define],
      update: [define],
      delete: [
        bind.perObject(deleteEmbedTenantUserAttribute, (subject) => ({
          params: { embedTenantName: subject.spec.embedTenant, id: idOf(subject) },
        })),
      ],
    };
  },
);
