// EmbedTenant: one customer of signed embedding. The API has no create operation: provisioning a user creates the tenant.
import { Type } from "typebox";
import { generateSession } from "../api/embed.ts";
import { deleteEmbedTenant, listEmbedTenants, provisionEmbedUser } from "../api/embed-tenants.ts";
import { EmbedTenantName, Id, Timestamp } from "../api/schemas.ts";
import { defineKind, defineObserve } from "../core/kind/kind.ts";
import { field } from "../core/schema/traits.ts";
import { provisioner } from "../core/text/provisioner.ts";
import { firstDeployment, definedMembers } from "./codec.ts";
import { statusSchema, userCountField } from "./status-schema.ts";

/** The EmbedTenant resource type. Provisioning the reserved external user `svc-provisioner` creates the tenant. */
export const embedTenant = defineKind(
  {
    name: "EmbedTenant",
    plural: "embed-tenants",
    doc: "A tenant of signed embedding: one customer, with its own groups, attributes and external users. It is created together with a reserved external user, `svc-provisioner`. Deleting it deletes everything in it.",
    shape: "item",
    key: ["name"],
    scope: [],
    cascades: true,
    spec: Type.Object({
      name: field(EmbedTenantName, {
        doc: "Name that sessions refer to: 5 to 36 lowercase letters, digits and hyphens. Starts with a letter and does not end with a hyphen.",
        onChange: "replace",
      }),
      displayName: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 255 }), {
          doc: "Display name.",
          neverCleared: true,
        }),
      ),
    }),
    status: statusSchema({
      id: Id,
      userCount: userCountField,
      createdAt: Type.Optional(Timestamp),
    }),
    examples: [
      {
        title: "A customer",
        name: "acme",
        spec: { name: "acme-stores", displayName: "Acme Stores" },
        variations: { name: "acme-retail", displayName: "Acme Retail" },
      },
    ],
  },
  (bind) => ({
    observe: defineObserve({
      cost: "list",
      needs: [listEmbedTenants],
      read: async (reader) => {
        const items = await reader.all(listEmbedTenants, {});
        return items.map(({ id, name, displayName, userCount, createdAt }) => ({
          id: String(id),
          spec: definedMembers({ name, displayName }),
          status: definedMembers({ id, userCount, createdAt }),
        }));
      },
    }),
    create: [
      bind.perObject(
        provisionEmbedUser,
        ({ spec }) => ({
          params: { embedTenantName: spec.name },
          body: { externalId: provisioner },
        }),
        { covers: ["name"] },
      ),
    ],
    update: [
      bind.perObject(
        generateSession,
        ({ spec }, deploymentId) => ({
          body: {
            deploymentId,
            externalId: provisioner,
            embedTenantName: spec.name,
            embedTenantProfile: definedMembers({ displayName: spec.displayName }),
          },
        }),
        { prerequisite: firstDeployment, covers: ["displayName"] },
      ),
    ],
    delete: [
      bind.perObject(deleteEmbedTenant, ({ spec }) => ({ params: { embedTenantName: spec.name } })),
    ],
  }),
);
