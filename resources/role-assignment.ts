// RoleAssignment: a role of one of the account's own users.
import { Type, type Static } from "typebox";
import { assignRole, listRoles, listRoleUsers, unassignRole } from "../api/roles.ts";
import { Id, Name } from "../api/schemas.ts";
import { defineKind, defineObserve, type Reader } from "../core/kind/kind.ts";
import { field } from "../core/schema/traits.ts";
import { idNamed, idsByName, userField } from "./codec.ts";
import { populatedIds } from "./populated-ids.ts";
import { statusSchema } from "./status-schema.ts";
import { userIds } from "./user-ids.ts";

const spec = Type.Object({
  role: field(Name, {
    doc: "Role to assign. Built-in roles are in `roles` of the User.",
    refersTo: "Role",
    cascadeDelete: true,
    onChange: "replace",
  }),
  user: userField,
});

async function roleIds(reader: Reader) {
  return idsByName(await reader.all(listRoles, {}));
}

/** The IDs of roles by name, and of users by email. */
const lookups = {
  operation: listRoles,
  read: async (reader: Reader) => ({
    roles: await roleIds(reader),
    users: await userIds.read(reader),
  }),
  missingMessage: "the roles cannot be listed",
};

/** The RoleAssignment resource type. */
export const roleAssignment = defineKind(
  {
    name: "RoleAssignment",
    plural: "role-assignments",
    recordedAs: "role-users",
    doc: "A role that a user of the account has, in addition to the built-in ones. A user can have ten.",
    shape: "link",
    key: ["role", "user"],
    scope: ["role"],
    spec,
    status: statusSchema({ roleId: Id, userId: Id, username: Type.String() }),
    examples: [
      {
        title: "An operator edits the content of a deployment",
        name: "production-editors-operator",
        spec: { role: "production-editors", user: "operator" },
        variations: {},
      },
    ],
  },
  (bind) => ({
    observe: defineObserve<Static<typeof spec>>({
      cost: "perParent",
      needs: [listRoles, listRoleUsers],
      read: async (reader, { role = "" }) => {
        const roleId = populatedIds(await reader.all(listRoles, {})).get(role);
        if (roleId === undefined) return [];
        const users = await reader.all(listRoleUsers, { params: { roleId } });
        return users.flatMap(({ id: userId, username, email }) =>
          email === undefined
            ? []
            : [
                {
                  id: `${roleId}/${userId}`,
                  spec: { role, user: email.toLowerCase() },
                  status: { roleId, userId, username },
                },
              ],
        );
      },
    }),
    create: [
      bind.perObject(
        assignRole,
        ({ spec: { role, user } }, { roles, users }) => ({
          params: { roleId: idNamed(roles, "role", role), userId: idNamed(users, "user", user) },
        }),
        { prerequisite: lookups },
      ),
    ],
    update: [],
    delete: [
      bind.perObject(unassignRole, ({ live }) => ({
        params: { roleId: Number(live?.status["roleId"]), userId: Number(live?.status["userId"]) },
      })),
    ],
  }),
);
