// UserAttribute: an account-wide attribute definition.
import { Type } from "typebox";
import {
  AttributeType,
  defaultValuePatterns,
  Name,
  UserAttribute as Answer,
} from "../api/schemas.ts";
import {
  createUserAttribute,
  createUserAttributes,
  deleteUserAttribute,
  listUserAttributes,
  updateUserAttribute,
} from "../api/user-attributes.ts";
import { defineKind, defineObserve } from "../core/kind/kind.ts";
import { field } from "../core/schema/traits.ts";
import { bulkCreate } from "./bulk-create.codec.ts";
import { changedFields, idOf, definedMembers } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

const texts = ["displayName", "description", "defaultValue"] as const;

/** The UserAttribute resource type. */
export const userAttribute = defineKind(
  {
    name: "UserAttribute",
    plural: "user-attributes",
    doc: "An attribute of the account's users. Access policies in the data model read it as `userAttributes.<name>`.",
    shape: "item",
    key: ["name"],
    scope: [],
    spec: Type.Object({
      name: field(Name, {
        doc: "Name that data models and sessions refer to.",
        onChange: "replace",
      }),
      type: field(AttributeType, {
        doc: "Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values.",
        onChange: "replace",
      }),
      displayName: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 255 }), { doc: "Display name." }),
      ),
      description: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 500 }), { doc: "Description." }),
      ),
      defaultValue: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 10_000 }), {
          doc: "Default value, as text, for users without a value.",
          patternBy: { field: "type", patterns: defaultValuePatterns },
        }),
      ),
    }),
    status: statusSchema({ id: Answer.properties.id }),
    examples: [
      {
        title: "A region that row-level security filters by",
        name: "region",
        spec: {
          name: "region",
          type: "string",
          displayName: "Region",
          description: "Sales region that a viewer may see.",
          defaultValue: "EMEA",
        },
        variations: {
          name: "sales-region",
          type: "string_array",
          displayName: "Sales region",
          description: "Every region a viewer may see.",
          defaultValue: "APAC",
        },
      },
    ],
  },
  (bind) => ({
    observe: defineObserve({
      cost: "list",
      needs: [listUserAttributes],
      items: listUserAttributes,
      read: async (reader) => {
        const items = await reader.all(listUserAttributes, {});
        return items.map(({ id, ...spec }) => ({
          id: String(id),
          spec: definedMembers(spec),
          status: { id },
        }));
      },
    }),
    create: [
      bind.perObject(createUserAttribute, ({ spec }) => ({ body: spec }), {
        refusesExisting: true,
      }),
      bind.batched(createUserAttributes, bulkCreate("name"), (subjects) => ({
        body: { attributes: subjects.map(({ spec }) => spec) },
      })),
    ],
    update: [
      bind.perObject(updateUserAttribute, (subject) => ({
        params: { id: idOf(subject) },
        body: changedFields(subject, texts),
      })),
    ],
    delete: [bind.perObject(deleteUserAttribute, (subject) => ({ params: { id: idOf(subject) } }))],
  }),
);
