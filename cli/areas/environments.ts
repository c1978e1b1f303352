// `svc environments` and `svc staging`: the environments that serve the branches of a deployment.
import { setStagingEnvironment } from "../../api/branches.ts";
import {
  createEnvironmentToken,
  createMetaSyncToken,
  listEnvironments,
  listEnvironmentTokens,
} from "../../api/environments.ts";
import { type Area, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";

const list = {
  lookups: { deploymentId: deploymentLookup },
  columns: {
    ID: "id",
    TYPE: "type",
    BRANCH: "branch",
    USER: "user",
    URL: ({ api_credentials: [first] }: { readonly api_credentials: readonly { url: string }[] }) =>
      first?.url,
  },
} as const;
const stagingOf = {
  lookups: { deploymentId: deploymentLookup },
  arguments: ["branchName"],
} as const;

const ofEnvironment = { lookups: { deploymentId: deploymentLookup } } as const;

/** The area of all environments. */
export const environments: Area = {
  name: "environments",
  description:
    "List the environments of a deployment, with the addresses of their APIs, and create tokens for one of them.",
  groups: { tokens: "tokens for the APIs of an environment" },
  commands: [
    command("list", listEnvironments, list),
    command("tokens list", listEnvironmentTokens, {
      ...ofEnvironment,
      description:
        "List your valid tokens of an environment, newest first. The tokens themselves are hidden: only the command that creates one prints it.",
      columns: {
        CREATED: "created_at",
        EXPIRES: "expires_at",
        SCOPES: ({ scopes = [] }: { readonly scopes?: readonly string[] }) => scopes.join(","),
      },
    }),
    command("tokens create", createEnvironmentToken, ofEnvironment),
    command("tokens create-for-meta-sync", createMetaSyncToken, ofEnvironment),
  ],
};

/** The area of staging environments. */
export const staging: Area = {
  name: "staging",
  description: "List, enable and disable the staging environments of shared branches.",
  commands: [
    command("list", listEnvironments, {
      ...list,
      description: "List the enabled staging environments, with the addresses of their APIs.",
      fixed: { type: "staging" },
    }),
    command("enable", setStagingEnvironment, {
      ...stagingOf,
      description: "Keep the staging environment of a shared branch always active.",
      fixed: { enabled: true },
    }),
    command("disable", setStagingEnvironment, {
      ...stagingOf,
      description:
        "Serve a shared branch only while a session is open on a personal branch that was forked from it.",
      examples: { "stop the environment of a branch": "svc staging disable main feature-x" },
      fixed: { enabled: false },
    }),
  ],
};
