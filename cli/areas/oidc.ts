// `svc oidc`: OIDC token configurations, and tokens of deployments.
import {
  createOidcTokenConfig,
  deleteOidcTokenConfig,
  getOidcDiscovery,
  getOidcKeys,
  getOidcTokenConfig,
  issueOidcToken,
  listOidcTokenConfigs,
  updateOidcTokenConfig,
} from "../../api/oidc.ts";
import { type Area, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/deployment-argument.ts";
import type { Lookup } from "../shared/lookup.ts";

const configLookup: Lookup = { label: "config", list: listOidcTokenConfigs, names: ["name"] };
const lookups = { id: configLookup };

/** The area. */
export const oidc: Area = {
  name: "oidc",
  description: "Manage OIDC token configurations, and issue tokens of deployments.",
  commands: [
    command("list", listOidcTokenConfigs, {
      columns: {
        ID: "id",
        NAME: "name",
        TYPE: "audienceType",
        AUDIENCE: "audience",
        SUBJECT: "subFormat",
        ENABLED: "isEnabled",
      },
    }),
    command("get", getOidcTokenConfig, { lookups }),
    command("create", createOidcTokenConfig, { arguments: ["audienceType"] }),
    command("update", updateOidcTokenConfig, { lookups }),
    command("delete", deleteOidcTokenConfig, { lookups }),
    command("token", issueOidcToken, {
      lookups: { ...lookups, deploymentId: deploymentLookup },
      arguments: ["deploymentId"],
    }),
    command("discovery", getOidcDiscovery),
    command("keys", getOidcKeys),
  ],
};
