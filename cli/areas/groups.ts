// `svc groups`: the account-wide groups and their users.
import {
  addUserGroupUsers,
  createUserGroup,
  createUserGroups,
  deleteGroup,
  getUserGroup,
  listUserGroups,
  listUserGroupUsers,
  removeUserGroupUsers,
  updateUserGroup,
} from "../../api/user-groups.ts";
import { type Area, command, type ExtraValues } from "../operations/command.ts";
import { groupLookup } from "./lookups.ts";

const lookups = { id: groupLookup };
const users = {
  lookups,
  flags: { members: false },
  extraArguments: [{ syntax: "<users...>", doc: "ID or email of each user" }],
  complete: async ({ args: [given] }: ExtraValues) => ({
    body: {
      members: [given]
        .flat()
        .map((one) => (/^[0-9]+$/u.test(String(one)) ? { userId: Number(one) } : { email: one })),
    },
  }),
} as const;

/** Commands that list, create, change and delete account-wide groups and their users. */
export const groups: Area = {
  name: "groups",
  description: "List, create, change and delete account-wide groups and their users.",
  groups: { users: "users in a group" },
  commands: [
    command("list", listUserGroups),
    command("get", getUserGroup, { lookups }),
    command("create", createUserGroup, { arguments: ["name"] }),
    command("bulk-create", createUserGroups),
    command("update", updateUserGroup, { lookups }),
    command("delete", deleteGroup, { lookups }),
    command("users list", listUserGroupUsers, { lookups }),
    command("users add", addUserGroupUsers, users),
    command("users remove", removeUserGroupUsers, users),
  ],
};
