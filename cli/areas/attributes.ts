// `svc attributes`: the account-wide user attributes and the users' values.
import {
  createUserAttribute,
  createUserAttributes,
  deleteUserAttribute,
  listUserAttributes,
  listUserAttributeValues,
  replaceUserAttributeValues,
  setUserAttributeValue,
  updateUserAttribute,
} from "../../api/user-attributes.ts";
import { type Area, command } from "../operations/command.ts";
import type { Lookup } from "../shared/lookup.ts";
import { userLookup } from "./lookups.ts";

const attribute: Lookup = { label: "attribute", list: listUserAttributes, names: ["name"] };
const lookups = { id: attribute };

/** The area. */
export const attributes: Area = {
  name: "attributes",
  description: "List, create, change and delete user attributes and the users' values.",
  commands: [
    command("list", listUserAttributes),
    command("create", createUserAttribute, { arguments: ["name", "type"] }),
    command("bulk-create", createUserAttributes),
    command("update", updateUserAttribute, { lookups }),
    command("delete", deleteUserAttribute, { lookups }),
    command("values list", listUserAttributeValues, {
      lookups: { userId: userLookup },
      columns: { ID: "userAttributeId", NAME: "name", TYPE: "type", VALUE: "value" },
    }),
    command("values set", setUserAttributeValue, {
      lookups: { userId: userLookup, userAttributeId: attribute },
      arguments: ["userId", "userAttributeId"],
    }),
    command("values replace", replaceUserAttributeValues, { lookups: { userId: userLookup } }),
  ],
};
