// `svc workload-trusts`: which OIDC tokens of CI systems are exchanged for tokens of the account.
import {
  createWorkloadTrust,
  deleteWorkloadTrust,
  getWorkloadTrust,
  listWorkloadTrusts,
  updateWorkloadTrust,
} from "../../api/workload-trusts.ts";
import { type Area, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";
import type { Lookup } from "../shared/lookup/lookup.ts";
import { userLookup } from "./lookups.ts";
import { scopeFlags } from "./scope-flags.ts";

const trust: Lookup = {
  label: "workload trust",
  list: listWorkloadTrusts,
  listCommand: "workload-trusts list",
  names: ["name"],
};
const scope = scopeFlags("the tokens are");

/** Commands that list, create, change and delete trusts in the OIDC tokens of CI systems. */
export const workloadTrusts: Area = {
  name: "workload-trusts",
  description: "List, create, change and delete trusts in the OIDC tokens of CI systems.",
  commands: [
    command("list", listWorkloadTrusts, {
      columns: {
        ID: "id",
        NAME: "name",
        ISSUER: "issuer",
        AUDIENCE: "audience",
        CLAIMS: ({ claims }) => claims.map(({ name, value }) => `${name}=${value}`).join(", "),
        REUSABLE: "isReusable",
        DISABLED: "isDisabled",
      },
    }),
    command("get", getWorkloadTrust, { lookups: { id: trust } }),
    command("create", createWorkloadTrust, {
      arguments: ["name"],
      lookups: { deploymentIds: deploymentLookup, ownerUserId: userLookup },
      flags: { ...scope, ownerUserId: { name: "owner" } },
    }),
    command("update", updateWorkloadTrust, {
      lookups: { id: trust, deploymentIds: deploymentLookup },
      flags: scope,
    }),
    command("delete", deleteWorkloadTrust, { lookups: { id: trust } }),
  ],
};
