// UserAttributeValue: the value of an account-wide attribute for one of the account's own users.
import { Type, type Static } from "typebox";
import { Id, Name, StoredAttributeValue } from "../api/schemas.ts";
import {
  listUserAttributes,
  listUserAttributeValues,
  setUserAttributeValue,
} from "../api/user-attributes.ts";
import { listUsers } from "../api/users.ts";
import { defineKind, defineObserve, type ObjectWrite, type Reader } from "../core/kind/kind.ts";
import { field } from "../core/schema/traits.ts";
import { idNamed, idsByName, userField } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";
import { userIds } from "./user-ids.ts";

const spec = Type.Object({
  user: userField,
  attribute: field(Name, {
    doc: "Attribute of the account.",
    refersTo: "UserAttribute",
    typesValue: "value",
    cascadeDelete: true,
    onChange: "replace",
  }),
  value: field(StoredAttributeValue, { doc: "Value, of the attribute's type." }),
});

type Spec = Static<typeof spec>;

/** The IDs of attributes by name, and of users by email. */
const lookups = {
  operation: listUserAttributes,
  read: async (reader: Reader) => ({
    attributes: await attributeIds(reader),
    users: await userIds.read(reader),
  }),
  missingMessage: "the attributes cannot be listed",
};

async function attributeIds(reader: Reader) {
  return idsByName(await reader.all(listUserAttributes, {}));
}

/** The UserAttributeValue resource type. Values are read user by user. */
export const userAttributeValue = defineKind(
  {
    name: "UserAttributeValue",
    plural: "user-attribute-values",
    doc: "The value of an account-wide attribute for a user of the account. Use it for users whose `userAttributes` no stack declares: that list replaces all values, so a stack cannot have both. Deleting it clears the value, and the default of the attribute applies.",
    shape: "entry",
    key: ["user", "attribute"],
    scope: ["user"],
    entryOf: { kind: "User", key: ["user"], field: "userAttributes" },
    spec,
    status: statusSchema({
      userId: Id,
      attributeId: field(Id, { doc: "Numeric ID of the attribute." }),
    }),
    examples: [
      {
        title: "An operator sees one region",
        name: "operator-region",
        spec: { user: "operator", attribute: "region", value: "EMEA" },
        variations: { value: "APAC" },
      },
    ],
  },
  (bind) => {
    const set = bind.perObject(
      setUserAttributeValue,
      ({ spec: { user, attribute, value } }, { attributes, users }) => ({
        body: {
          userId: String(idNamed(users, "user", user)),
          userAttributeId: String(idNamed(attributes, "attribute", attribute)),
          value,
        },
      }),
      { prerequisite: lookups },
    );
    return {
      observe: defineObserve<Spec>({
        cost: "perParent",
        needs: [listUsers, listUserAttributes, listUserAttributeValues],
        read: async (reader, { user = "" }) => {
          const userId = (await userIds.read(reader)).get(user);
          if (userId === undefined) return [];
          const ids = await attributeIds(reader);
          const values = await reader.all(listUserAttributeValues, { params: { userId } });
          return values.flatMap(({ name: attribute, value }) => {
            const attributeId = ids.get(attribute);
            if (value == null || attributeId === undefined) return [];
            return [
              {
                id: `${userId}/${attributeId}`,
                spec: { user, attribute, value },
                status: { userId, attributeId },
              },
            ];
          });
        },
      }),
      create: [set],
      update: [set],
      delete: [
        bind.perObject(setUserAttributeValue, ({ live }: ObjectWrite<Spec>) => ({
          body: {
            userId: String(Number(live?.status["userId"])),
            userAttributeId: String(Number(live?.status["attributeId"])),
            value: null,
          },
        })),
      ],
    };
  },
);
