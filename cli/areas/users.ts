// `svc users`: the account's own users.
import {
  bulkUsers,
  createPasswordLink,
  createUser,
  deleteUser,
  getCurrentUser,
  getUser,
  listUsers,
  setUserGroups,
  updateUser,
  updateUserSettings,
} from "../../api/users.ts";
import { upperFirst } from "../../core/text/naming.ts";
import { type Area, command } from "../operations/command.ts";
import { userLookup } from "./lookups.ts";

const lookups = { id: userLookup };
const roleFlag = { defaultRoles: { name: "role" } } as const;

/** Commands that list, create, change and delete the account's own users. */
export const users: Area = {
  name: "users",
  description: "List, create, change and delete the account's own users.",
  commands: [
    command("list", listUsers, {
      columns: {
        ID: "id",
        EMAIL: "email",
        USERNAME: "username",
        NAME: "firstName",
        ADMIN: "isAdmin",
        DEACTIVATED: "isDeactivated",
        GROUPS: "groups",
      },
    }),
    command("me", getCurrentUser),
    command("settings", updateUserSettings),
    command("get", getUser, { lookups }),
    command("create", createUser, {
      arguments: ["email"],
      flags: {
        ...roleFlag,
        username: { sameAs: "email", doc: "name to sign in with (default: the email)" },
      },
    }),
    command("update", updateUser, { lookups, flags: roleFlag }),
    command("delete", deleteUser, { lookups }),
    command("invite", createPasswordLink, { lookups }),
    command("set-groups", setUserGroups, { lookups, arguments: ["groups"] }),
    command("bulk", bulkUsers, {
      arguments: ["action", "userIds"],
      lookups: { userIds: userLookup },
      confirm: (_, { values: [action, named] }) =>
        questionOf(String(action), [named].flat().map(String)),
    }),
  ],
};

/** Returns the question of a bulk action: `Delete users ana, ben`. */
function questionOf(action: string, named: readonly string[]): string {
  const noun = named.length === 1 ? "user" : "users";
  return `${upperFirst(action.toLowerCase())} ${noun} ${named.join(", ")}`;
}
