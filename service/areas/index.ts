// All operation handlers, by area, in API order.
import type { OperationHandler } from "./shared/operation-handler.ts";
import { agents } from "./agents/index.ts";
import { apiKeys } from "./api-keys/index.ts";
import { app } from "./app/index.ts";
import { auditLogs } from "./audit-logs/index.ts";
import { branches } from "./branches/index.ts";
import { dashboardExports } from "./dashboard-exports/index.ts";
import { dataModel } from "./data-model/index.ts";
import { deployments } from "./deployments/index.ts";
import { embed } from "./embed/index.ts";
import { embedTenants } from "./embed-tenants/index.ts";
import { environments } from "./environments/index.ts";
import { folders } from "./folders/index.ts";
import { git } from "./git/index.ts";
import { github } from "./github/index.ts";
import { identityProviders } from "./identity-providers/index.ts";
import { oauthClients } from "./oauth-clients/index.ts";
import { logs } from "./logs/index.ts";
import { integrations } from "./integrations/index.ts";
import { notifications } from "./notifications/index.ts";
import { oidc } from "./oidc/index.ts";
import { regions } from "./regions/index.ts";
import { reports } from "./reports/index.ts";
import { resourcePolicies } from "./resource-policies/index.ts";
import { roles } from "./roles/index.ts";
import { spec } from "./spec/index.ts";
import { scim } from "./scim/index.ts";
import { scimIntegrations } from "./scim-integrations/index.ts";
import { state } from "./state/index.ts";
import { tenantSettings } from "./tenant-settings/index.ts";
import { transformSync } from "./transform-sync/index.ts";
import { userAttributes } from "./user-attributes/index.ts";
import { userGroups } from "./user-groups/index.ts";
import { users } from "./users/index.ts";
import { usageAnalytics } from "./usage-analytics/index.ts";
import { variables } from "./variables/index.ts";
import { workloadTrusts } from "./workload-trusts/index.ts";
import { workbooks } from "./workbooks/index.ts";
import { workspace } from "./workspace/index.ts";

/** All operation handlers. */
export const handlers: readonly OperationHandler[] = [
  ...deployments,
  ...dataModel,
  ...branches,
  ...environments,
  ...logs,
  ...git,
  ...github,
  ...transformSync,
  ...agents,
  ...variables,
  ...regions,
  ...folders,
  ...reports,
  ...workspace,
  ...usageAnalytics,
  ...workbooks,
  ...dashboardExports,
  ...notifications,
  ...embed,
  ...embedTenants,
  ...userAttributes,
  ...userGroups,
  ...users,
  ...roles,
  ...resourcePolicies,
  ...apiKeys,
  ...workloadTrusts,
  ...identityProviders,
  ...oauthClients,
  ...scim,
  ...scimIntegrations,
  ...tenantSettings,
  ...app,
  ...oidc,
  ...integrations,
  ...auditLogs,
  ...state,
  ...spec,
];
