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
import { defineKind, defineObserve } from "../core/kind.ts";
import type { AnswerOf } from "../core/operation.ts";
import { changedFields, idOf, definedMembers } from "./codec.ts";
import { type Spec, spec, status } from "./user.schema.ts";

// What can be changed in place by the operation that updates a user.
const updated = ["firstName", "title", "picture", "isAdmin", "isDeactivated"] as const;

/** Attribute values are read user by user, and only where somebody wishes for them. */
export const user = defineKind(
  {
    name: "User",
    plural: "users",
    doc: "One of the account's own users. Who is an administrator, who is let in at all, and which groups and attributes access policies see. Deleting a user deletes its API keys.",
    shape: "item",
    key: ["email"],
    scope: [],
    spec,
    status,
    examples: [
      {
        title: "An analyst with a region of her own",
        name: "jane",
        spec: {
          email: "jane@corp.example",
          username: "jane",
          firstName: "Jane",
          title: "Analyst",
          picture: "https://corp.example/people/jane.png",
          isAdmin: false,
          isDeactivated: false,
          groups: ["analysts"],
          userAttributes: [{ name: "region", value: "EMEA" }],
        },
        variations: {
          email: "jane.doe@corp.example",
          username: "jane.doe",
          firstName: "Jane D.",
          title: "Lead analyst",
          picture: "https://corp.example/people/jane-doe.png",
          isAdmin: true,
          isDeactivated: true,
          groups: [],
          userAttributes: [{ name: "region", value: "APAC" }],
        },
      },
      {
        title: "The user that pipelines act as",
        name: "robot",
        spec: { email: "robot@corp.example", username: "robot", isAdmin: true },
        variations: { firstName: "Robot" },
      },
    ],
  },
  (way) => ({
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
      detail: async (reader, sight, interest) => {
        if (!interest.has("userAttributes")) return sight;
        const params = { userId: Number(sight.id) };
        const values = await reader.all(listUserAttributeValues, { params });
        const userAttributes = values.flatMap(({ name, value }) =>
          value == null ? [] : [{ name, value }],
        );
        return { ...sight, spec: { ...sight.spec, userAttributes } };
      },
    }),
    create: [
      way.perObject(
        createUser,
        ({ spec: { email, username, firstName, picture, isAdmin } }) => ({
          body: { email, username, ...definedMembers({ firstName, picture, isAdmin }) },
        }),
        { covers: ["email", "username", "firstName", "picture", "isAdmin"] },
      ),
    ],
    update: [
      way.perObject(
        updateUser,
        (subject) => ({ params: { id: idOf(subject) }, body: changedFields(subject, updated) }),
        { covers: updated },
      ),
      way.perObject(
        setUserGroups,
        (subject) => ({
          params: { id: idOf(subject) },
          body: { groups: subject.spec.groups ?? [] },
        }),
        { covers: ["groups"] },
      ),
      way.perObject(
        replaceUserAttributeValues,
        (subject) => ({
          params: { userId: idOf(subject) },
          body: { userAttributes: subject.spec.userAttributes ?? [] },
        }),
        { covers: ["userAttributes"] },
      ),
    ],
    delete: [way.perObject(deleteUser, (subject) => ({ params: { id: idOf(subject) } }))],
  }),
);

/** A list that leaves out the role would make every wish for one look like drift, for ever. */
function toObserved(item: AnswerOf<typeof listUsers>) {
  const { id, email, username, isAdmin, isDeactivated, createdAt, lastLogin, ...rest } = item;
  if (username === undefined || isAdmin === undefined || isDeactivated === undefined) {
    throw new Failure(
      "not_offered",
      "this server lists users without their name and role, so they cannot be compared",
      { remedy: "use an administrator's key; if it is one, leave users out of the stack" },
    );
  }
  const { firstName, title, picture, groups } = rest;
  const texts = definedMembers({ firstName, title, picture, groups });
  return {
    id: String(id),
    spec: { email: email.toLowerCase(), username, isAdmin, isDeactivated, ...texts },
    status: definedMembers({ id, createdAt, lastLogin }),
  };
}
