// EmbedTenant: one customer of signed embedding. The API has no create: a tenant is born with its first external user.
import { Type } from "typebox";
import { generateSession } from "../api/embed.ts";
import { deleteEmbedTenant, listEmbedTenants, provisionEmbedUser } from "../api/embed-tenants.ts";
import { EmbedTenantName, Id, Timestamp } from "../api/schemas.ts";
import { defineKind, defineObserve } from "../core/kind.ts";
import { field } from "../core/traits.ts";
import { firstDeployment, definedMembers, provisioner } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

/** Born by provisioning the reserved external user `svc-provisioner`; deleting it deletes all that is inside. */
export const embedTenant = defineKind(
  {
    name: "EmbedTenant",
    plural: "embed-tenants",
    doc: "A tenant of signed embedding: one customer, with groups, attributes and external users of its own. It comes to life with a reserved external user, `svc-provisioner`, and deleting it deletes everything inside.",
    shape: "item",
    key: ["name"],
    scope: [],
    cascades: true,
    spec: Type.Object({
      name: field(EmbedTenantName, {
        doc: "Name that sessions give: 5 to 36 lowercase letters, digits and hyphens, a letter first, no hyphen last.",
        onChange: "replace",
      }),
      displayName: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 255 }), {
          doc: "Name that people see.",
          neverCleared: true,
        }),
      ),
    }),
    status: statusSchema({
      id: Id,
      userCount: Type.Integer({ minimum: 0 }),
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
  (way) => ({
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
      way.perObject(
        provisionEmbedUser,
        ({ spec }) => ({
          params: { embedTenantName: spec.name },
          body: { externalId: provisioner },
        }),
        { covers: ["name"] },
      ),
    ],
    update: [
      way.perObject(
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
      way.perObject(deleteEmbedTenant, ({ spec }) => ({ params: { embedTenantName: spec.name } })),
    ],
  }),
);
