// All kinds and components, in documentation order.
import type { Component } from "../core/kind/component.ts";
import type { Kind } from "../core/kind/kind.ts";
import { allTenantsEmbedAccess } from "./all-tenants-embed-access.ts";
import { apiKey } from "./api-key.ts";
import { appConfig } from "./app-config.ts";
import { branch } from "./branch.ts";
import {
  dashboardAccess,
  dashboardAllUsersAccess,
  dashboardUserAccess,
} from "./dashboard-access.ts";
import { dashboardEmbedAccess } from "./dashboard-embed-access.ts";
import { dataModel } from "./data-model.ts";
import { deployment } from "./deployment.ts";
import {
  deploymentAccess,
  deploymentAllUsersAccess,
  deploymentUserAccess,
} from "./deployment-access.ts";
import { embedGroup } from "./embed-group.ts";
import { embedGroupMembership } from "./embed-group-membership.ts";
import { embedTenant } from "./embed-tenant.ts";
import { embedTenantSetup } from "./embed-tenant-setup.ts";
import { embedUser } from "./embed-user.ts";
import { embedUserAttribute } from "./embed-user-attribute.ts";
import { environmentVariable } from "./environment-variable.ts";
import { folder } from "./folder.ts";
import { gitConnection } from "./git-connection.ts";
import { folderAccess, folderAllUsersAccess, folderUserAccess } from "./folder-access.ts";
import { groupMembership } from "./group-membership.ts";
import { identityProvider } from "./identity-provider.ts";
import { notification } from "./notification.ts";
import { notificationEmbedRecipient } from "./notification-embed-recipient.ts";
import { notificationRecipient } from "./notification-recipient.ts";
import { oauthClient } from "./oauth-client.ts";
import { oauthIntegration } from "./oauth-integration.ts";
import { oidcTokenConfig } from "./oidc-token-config.ts";
import { role } from "./role.ts";
import { roleAssignment } from "./role-assignment.ts";
import { report } from "./report.ts";
import { reportAccess, reportAllUsersAccess, reportUserAccess } from "./report-access.ts";
import { stagingEnvironment } from "./staging-environment.ts";
import { scimIntegration } from "./scim-integration.ts";
import { tenantSettingsKind } from "./tenant-settings.ts";
import { transformIntegration } from "./transform-integration.ts";
import { user } from "./user.ts";
import { userAttribute } from "./user-attribute.ts";
import { userAttributeValue } from "./user-attribute-value.ts";
import { userGroup } from "./user-group.ts";
import { workloadTrust } from "./workload-trust.ts";
import { workbook } from "./workbook.ts";
import { workbookAccess, workbookAllUsersAccess, workbookUserAccess } from "./workbook-access.ts";

/** All resource types. */
export const kinds: readonly Kind[] = [
  deployment,
  environmentVariable,
  branch,
  stagingEnvironment,
  dataModel,
  gitConnection,
  transformIntegration,
  userAttribute,
  userGroup,
  role,
  user,
  roleAssignment,
  groupMembership,
  deploymentAccess,
  deploymentUserAccess,
  deploymentAllUsersAccess,
  userAttributeValue,
  apiKey,
  workloadTrust,
  embedTenant,
  embedGroup,
  embedUserAttribute,
  embedUser,
  embedGroupMembership,
  folder,
  folderAccess,
  folderUserAccess,
  folderAllUsersAccess,
  workbook,
  workbookAccess,
  workbookUserAccess,
  workbookAllUsersAccess,
  dashboardAccess,
  dashboardUserAccess,
  dashboardAllUsersAccess,
  dashboardEmbedAccess,
  allTenantsEmbedAccess,
  report,
  reportAccess,
  reportUserAccess,
  reportAllUsersAccess,
  notification,
  notificationRecipient,
  notificationEmbedRecipient,
  tenantSettingsKind,
  appConfig,
  oauthIntegration,
  oidcTokenConfig,
  identityProvider,
  oauthClient,
  scimIntegration,
];

/** The resource type of the document that `svc init` writes: it refers to nothing and has no secret. */
export const starterKind: Kind = userGroup;

/** All components, which Pulumi and CDK offer as one resource each. */
export const components: readonly Component[] = [embedTenantSetup];
