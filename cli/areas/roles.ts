// `svc roles`: the roles that administrators define, and the users who have them.
import {
  assignRole,
  createRole,
  deleteRole,
  getRole,
  listRoles,
  listRoleUsers,
  unassignRole,
  updateRole,
} from "../../api/roles.ts";
import { type Area, command } from "../operations/command.ts";
import type { Lookup } from "../shared/lookup/lookup.ts";
import { userLookup } from "./lookups.ts";

const role: Lookup = { label: "role", list: listRoles, listCommand: "roles list", names: ["name"] };
const lookups = { roleId: role };
const ofUser = { lookups: { roleId: role, userId: userLookup } };

/** Commands that list, create, change and delete roles, and assign them to users. */
export const roles: Area = {
  name: "roles",
  description: "List, create, change and delete roles, and assign them to users.",
  groups: { users: "users who have a role" },
  commands: [
    command("list", listRoles, {
      columns: { ID: "id", NAME: "name", DESCRIPTION: "description", USERS: "userCount" },
    }),
    command("get", getRole, { lookups }),
    command("create", createRole, {
      arguments: ["name"],
      description:
        'Create a role. --data has its policies, such as {"policies": [{"resourceType": "Deployment", "resources": "All", "actions": ["DeploymentRead"]}]}. Fails when the name is in use, in any case, or when a built-in role has it, and when a key with chosen permissions grants an action that it lacks.',
      examples: {
        "create a role with the policies in a file": "svc roles create Readers --data @role.json",
      },
    }),
    command("update", updateRole, { lookups }),
    command("delete", deleteRole, { lookups }),
    command("users list", listRoleUsers, { lookups }),
    command("users add", assignRole, ofUser),
    command("users remove", unassignRole, ofUser),
  ],
};
