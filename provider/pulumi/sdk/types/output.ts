// Generated from the kinds by `npm run generate`. Do not edit.
import type * as enums from "./enums.ts";

/** One object of the list. An API credential. The secret is returned once, when the key is created. */
export interface ApiKeyItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Name of the key. The API allows duplicate names, but the names of managed keys must be unique. Allowed: string (1 to 255 characters). */
    name: string;
    /** Email of the user whose permissions the key has. Defaults to the user who creates the key. Refers to a User. A change forces replacement: svc deletes the object and creates a new one. If omitted, the service chooses the value. Allowed: string (1 to 254 characters). */
    owner?: string | undefined;
    /** Deployments that the key can access. `null` means all deployments. Refers to a Deployment. A set: order does not matter and duplicates are removed. Allowed: list (1 to 1000 items) of string (1 to 255 characters). */
    deployments?: string[] | undefined;
    /** Numeric ID, unique in the account. */
    apiKeyId: number;
    /** First characters of the secret, to identify the key. */
    prefix: string;
    /** Time of creation, in UTC. */
    createdAt: string;
}

/** A value of an attribute. */
export interface AttributeValue {
    /** Name of the attribute. Allowed: string (1 to 255 characters). */
    name: string;
    /** Value of the attribute, of the attribute's type. Allowed: string (at most 10000 characters) or number or boolean or list (at most 1000 items) of string (at most 10000 characters) or list (at most 1000 items) of number. */
    value: string | number | boolean | string[] | number[];
}

/** Customer-provided storage. */
export interface DeploymentCspsConfig {
    /** Whether the storage is used. */
    enabled: boolean;
    /** Storage provider. Allowed: string (1 to 255 characters). */
    storageProvider: string;
    /** S3 bucket. Allowed: string (1 to 255 characters). */
    s3Bucket?: string | undefined;
    /** Region of the S3 bucket. Allowed: string (1 to 255 characters). */
    s3Region?: string | undefined;
    /** Server-side encryption of the S3 bucket. Allowed: string (1 to 255 characters). */
    s3Sse?: string | undefined;
    /** ARN of the AWS role. Allowed: string (1 to 2048 characters). */
    awsRoleArn?: string | undefined;
    /** Google Cloud Storage bucket. Allowed: string (1 to 255 characters). */
    gcsBucket?: string | undefined;
    /** Email of the GCP service account. Allowed: string (1 to 255 characters). */
    gcpServiceAccountEmail?: string | undefined;
    /** GCP workload identity provider. Allowed: string (1 to 2048 characters). */
    gcpWorkloadIdentityProvider?: string | undefined;
    /** Azure storage account. Allowed: string (1 to 255 characters). */
    azureStorageAccount?: string | undefined;
    /** Azure storage container. Allowed: string (1 to 255 characters). */
    azureContainer?: string | undefined;
    /** ID of the Azure tenant. Allowed: string (1 to 255 characters). */
    azureTenantId?: string | undefined;
    /** ID of the Azure client. Allowed: string (1 to 255 characters). */
    azureClientId?: string | undefined;
}

/** One object of the list. An analytics deployment: its region, the source of its data model, and its platform version. Deleting it deletes everything in it. */
export interface DeploymentItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Name, unique in the account. A change renames the deployment and keeps its URL. Allowed: string (1 to 255 characters). */
    name: string;
    /** Region that the deployment runs in, such as `aws-us-east-1`. Allowed: string (1 to 255 characters). */
    region: string;
    /** Cloud provider that runs the deployment. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "svccloud", "aws", "gcp". */
    cloudProvider?: string | undefined;
    /** Cloud platform that hosts the deployment. A change forces replacement: svc deletes the object and creates a new one. If omitted, the service chooses the value. Allowed: "aws", "gcp". */
    targetPlatform?: string | undefined;
    /** Whether the vendor manages the deployment. A change forces replacement: svc deletes the object and creates a new one. If omitted, the service chooses the value. */
    isManaged?: boolean | undefined;
    /** How the data model is first imported. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "upload", "svccloud", "github", "ssh". */
    creationMethod?: string | undefined;
    /** How changes to the data model are deployed. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "git", "cli". */
    deployMode?: string | undefined;
    /** Size of the deployment. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "single", "simpleCluster", "multiCluster". */
    template?: string | undefined;
    /** Domain that replaces the host of the deployment's URL. Allowed: string (1 to 253 characters). */
    customDomain?: string | undefined;
    /** Git branch that production is built from. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    deployBranchName?: string | undefined;
    /** Whether direct commits to the deploy branch are rejected. If omitted, the service chooses the value. The API cannot clear the value once it is set. */
    deployBranchReadOnly?: boolean | undefined;
    /** Whether branches can be merged into the deploy branch. If omitted, the service chooses the value. The API cannot clear the value once it is set. */
    deployBranchMergeAllowed?: boolean | undefined;
    /** Folder that contains the data model. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: string (at most 1024 characters). */
    deployProjectRoot?: string | undefined;
    /** Group of views shown first on the launchpad. Allowed: string (1 to 255 characters). */
    defaultLaunchpadViewGroup?: string | undefined;
    /** Tabs of the launchpad, in display order. The API cannot clear the value once it is set. Allowed: list (at most 100 items) of string (1 to 255 characters). */
    launchpadTabs?: string[] | undefined;
    /** Template variables, by name. Variables that are not listed are removed. Values must not be secrets. The API cannot clear the value once it is set. */
    templateVariables?: { [key: string]: string | number | boolean } | undefined;
    /** Customer-provided storage. The API cannot clear the value once it is set. */
    cspsConfig?: DeploymentCspsConfig | undefined;
    /** Release channel and platform version. The API cannot clear the value once it is set. */
    release?: DeploymentRelease | undefined;
    /** Numeric ID, unique in the account. */
    deploymentId: number;
    /** URL of the deployment's data API. */
    deploymentUrl: string;
    /** Current step of the deployment's setup. */
    creationStep: string;
    /** Platform version that the deployment runs, such as `1.2.3`. */
    deploymentVersion?: string | undefined;
    /** Release channel of that version. */
    releaseChannel?: string | undefined;
}

/** Release channel and platform version. */
export interface DeploymentRelease {
    /** Release channel. A change of the channel without a version upgrades to the newest version of the channel. Allowed: "latest", "release". */
    channel?: enums.DeploymentReleaseChannel | (string & {}) | undefined;
    /** Platform version: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`, which are equivalent. It must be one of the deployment's available versions. Allowed: string (at most 255 characters). */
    version?: string | undefined;
    /** Whether automatic upgrades are disabled. Defaults to `true` when the version is not the newest of its channel. */
    hold?: boolean | undefined;
}

/** One object of the list. A group in an embed tenant. Creator-mode sessions and provisioned users refer to it by name. */
export interface EmbedGroupItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Embed tenant that the object belongs to. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** Name, unique in the embed tenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 100 characters). */
    name: string;
    /** Description. A server without direct group operations can update it but cannot clear it. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Numeric ID, unique in the account. */
    embedGroupId: number;
    /** Number of users it contains. */
    userCount?: number | undefined;
}

/** One object of the list. A tenant of signed embedding: one customer, with its own groups, attributes and external users. It is created together with a reserved external user, `svc-provisioner`. Deleting it deletes everything in it. */
export interface EmbedTenantItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Name that sessions refer to: 5 to 36 lowercase letters, digits and hyphens. Starts with a letter and does not end with a hyphen. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    name: string;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** Numeric ID, unique in the account. */
    embedTenantId: number;
    /** Number of users it contains. */
    userCount: number;
    /** Time of creation, in UTC. */
    createdAt?: string | undefined;
}

/** Attributes of the tenant, by name. */
export interface EmbedTenantSetupAttribute {
    /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. A change forces replacement: svc deletes the object and creates a new one. Allowed: "string", "number", "string_array", "number_array". */
    type: enums.EmbedUserAttributeType | (string & {});
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** Default value, as text, for users without a value. The API cannot clear the value once it is set. The format depends on type: for number, a number, such as 2.5; for boolean, true or false; for string_array, strings separated by commas, or a JSON list such as ["a", "b"]; for number_array, numbers separated by commas, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: string | undefined;
    /** Description. The API cannot clear the value once it is set. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
}

/** Groups of the tenant, by name. */
export interface EmbedTenantSetupGroup {
    /** Description. A server without direct group operations can update it but cannot clear it. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
}

/** A scheduled delivery to users of the tenant. */
export interface EmbedTenantSetupNotification {
    /** Deployment that the object belongs to. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** Workbook whose published dashboard is delivered. Refers to a Workbook. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    workbook: string;
    /** Schedule as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). Allowed: string (at most 255 characters). */
    schedule: string;
    /** IANA time zone of the schedule. Defaults to "UTC". Allowed: string (time-zone, 1 to 64 characters). */
    timezone?: string | undefined;
    /** Whether the schedule is active. The API cannot clear the value once it is set. */
    isEnabled?: boolean | undefined;
    /** Whether each run is delivered to the recipients. The API cannot clear the value once it is set. */
    notificationEnabled?: boolean | undefined;
    /** File format of the delivery. The API cannot clear the value once it is set. Allowed: "png", "pdf". */
    notificationFormat?: enums.NotificationNotificationFormat | (string & {}) | undefined;
    /** Whether the delivery includes a generated summary. The API cannot clear the value once it is set. */
    notificationAiSummary?: boolean | undefined;
    /** Filters applied to the dashboard when it is rendered. */
    filters?: NotificationFilter[] | undefined;
    /** Time grains, in the product's export format. */
    timeGrains?: ({ [key: string]: unknown })[] | undefined;
    /** Member switchers, in the product's export format. */
    memberSwitchers?: ({ [key: string]: unknown })[] | undefined;
}

/** Recipients of the notification, by `externalId`. */
export interface EmbedTenantSetupRecipient {
    /** Email address that the external user gets if the `externalId` is not one. `EmbedUser` owns the address: svc sends it only when this field changes, and does not compare it. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: string (email, at most 254 characters). */
    email?: string | undefined;
    /** Account-wide groups that the dashboard is rendered with. Together with `tenantGroups`, they replace the user's own groups. Refers to a UserGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: string[] | undefined;
    /** Groups of the embed tenant that the dashboard is rendered with. Refers to a EmbedGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    tenantGroups?: string[] | undefined;
    /** Values of account-wide attributes that the dashboard is rendered with. Together with `tenantUserAttributes`, they replace the user's own values. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    userAttributes?: AttributeValue[] | undefined;
    /** Values of the embed tenant's attributes that the dashboard is rendered with. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    tenantUserAttributes?: AttributeValue[] | undefined;
    /** Security context of the dashboard's queries: any object. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    securityContext?: { [key: string]: unknown } | undefined;
}

/** The embed tenant. */
export interface EmbedTenantSetupTenant {
    /** Name that sessions refer to: 5 to 36 lowercase letters, digits and hyphens. Starts with a letter and does not end with a hyphen. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    name: string;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
}

/** One object of the list. An attribute of the external users of an embed tenant. It is written through a creator-mode session, so the account's `useCreatorMode` setting must be on. */
export interface EmbedUserAttributeItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Embed tenant that the object belongs to. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** Name, unique in the embed tenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    name: string;
    /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. A change forces replacement: svc deletes the object and creates a new one. Allowed: "string", "number", "string_array", "number_array". */
    type: string;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** Default value, as text, for users without a value. The API cannot clear the value once it is set. The format depends on type: for number, a number, such as 2.5; for boolean, true or false; for string_array, strings separated by commas, or a JSON list such as ["a", "b"]; for number_array, numbers separated by commas, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: string | undefined;
    /** Description. The API cannot clear the value once it is set. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Numeric ID, unique in the account. */
    embedUserAttributeId: number;
}

/** One object of the list. An external user of an embed tenant, identified by its ID in your own system. Declare it to assign groups and attributes before the user's first session. */
export interface EmbedUserItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Embed tenant that the object belongs to. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** Stable ID in your own system: lowercase, without surrounding white space. `svc-provisioner` is reserved. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    externalId: string;
    /** Email address that notifications are sent to. The API cannot clear the value once it is set. Allowed: string (email, at most 254 characters). */
    email?: string | undefined;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** HTTP or HTTPS URL of the avatar. The viewer's browser loads it. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: string (iri, at most 2048 characters). */
    picture?: string | undefined;
    /** Account-wide groups of the user. An empty list removes all memberships. Refers to a UserGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: string[] | undefined;
    /** Groups of the embed tenant that the user is in. An empty list removes all memberships. Refers to a EmbedGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    tenantGroups?: string[] | undefined;
    /** Values of account-wide attributes. `null` clears a value; attributes that are not listed keep their values. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    userAttributes?: AttributeValue[] | undefined;
    /** Numeric ID, unique in the account. */
    embedUserId: number;
    /** Name that the user signs in with. For an external user, the external ID. */
    username: string;
    /** Time of creation, in UTC. */
    createdAt?: string | undefined;
    /** Time of the user's last sign-in, in UTC. */
    lastLogin?: string | undefined;
}

/** One object of the list. An environment variable of a deployment. The API masks the value when the name contains PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of a masked value cannot be detected. */
export interface EnvironmentVariableItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Deployment that the object belongs to. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** Name: letters, digits and underscores. Does not start with a digit. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (at most 255 characters). */
    name: string;
    /** Value. It is never shown, regardless of the name. The API may mask the value, depending on name. svc cannot detect drift of a masked value. Allowed: string (at most 65536 characters). */
    value: string;
    /** ID of a deployment. */
    deploymentId: number;
}

/** One object of the list. An external user who receives a notification, with the groups, attributes and security context that the dashboard is rendered with. */
export interface NotificationEmbedRecipientItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Deployment of the notification. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** Notification to receive. Refers to a Notification. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 2048 characters). */
    notification: string;
    /** Embed tenant of the external user. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** The external user's ID in your own system. The user is created if it does not exist. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    externalId: string;
    /** Email address that the external user gets if the `externalId` is not one. `EmbedUser` owns the address: svc sends it only when this field changes, and does not compare it. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: string (email, at most 254 characters). */
    email?: string | undefined;
    /** Account-wide groups that the dashboard is rendered with. Together with `tenantGroups`, they replace the user's own groups. Refers to a UserGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: string[] | undefined;
    /** Groups of the embed tenant that the dashboard is rendered with. Refers to a EmbedGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    tenantGroups?: string[] | undefined;
    /** Values of account-wide attributes that the dashboard is rendered with. Together with `tenantUserAttributes`, they replace the user's own values. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    userAttributes?: AttributeValue[] | undefined;
    /** Values of the embed tenant's attributes that the dashboard is rendered with. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    tenantUserAttributes?: AttributeValue[] | undefined;
    /** Security context of the dashboard's queries: any object. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    securityContext?: { [key: string]: unknown } | undefined;
    /** ID of a deployment. */
    deploymentId: number;
    /** ID of a notification. */
    notificationId: number;
    /** ID of a user. */
    userId: number;
    /** Value for properties of other resources that refer to this one. */
    key: string;
}

/** A dashboard filter. */
export interface NotificationFilter {
    /** Member of the data model: `view.member`. Allowed: string (at most 255 characters). */
    member: string;
    /** Comparison operator. Allowed: string (1 to 64 characters). */
    operator?: string | undefined;
    /** Value that the member is compared with. */
    value?: unknown | undefined;
    /** Whether the comparison is case-sensitive. */
    caseSensitive?: boolean | undefined;
    /** Whether the start of a range is included. */
    startInclusive?: boolean | undefined;
    /** Whether the end of a range is included. */
    endInclusive?: boolean | undefined;
}

/** One object of the list. A scheduled delivery of a workbook's published dashboard. Notifications have no name: svc identifies them by deployment, workbook, schedule and time zone, and by ID once they are managed. */
export interface NotificationItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Deployment that the object belongs to. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** Workbook whose published dashboard is delivered. Refers to a Workbook. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    workbook: string;
    /** Schedule as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). Allowed: string (at most 255 characters). */
    schedule: string;
    /** IANA time zone of the schedule. Defaults to "UTC". Allowed: string (time-zone, 1 to 64 characters). */
    timezone?: string | undefined;
    /** Whether the schedule is active. The API cannot clear the value once it is set. */
    isEnabled?: boolean | undefined;
    /** Whether each run is delivered to the recipients. The API cannot clear the value once it is set. */
    notificationEnabled?: boolean | undefined;
    /** File format of the delivery. The API cannot clear the value once it is set. Allowed: "png", "pdf". */
    notificationFormat?: string | undefined;
    /** Whether the delivery includes a generated summary. The API cannot clear the value once it is set. */
    notificationAiSummary?: boolean | undefined;
    /** Filters applied to the dashboard when it is rendered. */
    filters?: NotificationFilter[] | undefined;
    /** Time grains, in the product's export format. */
    timeGrains?: ({ [key: string]: unknown })[] | undefined;
    /** Member switchers, in the product's export format. */
    memberSwitchers?: ({ [key: string]: unknown })[] | undefined;
    /** Numeric ID, unique in the account. */
    notificationId: number;
    /** ID of a deployment. */
    deploymentId: number;
    /** ID of a dashboard. */
    dashboardId: number;
    /** Schedule in words. */
    humanReadableSchedule: string;
    /** Value for properties of other resources that refer to this one. */
    key: string;
}

/** One object of the list. A user of the account who receives a notification. For external users, use `NotificationEmbedRecipient`. */
export interface NotificationRecipientItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Deployment of the notification. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** Notification to receive. Refers to a Notification. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 2048 characters). */
    notification: string;
    /** Email of the user, in lowercase. The user must exist. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (email, at most 254 characters). */
    user: string;
    /** ID of a deployment. */
    deploymentId: number;
    /** ID of a notification. */
    notificationId: number;
    /** ID of a user. */
    userId: number;
    /** Name that the user signs in with. For an external user, the external ID. */
    username: string;
}

/** One object of the list. An attribute of the account's users. Access policies in the data model read it as `userAttributes.<name>`. */
export interface UserAttributeItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Name that data models and sessions refer to. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    name: string;
    /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. A change forces replacement: svc deletes the object and creates a new one. Allowed: "string", "number", "boolean", "string_array", "number_array". */
    type: string;
    /** Display name. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** Description. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Default value, as text, for users without a value. The format depends on type: for number, a number, such as 2.5; for boolean, true or false; for string_array, strings separated by commas, or a JSON list such as ["a", "b"]; for number_array, numbers separated by commas, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: string | undefined;
    /** Numeric ID, unique in the account. */
    userAttributeId: number;
}

/** One object of the list. An account-wide group of users. Access policies and dashboards refer to it by name. */
export interface UserGroupItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Name, unique in the account. A change renames the group and keeps its members. Allowed: string (1 to 100 characters). */
    name: string;
    /** Description. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Numeric ID, unique in the account. */
    userGroupId: number;
    /** Number of users it contains. */
    userCount?: number | undefined;
}

/** One object of the list. A user of the account, with role, groups and attribute values. Deleting a user deletes the user's API keys. */
export interface UserItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Email, in lowercase, unique in the account. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (email, at most 254 characters). */
    email: string;
    /** Username for sign-in, unique in the account. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    username: string;
    /** Display name. Allowed: string (1 to 255 characters). */
    firstName?: string | undefined;
    /** Job title. Allowed: string (1 to 255 characters). */
    title?: string | undefined;
    /** HTTP or HTTPS URL of the avatar. Allowed: string (iri, at most 2048 characters). */
    picture?: string | undefined;
    /** Whether the user is an administrator. Administrators have all permissions; other users can only read. The last active administrator of an account cannot be demoted. The API cannot clear the value once it is set. */
    isAdmin?: boolean | undefined;
    /** Whether the user is deactivated. A deactivated user's keys and sessions are rejected. Users cannot deactivate themselves. The API cannot clear the value once it is set. */
    isDeactivated?: boolean | undefined;
    /** Account-wide groups of the user. The list replaces all memberships; an empty list removes them. Refers to a UserGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: string[] | undefined;
    /** Values of account-wide attributes. The list replaces all values; an empty list clears them. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. */
    userAttributes?: AttributeValue[] | undefined;
    /** Numeric ID, unique in the account. */
    userId: number;
    /** Time of creation, in UTC. */
    createdAt?: string | undefined;
    /** Time of the user's last sign-in, in UTC. */
    lastLogin?: string | undefined;
}

/** Published dashboard. Members that are not declared keep their published values. The API cannot unpublish a dashboard. */
export interface WorkbookDashboard {
    /** Title of the dashboard. Allowed: string (1 to 255 characters). */
    title?: string | undefined;
    /** Description of the dashboard. Allowed: string (1 to 10000 characters). */
    description?: string | undefined;
    /** Type of dashboard: classic, or app. Allowed: "CLASSIC", "APP". */
    kind?: enums.WorkbookDashboardKind | (string & {}) | undefined;
    /** Layout, in the product's export format. */
    layout?: { [key: string]: unknown } | undefined;
    /** Theme, in the product's export format. */
    theme?: { [key: string]: unknown } | undefined;
    /** Settings, in the product's export format. */
    settings?: { [key: string]: unknown } | undefined;
    /** Widgets of the dashboard, from top to bottom. */
    widgets?: WorkbookDashboardWidget[] | undefined;
    /** Whether signed embedding can show the dashboard. */
    allowEmbed?: boolean | undefined;
}

/** A dashboard widget. */
export interface WorkbookDashboardWidget {
    /** ID of the widget, unique on the dashboard. Allowed: string (1 to 128 characters). */
    id: string;
    /** Type of the widget. Allowed: "CHART", "TEXT", "FILTER", "AI", "TIME_GRAIN", "FIELD", "PARENT", "SPACER", "DIVIDER", "CONTAINER". */
    type: enums.WorkbookDashboardWidgetType | (string & {});
    /** Position on the dashboard's grid. */
    position: WorkbookDashboardWidgetPosition;
    /** Positions at other screen widths, in the product's export format. */
    responsiveLayouts?: { [key: string]: unknown } | undefined;
    /** Content and layout of the dashboard. */
    config?: { [key: string]: unknown } | undefined;
    /** Style, in the product's export format. */
    style?: { [key: string]: unknown } | undefined;
}

/** Position on the dashboard's grid. */
export interface WorkbookDashboardWidgetPosition {
    /** Column, counted from the left. Allowed: integer (0 to 10000). */
    x: number;
    /** Row, counted from the top. Allowed: integer (0 to 1000000). */
    y: number;
    /** Width in columns. Allowed: integer (0 to 10000). */
    w: number;
    /** Height in rows. Allowed: integer (0 to 1000000). */
    h: number;
}

/** One object of the list. A workbook of a deployment, with its published dashboard. Deleting it deletes the dashboard and its notifications. */
export interface WorkbookItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Deployment that the object belongs to. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** Name in URLs and references: lowercase, unique in the deployment. Allowed: string (1 to 255 characters). */
    slug: string;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    name?: string | undefined;
    /** Custom values, by name. `{}` removes all of them. The API cannot clear the value once it is set. */
    meta?: { [key: string]: unknown } | undefined;
    /** Published dashboard. Members that are not declared keep their published values. The API cannot unpublish a dashboard. The API cannot clear the value once it is set. */
    dashboard?: WorkbookDashboard | undefined;
    /** Numeric ID, unique in the account. */
    workbookId: number;
    /** ID of a deployment. */
    deploymentId: number;
    /** ID of a dashboard. */
    dashboardId?: number | undefined;
    /** ID of a published dashboard in URLs. It never changes. */
    publicId?: string | undefined;
}
