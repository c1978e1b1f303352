// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { Deployment } from "./deployment.ts";
import { EnvironmentVariable } from "./environmentVariable.ts";
import { UserAttribute } from "./userAttribute.ts";
import { UserGroup } from "./userGroup.ts";
import { User } from "./user.ts";
import { ApiKey } from "./apiKey.ts";
import { EmbedTenant } from "./embedTenant.ts";
import { EmbedGroup } from "./embedGroup.ts";
import { EmbedUserAttribute } from "./embedUserAttribute.ts";
import { EmbedUser } from "./embedUser.ts";
import { Workbook } from "./workbook.ts";
import { Notification } from "./notification.ts";
import { NotificationRecipient } from "./notificationRecipient.ts";
import { NotificationEmbedRecipient } from "./notificationEmbedRecipient.ts";
import { EmbedTenantSetup } from "./embedTenantSetup.ts";
import { Provider } from "./provider.ts";
import * as enums from "./types/enums.ts";
import * as input from "./types/input.ts";
import * as output from "./types/output.ts";
import { version } from "./utilities.ts";

export { Deployment, type DeploymentArgs } from "./deployment.ts";
export { EnvironmentVariable, type EnvironmentVariableArgs } from "./environmentVariable.ts";
export { UserAttribute, type UserAttributeArgs } from "./userAttribute.ts";
export { UserGroup, type UserGroupArgs } from "./userGroup.ts";
export { User, type UserArgs } from "./user.ts";
export { ApiKey, type ApiKeyArgs } from "./apiKey.ts";
export { EmbedTenant, type EmbedTenantArgs } from "./embedTenant.ts";
export { EmbedGroup, type EmbedGroupArgs } from "./embedGroup.ts";
export { EmbedUserAttribute, type EmbedUserAttributeArgs } from "./embedUserAttribute.ts";
export { EmbedUser, type EmbedUserArgs } from "./embedUser.ts";
export { Workbook, type WorkbookArgs } from "./workbook.ts";
export { Notification, type NotificationArgs } from "./notification.ts";
export { NotificationRecipient, type NotificationRecipientArgs } from "./notificationRecipient.ts";
export { NotificationEmbedRecipient, type NotificationEmbedRecipientArgs } from "./notificationEmbedRecipient.ts";
export { EmbedTenantSetup, type EmbedTenantSetupArgs } from "./embedTenantSetup.ts";
export { getDeployment, getDeploymentOutput, type GetDeploymentArgs, type GetDeploymentOutputArgs, type GetDeploymentResult } from "./getDeployment.ts";
export { getDeployments, getDeploymentsOutput, type GetDeploymentsArgs, type GetDeploymentsOutputArgs, type GetDeploymentsResult } from "./getDeployments.ts";
export { getEnvironmentVariable, getEnvironmentVariableOutput, type GetEnvironmentVariableArgs, type GetEnvironmentVariableOutputArgs, type GetEnvironmentVariableResult } from "./getEnvironmentVariable.ts";
export { getEnvironmentVariables, getEnvironmentVariablesOutput, type GetEnvironmentVariablesArgs, type GetEnvironmentVariablesOutputArgs, type GetEnvironmentVariablesResult } from "./getEnvironmentVariables.ts";
export { getUserAttribute, getUserAttributeOutput, type GetUserAttributeArgs, type GetUserAttributeOutputArgs, type GetUserAttributeResult } from "./getUserAttribute.ts";
export { getUserAttributes, getUserAttributesOutput, type GetUserAttributesArgs, type GetUserAttributesOutputArgs, type GetUserAttributesResult } from "./getUserAttributes.ts";
export { getUserGroup, getUserGroupOutput, type GetUserGroupArgs, type GetUserGroupOutputArgs, type GetUserGroupResult } from "./getUserGroup.ts";
export { getUserGroups, getUserGroupsOutput, type GetUserGroupsArgs, type GetUserGroupsOutputArgs, type GetUserGroupsResult } from "./getUserGroups.ts";
export { getUser, getUserOutput, type GetUserArgs, type GetUserOutputArgs, type GetUserResult } from "./getUser.ts";
export { getUsers, getUsersOutput, type GetUsersArgs, type GetUsersOutputArgs, type GetUsersResult } from "./getUsers.ts";
export { getApiKey, getApiKeyOutput, type GetApiKeyArgs, type GetApiKeyOutputArgs, type GetApiKeyResult } from "./getApiKey.ts";
export { getApiKeys, getApiKeysOutput, type GetApiKeysArgs, type GetApiKeysOutputArgs, type GetApiKeysResult } from "./getApiKeys.ts";
export { getEmbedTenant, getEmbedTenantOutput, type GetEmbedTenantArgs, type GetEmbedTenantOutputArgs, type GetEmbedTenantResult } from "./getEmbedTenant.ts";
export { getEmbedTenants, getEmbedTenantsOutput, type GetEmbedTenantsArgs, type GetEmbedTenantsOutputArgs, type GetEmbedTenantsResult } from "./getEmbedTenants.ts";
export { getEmbedGroup, getEmbedGroupOutput, type GetEmbedGroupArgs, type GetEmbedGroupOutputArgs, type GetEmbedGroupResult } from "./getEmbedGroup.ts";
export { getEmbedGroups, getEmbedGroupsOutput, type GetEmbedGroupsArgs, type GetEmbedGroupsOutputArgs, type GetEmbedGroupsResult } from "./getEmbedGroups.ts";
export { getEmbedUserAttribute, getEmbedUserAttributeOutput, type GetEmbedUserAttributeArgs, type GetEmbedUserAttributeOutputArgs, type GetEmbedUserAttributeResult } from "./getEmbedUserAttribute.ts";
export { getEmbedUserAttributes, getEmbedUserAttributesOutput, type GetEmbedUserAttributesArgs, type GetEmbedUserAttributesOutputArgs, type GetEmbedUserAttributesResult } from "./getEmbedUserAttributes.ts";
export { getEmbedUser, getEmbedUserOutput, type GetEmbedUserArgs, type GetEmbedUserOutputArgs, type GetEmbedUserResult } from "./getEmbedUser.ts";
export { getEmbedUsers, getEmbedUsersOutput, type GetEmbedUsersArgs, type GetEmbedUsersOutputArgs, type GetEmbedUsersResult } from "./getEmbedUsers.ts";
export { getWorkbook, getWorkbookOutput, type GetWorkbookArgs, type GetWorkbookOutputArgs, type GetWorkbookResult } from "./getWorkbook.ts";
export { getWorkbooks, getWorkbooksOutput, type GetWorkbooksArgs, type GetWorkbooksOutputArgs, type GetWorkbooksResult } from "./getWorkbooks.ts";
export { getNotification, getNotificationOutput, type GetNotificationArgs, type GetNotificationOutputArgs, type GetNotificationResult } from "./getNotification.ts";
export { getNotifications, getNotificationsOutput, type GetNotificationsArgs, type GetNotificationsOutputArgs, type GetNotificationsResult } from "./getNotifications.ts";
export { getNotificationRecipient, getNotificationRecipientOutput, type GetNotificationRecipientArgs, type GetNotificationRecipientOutputArgs, type GetNotificationRecipientResult } from "./getNotificationRecipient.ts";
export { getNotificationRecipients, getNotificationRecipientsOutput, type GetNotificationRecipientsArgs, type GetNotificationRecipientsOutputArgs, type GetNotificationRecipientsResult } from "./getNotificationRecipients.ts";
export { getNotificationEmbedRecipient, getNotificationEmbedRecipientOutput, type GetNotificationEmbedRecipientArgs, type GetNotificationEmbedRecipientOutputArgs, type GetNotificationEmbedRecipientResult } from "./getNotificationEmbedRecipient.ts";
export { getNotificationEmbedRecipients, getNotificationEmbedRecipientsOutput, type GetNotificationEmbedRecipientsArgs, type GetNotificationEmbedRecipientsOutputArgs, type GetNotificationEmbedRecipientsResult } from "./getNotificationEmbedRecipients.ts";
export { Provider, type ProviderArgs } from "./provider.ts";
export { config } from "./config.ts";

/** Returns the module of nested types. */
export const types = { enums, input, output };

pulumi.runtime.registerResourceModule("svc", "index", {
    version,
    construct: (resourceName: string, type: string, urn: string): pulumi.Resource => {
        switch (type) {
            case "svc:index:Deployment":
                return new Deployment(resourceName, undefined as never, { urn });
            case "svc:index:EnvironmentVariable":
                return new EnvironmentVariable(resourceName, undefined as never, { urn });
            case "svc:index:UserAttribute":
                return new UserAttribute(resourceName, undefined as never, { urn });
            case "svc:index:UserGroup":
                return new UserGroup(resourceName, undefined as never, { urn });
            case "svc:index:User":
                return new User(resourceName, undefined as never, { urn });
            case "svc:index:ApiKey":
                return new ApiKey(resourceName, undefined as never, { urn });
            case "svc:index:EmbedTenant":
                return new EmbedTenant(resourceName, undefined as never, { urn });
            case "svc:index:EmbedGroup":
                return new EmbedGroup(resourceName, undefined as never, { urn });
            case "svc:index:EmbedUserAttribute":
                return new EmbedUserAttribute(resourceName, undefined as never, { urn });
            case "svc:index:EmbedUser":
                return new EmbedUser(resourceName, undefined as never, { urn });
            case "svc:index:Workbook":
                return new Workbook(resourceName, undefined as never, { urn });
            case "svc:index:Notification":
                return new Notification(resourceName, undefined as never, { urn });
            case "svc:index:NotificationRecipient":
                return new NotificationRecipient(resourceName, undefined as never, { urn });
            case "svc:index:NotificationEmbedRecipient":
                return new NotificationEmbedRecipient(resourceName, undefined as never, { urn });
            case "svc:index:EmbedTenantSetup":
                return new EmbedTenantSetup(resourceName, undefined as never, { urn });
            default:
                throw new Error(`This package has no resource ${type}`);
        }
    },
});
pulumi.runtime.registerResourcePackage("svc", {
    version,
    constructProvider: (resourceName: string, type: string, urn: string): pulumi.ProviderResource => {
        if (type !== "pulumi:providers:svc") throw new Error(`This package has no provider ${type}`);
        return new Provider(resourceName, undefined, { urn });
    },
});
