// EmbedGroupMembership: an external user in a group of its embed tenant.
import { Type, type Static } from "typebox";
import {
  addEmbedTenantGroupUsers,
  listEmbedTenantGroups,
  listEmbedTenantGroupUsers,
  listEmbedUsers,
  removeEmbedTenantGroupUsers,
} from "../api/embed-tenants.ts";
import { GroupName, Id } from "../api/schemas.ts";
import type { JsonObject } from "../core/json.ts";
import { defineKind, defineObserve, type Reader } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { unreservedExternalIdPattern } from "../core/text/text-patterns.ts";
import { field } from "../core/schema/traits.ts";
import { definedMembers, embedTenantField, idNamed, idsByName } from "./codec.ts";
import { countPopulated, populatedIds } from "./populated-ids.ts";
import { statusSchema } from "./status-schema.ts";

const spec = Type.Object({
  embedTenant: embedTenantField,
  group: field(GroupName, {
    doc: "Group of the embed tenant that the user belongs to.",
    refersTo: "EmbedGroup",
    within: { embedTenant: "embedTenant" },
    cascadeDelete: true,
    onChange: "replace",
  }),
  user: field(Type.String({ minLength: 1, maxLength: 255, pattern: unreservedExternalIdPattern }), {
    doc: "External user, by the ID in your own system. The user must exist.",
    refersTo: "EmbedUser",
    within: { embedTenant: "embedTenant" },
    cascadeDelete: true,
    onChange: "replace",
  }),
});

/** The IDs of an embed tenant's groups by name. */
const groupIds = {
  operation: listEmbedTenantGroups,
  dependsOn: ["embedTenant"],
  read: async (reader: Reader, { embedTenant }: JsonObject) => {
    if (typeof embedTenant !== "string") return undefined;
    const params = { embedTenantName: embedTenant };
    return idsByName(await reader.all(listEmbedTenantGroups, { params }));
  },
  missingMessage: "the groups of the embed tenant cannot be listed",
};

const batch = { groupBy: ["embedTenant", "group"], max: limits.members };

/** The EmbedGroupMembership resource type. One call adds or removes up to 1,000 members of a group. */
export const embedGroupMembership = defineKind(
  {
    name: "EmbedGroupMembership",
    plural: "embed-group-memberships",
    recordedAs: "user-group-members",
    doc: "An external user in a group of its embed tenant. Use it for users whose `tenantGroups` no stack declares: that list replaces all memberships, so a stack cannot have both.",
    shape: "link",
    key: ["embedTenant", "group", "user"],
    scope: ["embedTenant", "group"],
    entryOf: { kind: "EmbedUser", key: ["embedTenant", "user"], field: "tenantGroups" },
    spec,
    status: statusSchema({ groupId: Id, userId: Id, username: Type.String() }),
    examples: [
      {
        title: "A visitor in the group of viewers",
        name: "acme-viewers-sam",
        spec: { embedTenant: "acme", group: "acme-viewers", user: "acme-sam" },
        variations: {},
      },
    ],
  },
  (bind) => ({
    observe: defineObserve<Static<typeof spec>>({
      cost: "perParent",
      needs: [listEmbedTenantGroups, listEmbedTenantGroupUsers],
      read: async (reader, { embedTenant = "", group = "" }) => {
        const tenant = { embedTenantName: embedTenant };
        const groups = await reader.all(listEmbedTenantGroups, { params: tenant });
        const groupId = populatedIds(groups).get(group);
        if (groupId === undefined) return [];
        const params = { ...tenant, id: groupId };
        const members = await reader.all(listEmbedTenantGroupUsers, { params });
        return membershipsOf(members, { embedTenant, group, groupId });
      },
      together: {
        within: ["embedTenant"],
        read: async (reader, { embedTenant = "" }, { scopes, pagesFor }) => {
          const params = { embedTenantName: embedTenant };
          const listed = await reader.all(listEmbedTenantGroups, { params });
          const pages = pagesFor(countPopulated(listed, scopes));
          const users = await reader.allWithin(pages, listEmbedUsers, { params });
          // A server without the list answers that it does not exist.
          if (users === undefined || users.length === 0) return undefined;
          if (users.some(({ tenantGroups }) => tenantGroups === undefined)) return undefined;
          return users.flatMap((user) =>
            (user.tenantGroups ?? []).flatMap((group) =>
              membershipsOf([user], { embedTenant, group, groupId: idsByName(listed).get(group) }),
            ),
          );
        },
      },
    }),
    create: [
      bind.batched(
        addEmbedTenantGroupUsers,
        { ...batch, prerequisite: groupIds },
        (subjects, ids) => ({
          params: {
            embedTenantName: subjects[0].spec.embedTenant,
            id: idNamed(ids, "group", subjects[0].spec.group),
          },
          body: { members: subjects.map(({ spec: { user } }) => ({ externalId: user })) },
        }),
      ),
    ],
    update: [],
    delete: [
      bind.batched(removeEmbedTenantGroupUsers, batch, (subjects) => ({
        params: {
          embedTenantName: subjects[0].spec.embedTenant,
          id: Number(subjects[0].live?.status["groupId"]),
        },
        body: {
          members: subjects.map(({ live }) => ({ embedUserId: Number(live?.status["userId"]) })),
        },
      })),
    ],
  }),
);

/** Returns the memberships of users in a group, if it exists. A user without an external ID cannot be declared. */
function membershipsOf(
  users: readonly AnswerOf<typeof listEmbedTenantGroupUsers>[],
  { groupId, ...place }: { embedTenant: string; group: string; groupId: number | undefined },
) {
  return users.flatMap(({ id: userId, username, externalId: user }) =>
    user === undefined || groupId === undefined
      ? []
      : [
          {
            id: `${groupId}/${userId}`,
            spec: { ...place, user },
            status: definedMembers({ groupId, userId, username }),
          },
        ],
  );
}
