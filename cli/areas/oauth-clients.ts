// `svc oauth-clients`: programs to which the account's users give access.
import {
  createOAuthClient,
  deleteOAuthClient,
  getOAuthClient,
  listOAuthClients,
  updateOAuthClient,
} from "../../api/oauth-clients.ts";
import { type Area, command } from "../operations/command.ts";
import type { Lookup } from "../shared/lookup/lookup.ts";
import { permissionsPage } from "./scope-flags.ts";

const lookups = {
  id: {
    label: "OAuth client",
    list: listOAuthClients,
    listCommand: "oauth-clients list",
    names: ["clientId"],
  } satisfies Lookup,
};

const flags = {
  scopes: { doc: `permission that its tokens are limited to (default: all); ${permissionsPage}` },
};

/** Commands that list, create, change and delete programs to which users give access. */
export const oauthClients: Area = {
  name: "oauth-clients",
  description: "List, create, change and delete programs to which users give access.",
  commands: [
    command("list", listOAuthClients, {
      columns: {
        ID: "id",
        CLIENT: "clientId",
        NAME: "name",
        SECRET: "isConfidential",
        DEVICES: "allowsDevices",
        REDIRECTS: "redirectUris",
        SCOPES: "scopes",
      },
    }),
    command("get", getOAuthClient, { lookups }),
    // Other users can read a command line: the secret comes from --data @file or --data -.
    command("create", createOAuthClient, { arguments: ["clientId"], flags }),
    command("update", updateOAuthClient, { lookups, flags }),
    command("delete", deleteOAuthClient, { lookups }),
  ],
};
