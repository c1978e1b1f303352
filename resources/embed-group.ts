// EmbedGroup: a group in an embed tenant.
import { type Static, Type } from "typebox";
import { generateSession } from "../api/embed.ts";
import {
  createEmbedTenantGroup,
  createEmbedTenantGroups,
  deleteEmbedTenantGroup,
  getEmbedTenantGroup,
  listEmbedTenantGroups,
  updateEmbedTenantGroup,
} from "../api/embed-tenants.ts";
import { GroupName, UserGroup as Answer } from "../api/schemas.ts";
import { defineKind, defineObserve } from "../core/kind/kind.ts";
import { field } from "../core/schema/traits.ts";
import { bulkCreate } from "./bulk-create.codec.ts";
import {
  embedTenantField,
  changedFields,
  definitionSession,
  idOf,
  batchByTenant,
  definedMembers,
} from "./codec.ts";
import { statusSchema, userCountField } from "./status-schema.ts";

/** The EmbedGroup resource type. Without direct group operations on the server, groups are written through one session per tenant. */
export const embedGroup = defineKind(
  {
    name: "EmbedGroup",
    plural: "embed-groups",
    recordedAs: "user-groups",
    doc: "A group in an embed tenant. Creator-mode sessions and provisioned users refer to it by name.",
    shape: "item",
    key: ["embedTenant", "name"],
    scope: ["embedTenant"],
    spec: Type.Object({
      embedTenant: embedTenantField,
      name: field(GroupName, { doc: "Name, unique in the embed tenant.", onChange: "replace" }),
      description: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 500 }), {
          doc: "Description. A server without direct group operations can update it but cannot clear it.",
        }),
      ),
    }),
    status: statusSchema({ id: Answer.properties.id, userCount: Type.Optional(userCountField) }),
    examples: [
      {
        title: "Viewers of a customer",
        name: "acme-viewers",
        spec: {
          embedTenant: "acme",
          name: "viewers",
          description: "May read every published dashboard.",
        },
        variations: { name: "readers", description: "May read and comment." },
      },
    ],
  },
  (bind) => {
    const define = bind.batched(
      generateSession,
      { ...batchByTenant, cannotClear: ["description"] },
      (subjects, deploymentId) => ({
        body: {
          ...definitionSession(subjects[0].spec.embedTenant, deploymentId),
          groupDefinitions: subjects.map(({ spec: { name, description } }) => ({
            name,
            ...definedMembers({ description }),
          })),
        },
      }),
    );
    return {
      observe: defineObserve({
        cost: "perParent",
        items: listEmbedTenantGroups,
        needs: [listEmbedTenantGroups],
        read: async (reader, { embedTenant = "" }) => {
          const params = { embedTenantName: embedTenant };
          const items = await reader.all(listEmbedTenantGroups, { params });
          return items.map((item) => toObserved(embedTenant, item));
        },
        byId: {
          needs: [getEmbedTenantGroup],
          read: async (reader, id, { scope: { embedTenant = "" } }) => {
            const params = { embedTenantName: embedTenant, id };
            const item = await reader.one(getEmbedTenantGroup, { params });
            return item && toObserved(embedTenant, item);
          },
        },
      }),
      create: [
        bind.perObject(
          createEmbedTenantGroup,
          ({ spec: { embedTenant: of, ...body } }) => ({ params: { embedTenantName: of }, body }),
          { refusesExisting: true },
        ),
        bind.batched(createEmbedTenantGroups, bulkCreate("name", "embedTenant"), (subjects) => ({
          params: { embedTenantName: subjects[0].spec.embedTenant },
          body: { groups: subjects.map(({ spec: { embedTenant: _, ...group } }) => group) },
        })),
        define,
      ],
      update: [
        bind.perObject(updateEmbedTenantGroup, (subject) => ({
          params: { embedTenantName: subject.spec.embedTenant, id: idOf(subject) },
          body: changedFields(subject, ["description"]),
        })),
        define,
      ],
      delete: [
        bind.perObject(deleteEmbedTenantGroup, (subject) => ({
          params: { embedTenantName: subject.spec.embedTenant, id: idOf(subject) },
        })),
      ],
    };
  },
);

function toObserved(
  embedTenant: string,
  { id, name, description, userCount }: Static<typeof Answer>,
) {
  return {
    id: String(id),
    spec: definedMembers({ embedTenant, name, description }),
    status: definedMembers({ id, userCount }),
  };
}
