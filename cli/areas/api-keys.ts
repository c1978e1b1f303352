// `svc api-keys`: the API keys of the account.
import {
  createApiKey,
  deleteApiKey,
  getApiKey,
  listApiKeys,
  updateApiKey,
} from "../../api/api-keys.ts";
import { type Area, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";
import type { Lookup } from "../shared/lookup/lookup.ts";
import { userLookup } from "./lookups.ts";
import { scopeFlags } from "./scope-flags.ts";

const apiKey: Lookup = {
  label: "API key",
  list: listApiKeys,
  listCommand: "api-keys list",
  names: ["name"],
};
const scope = scopeFlags("the key is");

/** Commands that list, create, change and delete API keys. */
export const apiKeys: Area = {
  name: "api-keys",
  description: "List, create, change and delete API keys.",
  commands: [
    command("list", listApiKeys, {
      columns: {
        ID: "id",
        NAME: "name",
        PREFIX: "prefix",
        OWNER: "ownerUserId",
        DEPLOYMENTS: ({ deploymentIds }) => deploymentIds ?? "all",
        PERMISSIONS: ({ permissions }) => permissions ?? "all",
        DISABLED: "isDisabled",
        CREATED: "createdAt",
      },
    }),
    command("get", getApiKey, { lookups: { id: apiKey } }),
    command("create", createApiKey, {
      arguments: ["name"],
      lookups: { deploymentIds: deploymentLookup, ownerUserId: userLookup },
      flags: { ...scope, ownerUserId: { name: "owner" } },
    }),
    command("update", updateApiKey, {
      lookups: { id: apiKey, deploymentIds: deploymentLookup },
      flags: scope,
    }),
    command("delete", deleteApiKey, { lookups: { id: apiKey } }),
  ],
};
