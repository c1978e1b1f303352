// User: one of the account's own users.
import { listUserAttributeValues, replaceUserAttributeValues } from "../api/user-attributes.ts";
import {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  setUserGroups,
  updateUser,
} from "../api/users.ts";
import { Failure } from "../core/errors.ts";
import { defineKind, defineObserve, type ObjectWrite, type Reader } from "../core/kind.ts";
import type { AnswerOf } from "../core/operation.ts";
import { changedFields, idOf, definedMembers } from "./codec.ts";
import { groupsCheck } from "./managed-groups.ts";
import { examples } from "./user.example.ts";
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
      bind.perObject(
        createUser,
        ({ spec: { email, username, roles: defaultRoles, settings, ...more } }) => {
          const { firstName, picture, isAdmin, externalId, password } = more;
          const own = { firstName, picture, isAdmin, defaultRoles, externalId, password, settings };
          return { body: { email, username, ...definedMembers(own) } };
        },
        { covers: created, refusesExisting: true },
      ),
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
    delete: [bind.perObject(deleteUser, (subject) => ({ params: { id: idOf(subject) } }))],
  }),
);

async function valuesOf(reader: Reader, userId: number) {
  const values = await reader.all(listUserAttributeValues, { params: { userId } });
  return values.flatMap(({ name, value }) => (value == null ? [] : [{ name, value }]));
}

function changedRoles({ spec: { roles }, changed }: ObjectWrite<Spec>) {
  return changed.has("roles") ? definedMembers({ defaultRoles: roles }) : {};
}

/** Converts a user of the API. Fails if the list omits roles, because every declared role would then look like drift. */
function toObserved(item: AnswerOf<typeof listUsers>) {
  const { id, email, username, isAdmin, isDeactivated, ...rest } = item;
  if (username === undefined || isAdmin === undefined || isDeactivated === undefined) {
    throw new Failure(
      "not_offered",
      "this server lists users without username and role, so users cannot be compared",
      {
        remedy:
          "Use the credential of an administrator. If it is one, this server does not support users in a stack.",
      },
    );
  }
  const { firstName, title, picture, groups, defaultRoles: roles } = rest;
  const { managedBy, scimIntegration, createdAt, lastLogin } = rest;
  const { externalId, securityContext, settings, embedTheme } = rest;
  const own = definedMembers({ externalId, securityContext, settings, embedTheme });
  const texts = definedMembers({ firstName, title, picture, groups, roles });
  return {
    id: String(id),
    spec: { email: email.toLowerCase(), username, isAdmin, isDeactivated, ...texts, ...own },
    status: definedMembers({ id, managedBy, scimIntegration, createdAt, lastLogin }),
  };
}
