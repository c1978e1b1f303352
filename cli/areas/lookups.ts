// How users and user groups are named in commands.
import { listUserGroups } from "../../api/user-groups.ts";
import { listUsers } from "../../api/users.ts";
import type { Lookup } from "../shared/lookup.ts";

/** Users, by email or username. */
export const userLookup: Lookup = {
  label: "user",
  list: listUsers,
  names: ["email", "username"],
};

/** Account-wide groups. */
export const groupLookup: Lookup = { label: "group", list: listUserGroups, names: ["name"] };
