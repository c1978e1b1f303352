// GroupMembership: one of the account's own users in an account-wide group.
import { Type, type Static } from "typebox";
import { GroupName, Id, ManagedBy, ScimIntegrationName } from "../api/schemas.ts";
import {
  addUserGroupUsers,
  listUserGroups,
  listUserGroupUsers,
  removeUserGroupUsers,
} from "../api/user-groups.ts";
import { listUsers } from "../api/users.ts";
import { defineKind, defineObserve } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { field } from "../core/schema/traits.ts";
import { definedMembers, groupIds, idNamed, userField } from "./codec.ts";
import { managersOfGroups, membershipCheck } from "./managed-groups.ts";
import { countPopulated, populatedIds } from "./populated-ids.ts";
import { statusSchema } from "./status-schema.ts";

const spec = Type.Object({
  group: field(GroupName, {
    doc: "Group that the user belongs to. The members of a group that an identity provider manages are read-only.",
    refersTo: "UserGroup",
    cascadeDelete: true,
    onChange: "replace",
  }),
  user: userField,
});

const batch = { groupBy: ["group"], max: limits.members };

/** The GroupMembership resource type. One call adds or removes up to 1,000 members of a group. */
export const groupMembership = defineKind(
  {
    name: "GroupMembership",
    plural: "group-memberships",
    recordedAs: "user-group-members",
    doc: "A user of the account in an account-wide group. Use it for users whose `groups` no stack declares: that list replaces all memberships, so a stack cannot have both. For external users, use `groups` of the EmbedUser.",
    shape: "link",
    key: ["group", "user"],
    scope: ["group"],
    entryOf: { kind: "User", key: ["user"], field: "groups" },
    spec,
    status: statusSchema({
      groupId: Id,
      userId: Id,
      username: Type.String(),
      managedBy: Type.Optional(ManagedBy),
      scimIntegration: Type.Optional(ScimIntegrationName),
    }),
    check: membershipCheck,
    examples: [
      {
        title: "An operator in the group of analysts",
        name: "analysts-operator",
        spec: { group: "analysts", user: "operator" },
        variations: {},
      },
    ],
  },
  (bind) => ({
    observe: defineObserve<Static<typeof spec>>({
      cost: "perParent",
      needs: [listUserGroups, listUserGroupUsers],
      read: async (reader, { group = "" }) => {
        const groupId = populatedIds(await reader.all(listUserGroups, {})).get(group);
        if (groupId === undefined) return [];
        const manager = (await managersOfGroups(reader)).get(group) ?? {};
        const members = await reader.all(listUserGroupUsers, { params: { id: groupId } });
        return members.flatMap(({ id: userId, username, email, isExternal }) =>
          isExternal || email === undefined
            ? []
            : [
                {
                  id: `${groupId}/${userId}`,
                  spec: { group, user: email.toLowerCase() },
                  status: definedMembers({ groupId, userId, username, ...manager }),
                },
              ],
        );
      },
      together: {
        within: [],
        read: async (reader, _, { scopes, pagesFor }) => {
          const listed = await reader.all(listUserGroups, {});
          const pages = pagesFor(countPopulated(listed, scopes));
          const users = await reader.allWithin(pages, listUsers, {});
          // There is at least one user, the caller: a server without the list answers that it does not exist.
          if (users === undefined || users.length === 0) return undefined;
          if (users.some((one) => one.groups === undefined || one.username === undefined)) {
            return undefined;
          }
          return membershipsOf(users, await groupIds.read(reader), await managersOfGroups(reader));
        },
      },
    }),
    create: [
      bind.batched(addUserGroupUsers, { ...batch, prerequisite: groupIds }, (subjects, ids) => ({
        params: { id: idNamed(ids, "group", subjects[0].spec.group) },
        body: { members: subjects.map(({ spec: { user } }) => ({ email: user })) },
      })),
    ],
    update: [],
    delete: [
      bind.batched(removeUserGroupUsers, batch, (subjects) => ({
        params: { id: Number(subjects[0].live?.status["groupId"]) },
        body: {
          members: subjects.map(({ live }) => ({ userId: Number(live?.status["userId"]) })),
        },
      })),
    ],
  }),
);

/** Returns the memberships of users in their groups. */
function membershipsOf(
  users: readonly AnswerOf<typeof listUsers>[],
  ids: ReadonlyMap<string, number>,
  managers: Awaited<ReturnType<typeof managersOfGroups>>,
) {
  return users.flatMap(({ id: userId, email, username, groups = [] }) =>
    groups.flatMap((group) => {
      const groupId = ids.get(group);
      if (groupId === undefined) return [];
      return [
        {
          id: `${groupId}/${userId}`,
          spec: { group, user: email.toLowerCase() },
          status: definedMembers({ groupId, userId, username, ...managers.get(group) }),
        },
      ];
    }),
  );
}
