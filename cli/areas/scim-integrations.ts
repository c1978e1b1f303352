// `svc scim-integrations`: identity providers that provision users and groups, each with its own token.
import {
  createScimIntegration,
  deleteScimIntegration,
  getScimIntegration,
  listScimIntegrations,
  rotateScimIntegrationToken,
  updateScimIntegration,
} from "../../api/scim-integrations.ts";
import { type Area, command } from "../operations/command.ts";
import type { Lookup } from "../shared/lookup/lookup.ts";

const lookups = {
  id: {
    label: "SCIM integration",
    list: listScimIntegrations,
    listCommand: "scim-integrations list",
    names: ["name"],
  } satisfies Lookup,
};
const flags = {
  providerType: { name: "type" },
  isEnabled: { name: "enabled" },
  defaultRoles: { name: "role", doc: "role of the users that the integration creates" },
} as const;

/** Commands that list, create, change and delete identity providers that provision users. */
export const scimIntegrations: Area = {
  name: "scim-integrations",
  description: "List, create, change and delete identity providers that provision users.",
  commands: [
    command("list", listScimIntegrations, {
      columns: {
        ID: "id",
        NAME: "name",
        TYPE: "providerType",
        ENABLED: "isEnabled",
        USERS: "userCount",
        GROUPS: "groupCount",
        "LAST REQUEST": "lastRequestAt",
      },
    }),
    command("get", getScimIntegration, { lookups }),
    command("create", createScimIntegration, { arguments: ["name"], flags }),
    command("update", updateScimIntegration, { lookups, flags }),
    command("rotate-token", rotateScimIntegrationToken, { lookups }),
    command("delete", deleteScimIntegration, { lookups }),
  ],
};
