// `svc identity-providers`: where users sign in with OpenID Connect.
import {
  createIdentityProvider,
  deleteIdentityProvider,
  getIdentityProvider,
  listIdentityProviders,
  updateIdentityProvider,
} from "../../api/identity-providers.ts";
import { type Area, command } from "../operations/command.ts";
import type { Lookup } from "../shared/lookup/lookup.ts";

const lookups = {
  id: {
    label: "identity provider",
    list: listIdentityProviders,
    listCommand: "identity-providers list",
    names: ["name"],
  } satisfies Lookup,
};

/** Commands that list, create, change and delete the identity providers at which users sign in. */
export const identityProviders: Area = {
  name: "identity-providers",
  description: "List, create, change and delete the identity providers at which users sign in.",
  commands: [
    command("list", listIdentityProviders, {
      columns: {
        ID: "id",
        NAME: "name",
        ISSUER: "issuer",
        CLIENT: "clientId",
        DOMAINS: "emailDomains",
        REDIRECT: "redirectUri",
      },
    }),
    command("get", getIdentityProvider, { lookups }),
    // Other users can read a command line: the secret comes from --data @file or --data -.
    command("create", createIdentityProvider, { arguments: ["name"] }),
    command("update", updateIdentityProvider, { lookups }),
    command("delete", deleteIdentityProvider, { lookups }),
  ],
};
