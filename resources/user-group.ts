// UserGroup: an account-wide group of users.
import { type Static, Type } from "typebox";
import { GroupName, UserGroup as Answer } from "../api/schemas.ts";
import {
  createUserGroup,
  deleteGroup,
  getUserGroup,
  listUserGroups,
  updateUserGroup,
} from "../api/user-groups.ts";
import { defineKind, observed } from "../core/kind.ts";
import { field } from "../core/traits.ts";
import { changes, idOf, present } from "./codec.ts";
import { reported } from "./reported.ts";

/** Account-wide; it is renamed in place. */
export const userGroup = defineKind(
  {
    name: "UserGroup",
    plural: "user-groups",
    doc: "An account-wide group. Access policies and dashboards are shared with it by name.",
    shape: "item",
    key: ["name"],
    scope: [],
    spec: Type.Object({
      name: field(GroupName, {
        doc: "Name, unique in the account; a change renames the group and keeps its members.",
      }),
      description: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 500 }), { doc: "Who belongs to it." }),
      ),
    }),
    status: reported({ id: Answer.properties.id, userCount: Answer.properties.userCount }),
    examples: [
      {
        title: "Analysts who may explore",
        name: "analysts",
        spec: { name: "analysts", description: "May explore every deployment." },
        variations: { name: "explorers", description: "May explore and save reports." },
      },
    ],
  },
  (way) => ({
    observe: observed({
      cost: "list",
      needs: [listUserGroups],
      read: async (reader) => (await reader.all(listUserGroups, {})).map(seen),
      byId: {
        needs: [getUserGroup],
        read: async (reader, id) => {
          const item = await reader.one(getUserGroup, { params: { id } });
          return item && seen(item);
        },
      },
    }),
    create: [way.each(createUserGroup, ({ spec }) => ({ body: spec }))],
    update: [
      way.each(updateUserGroup, (subject) => ({
        params: { id: idOf(subject) },
        body: {
          ...(subject.changed.has("name") && { name: subject.spec.name }),
          ...changes(subject, ["description"]),
        },
      })),
    ],
    delete: [way.each(deleteGroup, (subject) => ({ params: { id: idOf(subject) } }))],
  }),
);

function seen({ id, name, description, userCount }: Static<typeof Answer>) {
  return {
    id: String(id),
    spec: present({ name, description }),
    status: present({ id, userCount }),
  };
}
