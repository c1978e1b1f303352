// All kinds and components, in documentation order.
import type { Component } from "../core/component.ts";
import type { Kind } from "../core/kind.ts";
import { apiKey } from "./api-key.ts";
import { branch } from "./branch.ts";
import { dataModel } from "./data-model.ts";
import { deployment } from "./deployment.ts";
import { embedGroup } from "./embed-group.ts";
import { embedTenant } from "./embed-tenant.ts";
import { embedTenantSetup } from "./embed-tenant-setup.ts";
import { embedUser } from "./embed-user.ts";
import { embedUserAttribute } from "./embed-user-attribute.ts";
import { environmentVariable } from "./environment-variable.ts";
import { folder } from "./folder.ts";
import { notification } from "./notification.ts";
import { notificationEmbedRecipient } from "./notification-embed-recipient.ts";
import { notificationRecipient } from "./notification-recipient.ts";
import { stagingEnvironment } from "./staging-environment.ts";
import { transformIntegration } from "./transform-integration.ts";
import { user } from "./user.ts";
import { userAttribute } from "./user-attribute.ts";
import { userGroup } from "./user-group.ts";
import { workbook } from "./workbook.ts";

/** All resource types. */
export const kinds: readonly Kind[] = [
  deployment,
  environmentVariable,
  branch,
  stagingEnvironment,
  dataModel,
  transformIntegration,
  userAttribute,
  userGroup,
  user,
  apiKey,
  embedTenant,
  embedGroup,
  embedUserAttribute,
  embedUser,
  folder,
  workbook,
  notification,
  notificationRecipient,
  notificationEmbedRecipient,
];

/** The resource type of the document that `svc init` writes: it stands alone and has no secret. */
export const starterKind: Kind = userGroup;

/** All components, which Pulumi and CDK offer as one resource each. */
export const components: readonly Component[] = [embedTenantSetup];
