// The areas of the command line: `svc AREA VERB` calls one operation. Each area is loaded when it is named.
import type { Area } from "../operations/command.ts";

/** An area, before it is loaded. */
export interface AreaEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<Area>;
}

/** The areas, in the order of the help. */
export const areas: readonly AreaEntry[] = [
  {
    name: "deployments",
    summary: "list, create, change and delete deployments; versions, tokens and builds",
    load: async () => (await import("./deployments.ts")).deployments,
  },
  {
    name: "data-model",
    summary: "list, read and change the files of a data model",
    load: async () => (await import("./data-model.ts")).dataModel,
  },
  {
    name: "branches",
    summary: "list, create, delete, commit and merge branches",
    load: async () => (await import("./branches.ts")).branches,
  },
  {
    name: "dev-mode",
    summary: "work on a personal branch",
    load: async () => (await import("./dev-mode.ts")).devMode,
  },
  {
    name: "environments",
    summary: "environments of a deployment, with the addresses of their APIs",
    load: async () => (await import("./environments.ts")).environments,
  },
  {
    name: "staging",
    summary: "list, enable and disable staging environments",
    load: async () => (await import("./environments.ts")).staging,
  },
  {
    name: "logs",
    summary: "log lines of a deployment: builds, requests and failed queries",
    load: async () => (await import("./logs.ts")).logs,
  },
  {
    name: "agents",
    summary: "skills of agents in a data model",
    load: async () => (await import("./agents.ts")).agents,
  },
  {
    name: "git",
    summary: "connect the data model of a deployment to a Git remote",
    load: async () => (await import("./git.ts")).git,
  },
  {
    name: "github",
    summary: "installations of the GitHub App, and connecting one of their repositories",
    load: async () => (await import("./github.ts")).github,
  },
  {
    name: "sync",
    summary: "generate model files from the manifest of a transformation project",
    load: async () => (await import("./sync.ts")).sync,
  },
  {
    name: "variables",
    summary: "environment variables of a deployment",
    load: async () => (await import("./variables.ts")).variables,
  },
  {
    name: "folders",
    summary: "folders of a deployment",
    load: async () => (await import("./folders.ts")).folders,
  },
  {
    name: "workspace",
    summary: "list, move and delete folders with what they contain",
    load: async () => (await import("./workspace.ts")).workspace,
  },
  {
    name: "workbooks",
    summary: "workbooks and their dashboards",
    load: async () => (await import("./workbooks.ts")).workbooks,
  },
  {
    name: "reports",
    summary: "reports, and the workbooks that they are connected to",
    load: async () => (await import("./reports.ts")).reports,
  },
  {
    name: "notifications",
    summary: "notifications and their recipients",
    load: async () => (await import("./notifications.ts")).notifications,
  },
  {
    name: "embed",
    summary: "sessions of signed embedding, embed tenants, and embedded dashboards",
    load: async () => (await import("./embed.ts")).embed,
  },
  {
    name: "users",
    summary: "the account's own users",
    load: async () => (await import("./users.ts")).users,
  },
  {
    name: "groups",
    summary: "account-wide groups and their users",
    load: async () => (await import("./groups.ts")).groups,
  },
  {
    name: "attributes",
    summary: "user attributes and the users' values",
    load: async () => (await import("./attributes.ts")).attributes,
  },
  {
    name: "roles",
    summary: "roles and the users who have them",
    load: async () => (await import("./roles.ts")).roles,
  },
  {
    name: "policies",
    summary: "which users and groups may do what with an object",
    load: async () => (await import("./policies.ts")).policies,
  },
  {
    name: "scim",
    summary: "users and groups as an identity provider sees them",
    load: async () => (await import("./scim.ts")).scim,
  },
  {
    name: "scim-integrations",
    summary: "identity providers that provision users and groups",
    load: async () => (await import("./scim-integrations.ts")).scimIntegrations,
  },
  {
    name: "api-keys",
    summary: "API keys",
    load: async () => (await import("./api-keys.ts")).apiKeys,
  },
  {
    name: "workload-trusts",
    summary: "which CI pipelines sign in without a key, and what they may do",
    load: async () => (await import("./workload-trusts.ts")).workloadTrusts,
  },
  {
    name: "identity-providers",
    summary: "where users sign in with OpenID Connect",
    load: async () => (await import("./identity-providers.ts")).identityProviders,
  },
  {
    name: "oauth-clients",
    summary: "programs to which users give access",
    load: async () => (await import("./oauth-clients.ts")).oauthClients,
  },
  {
    name: "tenant",
    summary: "settings of the account",
    load: async () => (await import("./tenant.ts")).tenant,
  },
  {
    name: "app",
    summary: "theme of the application, and what its pages show",
    load: async () => (await import("./app.ts")).app,
  },
  {
    name: "integrations",
    summary: "OAuth integrations, and your tokens of them",
    load: async () => (await import("./integrations.ts")).integrations,
  },
  {
    name: "oidc",
    summary: "OIDC token configurations, and tokens of deployments",
    load: async () => (await import("./oidc.ts")).oidc,
  },
  {
    name: "usage",
    summary: "who viewed the dashboards and reports of a deployment",
    load: async () => (await import("./usage.ts")).usage,
  },
  {
    name: "audit",
    summary: "who changed what, and when",
    load: async () => (await import("./audit.ts")).audit,
  },
  {
    name: "regions",
    summary: "regions that deployments run in",
    load: async () => (await import("./regions.ts")).regions,
  },
];
