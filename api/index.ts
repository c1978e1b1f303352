// All operations of the API, grouped by area, in documentation order.
import type { Operation } from "../core/operation/operation.ts";
import * as agents from "./agents.ts";
import * as apiKeys from "./api-keys.ts";
import * as app from "./app.ts";
import * as auditLogs from "./audit-logs.ts";
import * as branches from "./branches.ts";
import * as dataModel from "./data-model.ts";
import * as dashboardExports from "./dashboard-exports.ts";
import * as dashboardComments from "./dashboard-comments.ts";
import * as deployments from "./deployments.ts";
import * as embed from "./embed.ts";
import * as embedDashboards from "./embed-dashboards.ts";
import * as embedTenants from "./embed-tenants.ts";
import * as environments from "./environments.ts";
import * as folders from "./folders.ts";
import * as git from "./git.ts";
import * as github from "./github.ts";
import * as identityProviders from "./identity-providers.ts";
import * as logs from "./logs.ts";
import * as integrations from "./integrations.ts";
import * as notifications from "./notifications.ts";
import * as oauthClients from "./oauth-clients.ts";
import * as oidc from "./oidc.ts";
import * as regions from "./regions.ts";
import * as reports from "./reports.ts";
import * as resourcePolicies from "./resource-policies.ts";
import * as roles from "./roles.ts";
import * as scim from "./scim.ts";
import * as scimIntegrations from "./scim-integrations.ts";
import * as spec from "./spec.ts";
import * as state from "./state.ts";
import * as tenantSettings from "./tenant-settings.ts";
import * as transformSync from "./transform-sync.ts";
import * as usageAnalytics from "./usage-analytics.ts";
import * as userAttributes from "./user-attributes.ts";
import * as userGroups from "./user-groups.ts";
import * as users from "./users.ts";
import * as variables from "./variables.ts";
import * as workloadTrusts from "./workload-trusts.ts";
import * as workbooks from "./workbooks.ts";
import * as workspace from "./workspace.ts";

const areas: readonly Readonly<Record<string, unknown>>[] = [
  deployments,
  dataModel,
  branches,
  environments,
  logs,
  git,
  transformSync,
  agents,
  github,
  variables,
  regions,
  folders,
  reports,
  workspace,
  usageAnalytics,
  workbooks,
  dashboardExports,
  notifications,
  embed,
  embedDashboards,
  dashboardComments,
  embedTenants,
  userAttributes,
  userGroups,
  users,
  roles,
  resourcePolicies,
  apiKeys,
  workloadTrusts,
  identityProviders,
  oauthClients,
  scim,
  scimIntegrations,
  tenantSettings,
  app,
  oidc,
  integrations,
  auditLogs,
  state,
  spec,
];

/** Every declared operation. */
export const operations: readonly Operation[] = areas.flatMap((area) =>
  Object.values(area).filter(isOperation),
);

function isOperation(value: unknown): value is Operation {
  return typeof value === "object" && value !== null && "method" in value && "permission" in value;
}
