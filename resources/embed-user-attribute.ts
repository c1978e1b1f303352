// EmbedUserAttribute: an attribute definition in an embed tenant. The API makes and changes it only as a definition of a session.
import { Type } from "typebox";
import { generateSession } from "../api/embed.ts";
import {
  deleteEmbedTenantUserAttribute,
  listEmbedTenantUserAttributes,
} from "../api/embed-tenants.ts";
import { defaultValuePatterns, embedAttributeTypes, Id, Name } from "../api/schemas.ts";
import { defineKind, defineObserve } from "../core/kind.ts";
import { field, oneOf } from "../core/traits.ts";
import {
  embedTenantField,
  definitionSession,
  idOf,
  batchByTenant,
  definedMembers,
} from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

/** Written as definitions of one creator-mode session a tenant; its type changes only by replacement. */
export const embedUserAttribute = defineKind(
  {
    name: "EmbedUserAttribute",
    plural: "embed-user-attributes",
    doc: "An attribute that external users of one embed tenant can have a value of. It is written through a creator-mode session, so the account's `useCreatorMode` flag must be on.",
    shape: "item",
    key: ["embedTenant", "name"],
    scope: ["embedTenant"],
    spec: Type.Object({
      embedTenant: embedTenantField,
      name: field(Name, { doc: "Name, unique in the tenant.", onChange: "replace" }),
      type: field(oneOf(embedAttributeTypes), {
        doc: "Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one.",
        onChange: "replace",
      }),
      displayName: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 255 }), {
          doc: "Name that people see.",
          neverCleared: true,
        }),
      ),
      defaultValue: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 10_000 }), {
          doc: "Value, written as text, of users who have none.",
          patternBy: { field: "type", patterns: defaultValuePatterns },
          neverCleared: true,
        }),
      ),
      description: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 500 }), {
          doc: "What it is for.",
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
  (way) => {
    const define = way.batched(generateSession, batchByTenant, (subjects, deploymentId) => ({
      body: {
        ...definitionSession(subjects[0].spec.embedTenant, deploymentId),
        userAttributeDefinitions: subjects.map(({ spec: { embedTenant: _, ...rest } }) => rest),
      },
    }));
    return {
      observe: defineObserve({
        cost: "perParent",
        needs: [listEmbedTenantUserAttributes],
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
        way.perObject(deleteEmbedTenantUserAttribute, (subject) => ({
          params: { embedTenantName: subject.spec.embedTenant, id: idOf(subject) },
        })),
      ],
    };
  },
);
