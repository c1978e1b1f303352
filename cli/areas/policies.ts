// `svc policies`: which users and groups may do what with an object.
import { getResourcePolicies, setGroupPolicy, setUserPolicy } from "../../api/resource-policies.ts";
import { type Area, command } from "../operations/command.ts";
import { groupLookup, userLookup } from "./lookups.ts";

/** The area. */
export const policies: Area = {
  name: "policies",
  description: "Read and set the policies of deployments, folders, workbooks and other objects.",
  commands: [
    command("list", getResourcePolicies, { arguments: ["resourceType", "resourceId"] }),
    command("set-user", setUserPolicy, {
      description:
        "Set the policy of a user on an object. Without --user, sets that of all of the account's own users; without --action, removes it.",
      arguments: ["resourceType", "resourceId"],
      flags: { userId: { name: "user", doc: "ID, email or username" } },
      lookups: { userId: userLookup },
    }),
    command("set-group", setGroupPolicy, {
      description: "Set the policy of a group on an object. Without --action, removes it.",
      arguments: ["resourceType", "resourceId", "groupId"],
      lookups: { groupId: groupLookup },
    }),
  ],
};
