// User: one of the account's own users.
import { listUserAttributeValues, replaceUserAttributeValues } from "../api/user-attributes.ts";
import {
  bulkUsers,
  createUser,
  deleteUser,
  getUser,
  listUsers,
  setUserGroups,
  updateUser,
} from "../api/users.ts";
import { defineKind, defineObserve, type ObjectWrite, type Reader } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { changedFields, definedMembers, idOf } from "./codec.ts";
import { groupsCheck } from "./managed-groups.ts";
import { examples } from "./user.example.ts";
import { deleteOutcome, newUser, toObserved } from "./user.codec.ts";
import { type Spec, spec, status } from "./user.schema.ts";

// Fields that `createUser` sets.
const created = [
  "email",
  "username",
  "firstName",
  "picture",
  "isAdmin",
  "roles",
  "externalId",
  "password",
  "settings",
] as const;

// Fields that `updateUser` can change.
const updated = [
  "firstName",
  "title",
  "picture",
  "isAdmin",
  "isDeactivated",
  "password",
  "securityContext",
  "settings",
  "embedTheme",
] as const;

/** The User resource type. Attribute values are read user by user, and only if a spec declares them. */
export const user = defineKind(
  {
    name: "User",
    plural: "users",
    doc: "A user of the account, with role, groups and attribute values. Deleting a user deletes the user's API keys.",
    shape: "item",
    key: ["email"],
    scope: [],
    spec,
    status,
    check: groupsCheck,
    credentialRole: {
      what: "the user of the credential that svc uses",
      isOf: ({ userId }, { id }) => id === userId,
      takesRights: ({ field, after }) =>
        (field === "isDeactivated" && after === true) || (field === "isAdmin" && after === false),
    },
    examples,
  },
  (bind) => ({
    observe: defineObserve<Spec>({
      cost: "list",
      needs: [listUsers, listUserAttributeValues],
      read: async (reader) => (await reader.all(listUsers, {})).map(toObserved),
      byId: {
        needs: [getUser],
        read: async (reader, id) => {
          const item = await reader.one(getUser, { params: { id } });
          return item && toObserved(item);
        },
      },
      detail: async (reader, observed, interest) => {
        if (!interest.has("userAttributes")) return observed;
        const userAttributes = await valuesOf(reader, Number(observed.id));
        return { ...observed, spec: { ...observed.spec, userAttributes } };
      },
    }),
    create: [
      bind.perObject(createUser, (subject) => ({ body: newUser(subject.spec) }), {
        covers: created,
        refusesExisting: true,
      }),
    ],
    update: [
      bind.perObject(
        updateUser,
        (subject) => ({
          params: { id: idOf(subject) },
          body: { ...changedFields(subject, updated), ...changedRoles(subject) },
        }),
        { covers: [...updated, "roles"] },
      ),
      bind.perObject(
        setUserGroups,
        (subject) => ({
          params: { id: idOf(subject) },
          body: { groups: subject.spec.groups ?? [] },
        }),
        { covers: ["groups"] },
      ),
      bind.perObject(
        replaceUserAttributeValues,
        (subject) => ({
          params: { userId: idOf(subject) },
          body: { userAttributes: subject.spec.userAttributes ?? [] },
        }),
        { covers: ["userAttributes"] },
      ),
    ],
    delete: [
      bind.perObject(deleteUser, (subject) => ({ params: { id: idOf(subject) } })),
      bind.batched(
        bulkUsers,
        { groupBy: [], max: limits.bulkUsers, outcome: deleteOutcome },
        (subjects) => ({ body: { action: "DELETE" as const, userIds: subjects.map(idOf) } }),
      ),
    ],
  }),
);

async function valuesOf(reader: Reader, userId: number) {
  const values = await reader.all(listUserAttributeValues, { params: { userId } });
  return values.flatMap(({ name, value }) => (value == null ? [] : [{ name, value }]));
}

function changedRoles({ spec: { roles }, changed }: ObjectWrite<Spec>) {
  return changed.has("roles") ? definedMembers({ defaultRoles: roles }) : {};
}
