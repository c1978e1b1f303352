// `svc integrations`: OAuth integrations, and the tokens of the current user.
import {
  completeUserOAuthToken,
  createOAuthIntegration,
  deleteOAuthIntegration,
  deleteUserOAuthToken,
  getOAuthIntegration,
  getUserOAuthToken,
  initiateUserOAuthToken,
  issueUserOAuthToken,
  listOAuthIntegrations,
  listUserOAuthTokens,
  updateOAuthIntegration,
} from "../../api/integrations.ts";
import { type Area, command } from "../operations/command.ts";
import type { Lookup } from "../shared/lookup/lookup.ts";

const integrationLookup: Lookup = {
  label: "integration",
  list: listOAuthIntegrations,
  listCommand: "integrations list",
  names: ["name"],
};
const lookups = { id: integrationLookup };
const ofToken = { integrationId: integrationLookup };

/** Commands that manage OAuth integrations, and get tokens of them. */
export const integrations: Area = {
  name: "integrations",
  description: "Manage OAuth integrations, and get tokens of them.",
  groups: { tokens: "your tokens of OAuth integrations" },
  commands: [
    command("list", listOAuthIntegrations, {
      columns: { ID: "id", NAME: "name", TYPE: "type", CLIENT: "clientId", SCOPES: "scopes" },
    }),
    command("get", getOAuthIntegration, { lookups }),
    // Other users can read a command line: the secret comes from --data @file or --data -.
    command("create", createOAuthIntegration, { arguments: ["name"] }),
    command("update", updateOAuthIntegration, { lookups }),
    command("delete", deleteOAuthIntegration, { lookups }),
    command("tokens list", listUserOAuthTokens, {
      columns: {
        INTEGRATION: "integrationId",
        STATUS: "status",
        EXPIRES: "accessTokenExpiresAt",
        ERROR: "lastError",
      },
    }),
    command("tokens get", getUserOAuthToken, { lookups: ofToken }),
    command("tokens initiate", initiateUserOAuthToken, { lookups: ofToken }),
    command("tokens complete", completeUserOAuthToken, { lookups: ofToken }),
    command("tokens issue", issueUserOAuthToken, { lookups: ofToken }),
    command("tokens revoke", deleteUserOAuthToken, { lookups: ofToken }),
  ],
};
