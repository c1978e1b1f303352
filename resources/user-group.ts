// UserGroup: an account-wide group of users.
import { type Static, Type } from "typebox";
import { GroupName } from "../api/schemas.ts";
import {
  AccountGroup as Answer,
  createUserGroup,
  createUserGroups,
  deleteGroup,
  getUserGroup,
  listUserGroups,
  updateUserGroup,
} from "../api/user-groups.ts";
import { defineKind } from "../core/kind/kind.ts";
import { field } from "../core/schema/traits.ts";
import { bulkCreate } from "./bulk-create.codec.ts";
import { changedFields, idOf, definedMembers } from "./codec.ts";
import { statusSchema, userCountField } from "./status-schema.ts";
import { observeCollection } from "./observe-collection.ts";

/** The UserGroup resource type. Groups are renamed in place. */
export const userGroup = defineKind(
  {
    name: "UserGroup",
    plural: "user-groups",
    doc: "An account-wide group of users. Access policies and dashboards refer to it by name.",
    shape: "item",
    key: ["name"],
    scope: [],
    spec: Type.Object({
      name: field(GroupName, {
        doc: "Name, unique in the account. A change renames the group and keeps its members.",
        readOnlyWhileManaged: true,
      }),
      description: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 500 }), { doc: "Description." }),
      ),
    }),
    status: statusSchema({
      id: Answer.properties.id,
      managedBy: Answer.properties.managedBy,
      scimIntegration: Answer.properties.scimIntegration,
      userCount: Type.Optional(userCountField),
    }),
    examples: [
      {
        title: "Analysts who may explore",
        name: "analysts",
        spec: { name: "analysts", description: "May explore every deployment." },
        variations: { name: "explorers", description: "May explore and save reports." },
      },
    ],
  },
  (bind) => ({
    observe: observeCollection(listUserGroups, getUserGroup, toObserved),
    create: [
      bind.perObject(createUserGroup, ({ spec }) => ({ body: spec }), { refusesExisting: true }),
      bind.batched(createUserGroups, bulkCreate("name"), (subjects) => ({
        body: { groups: subjects.map(({ spec }) => spec) },
      })),
    ],
    update: [
      bind.perObject(updateUserGroup, (subject) => ({
        params: { id: idOf(subject) },
        body: {
          ...(subject.changed.has("name") && { name: subject.spec.name }),
          ...changedFields(subject, ["description"]),
        },
      })),
    ],
    delete: [bind.perObject(deleteGroup, (subject) => ({ params: { id: idOf(subject) } }))],
  }),
);

function toObserved({ id, name, description, ...rest }: Static<typeof Answer>) {
  const { managedBy, scimIntegration, userCount } = rest;
  return {
    id: String(id),
    spec: definedMembers({ name, description }),
    status: definedMembers({ id, managedBy, scimIntegration, userCount }),
  };
}
