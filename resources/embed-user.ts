// EmbedUser: an external user of an embed tenant, provisioned before the first session.
import { Type, type Static } from "typebox";
import { generateSession } from "../api/embed.ts";
import {
  deleteEmbedUser,
  listEmbedTenantGroups,
  listEmbedTenantGroupUsers,
  listEmbedUsers,
  provisionEmbedUser,
} from "../api/embed-tenants.ts";
import { AttributeValue, EmbedTenantName, Id, Moment } from "../api/schemas.ts";
import { defineKind, observed, type Reader } from "../core/kind.ts";
import { limits } from "../core/limits.ts";
import { field } from "../core/traits.ts";
import { anyDeployment, idOf, present, provisioner } from "./codec.ts";

const GroupNames = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: limits.members,
});

const Spec = Type.Object({
  embedTenant: field(EmbedTenantName, {
    doc: "The tenant it belongs to.",
    refersTo: "EmbedTenant",
    onChange: "replace",
  }),
  externalId: field(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: `^(?!${provisioner}$)[^A-Z\\s]([^A-Z]*[^A-Z\\s])?$`,
    }),
    {
      doc: "Stable id in your own system: lowercase, trimmed. `svc-provisioner` is reserved.",
      onChange: "replace",
    },
  ),
  email: Type.Optional(
    field(Type.String({ maxLength: 254, format: "email" }), {
      doc: "Where notifications go.",
      neverCleared: true,
    }),
  ),
  displayName: Type.Optional(
    field(Type.String({ minLength: 1, maxLength: 255 }), {
      doc: "Name beside the avatar.",
      neverCleared: true,
    }),
  ),
  picture: Type.Optional(
    field(Type.String({ maxLength: 2048, format: "uri", pattern: "^[hH][tT][tT][pP][sS]?://" }), {
      doc: "Absolute http(s) address of the avatar; the viewer's browser loads it. The API does not show it.",
      neverCleared: true,
      writeOnly: true,
    }),
  ),
  groups: Type.Optional(
    field(GroupNames, {
      doc: "Account-wide groups it is in; an empty list leaves all. The API does not show them.",
      order: "set",
      refersTo: "UserGroup",
      writeOnly: true,
    }),
  ),
  tenantGroups: Type.Optional(
    field(GroupNames, {
      doc: "Groups of its tenant it is in; an empty list leaves all.",
      order: "set",
      refersTo: "EmbedGroup",
      within: { embedTenant: "embedTenant" },
    }),
  ),
  attributes: Type.Optional(
    field(Type.Record(Type.String({ minLength: 1, maxLength: 255 }), AttributeValue), {
      doc: "Values of account-wide attributes, by name; `null` clears one, one left out is kept.",
      neverCleared: true,
      writeOnly: true,
    }),
  ),
});

type Member = NonNullable<Static<typeof Spec>["tenantGroups"]>;

/** Provisioned with the state it is to have; its memberships of tenant groups are read group by group. */
export const embedUser = defineKind(
  {
    name: "EmbedUser",
    plural: "embed-users",
    doc: "An external user of an embed tenant, known by the id it has in your own system. Provisioning it ahead of its first session gives it groups and attributes from the start.",
    shape: "item",
    key: ["embedTenant", "externalId"],
    scope: ["embedTenant"],
    spec: Spec,
    status: Type.Object({
      id: Id,
      username: Type.String(),
      createdAt: Type.Optional(Moment),
      lastLogin: Type.Optional(Moment),
    }),
    examples: [
      {
        title: "A store manager",
        name: "acme-jane",
        spec: {
          embedTenant: "acme",
          externalId: "jane-4711",
          email: "jane@acme.example",
          displayName: "Jane Doe",
          picture: "https://acme.example/people/jane.png",
          groups: ["analysts"],
          tenantGroups: ["acme-viewers"],
          attributes: { region: "EMEA" },
        },
        variations: {
          externalId: "jane-4712",
          email: "jane.doe@acme.example",
          displayName: "Jane D.",
          picture: "https://acme.example/people/jane-doe.png",
          groups: [],
          tenantGroups: [],
          attributes: { region: "APAC" },
        },
      },
    ],
  },
  (way) => {
    const provision = way.each(
      provisionEmbedUser,
      ({ spec: { embedTenant, externalId, displayName, picture, ...rest } }) => {
        const { attributes: _, ...body } = rest;
        const userProfile = present({ displayName, picture });
        return {
          params: { embedTenantName: embedTenant },
          body: { externalId, ...body, userProfile },
        };
      },
      {
        covers: [
          "embedTenant",
          "externalId",
          "email",
          "displayName",
          "picture",
          "groups",
          "tenantGroups",
        ],
      },
    );
    return {
      observe: observed({
        cost: "perParent",
        needs: [listEmbedUsers, listEmbedTenantGroups, listEmbedTenantGroupUsers],
        read: async (reader, scope, interest) => {
          const embedTenant = scope["embedTenant"] ?? "";
          const users = await reader.all(listEmbedUsers, {
            params: { embedTenantName: embedTenant },
          });
          const members = interest.has("tenantGroups")
            ? await memberships(reader, embedTenant)
            : undefined;
          return users
            .filter((user) => user.externalId !== undefined && user.externalId !== provisioner)
            .map(({ id, username, externalId, email, firstName, createdAt, lastLogin }) => ({
              id: String(id),
              spec: present({
                embedTenant,
                externalId,
                email,
                displayName: firstName,
                tenantGroups: members === undefined ? undefined : (members.get(id) ?? []),
              }),
              status: present({ id, username, createdAt, lastLogin }),
            }));
        },
      }),
      create: [provision],
      update: [
        provision,
        way.eachGiven(
          generateSession,
          anyDeployment,
          ({ spec }, deploymentId) => ({
            body: {
              deploymentId,
              embedTenantName: spec.embedTenant,
              externalId: spec.externalId,
              userAttributes: Object.entries(spec.attributes ?? {}).map(([name, value]) => ({
                name,
                value,
              })),
            },
          }),
          { covers: ["attributes"] },
        ),
      ],
      delete: [
        way.each(deleteEmbedUser, (subject) => ({
          params: { embedTenantName: subject.spec.embedTenant, id: idOf(subject) },
        })),
      ],
    };
  },
);

/** Group names by user id: a listing a group, shared with whoever reads the groups themselves. */
async function memberships(reader: Reader, embedTenantName: string): Promise<Map<number, Member>> {
  const groups = await reader.all(listEmbedTenantGroups, { params: { embedTenantName } });
  const byUser = new Map<number, Member>();
  const readGroup = async ({ id, name }: { id: number; name: string }) => {
    for (const user of await reader.all(listEmbedTenantGroupUsers, {
      params: { embedTenantName, id },
    })) {
      byUser.set(user.id, [...(byUser.get(user.id) ?? []), name]);
    }
  };
  await Promise.all(groups.filter((group) => group.userCount !== 0).map(readGroup));
  return byUser;
}
