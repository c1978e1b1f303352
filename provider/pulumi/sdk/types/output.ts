// Generated from the kinds by `npm run generate`. Do not edit.

/** One object of the list. A credential for the API. Its secret is shown once, when the key is made. */
export interface ApiKeyItem {
    /** ID for `pulumi import`. */
    id: string;
    /** What it is for. The API lets several keys have one name; of those that are managed each has its own. Allowed: string (1 to 255 characters). */
    name: string;
    /** Email of the user whose rights it carries; left out, the user whose key is used to make it. Refers to a User. A change deletes the object and creates it anew. Left out, the service chooses it. Allowed: string (1 to 254 characters). */
    owner?: string | undefined;
    /** The only deployments that it reaches; `null` is all of them. Refers to a Deployment. Order does not matter, and duplicates count once. Allowed: list (1 to 1000 items) of string (1 to 255 characters). */
    deployments?: string[] | undefined;
    /** Numeric id, unique in its account. */
    apiKeyId: number;
    /** The first characters of the secret, to tell keys apart. */
    prefix: string;
    /** When it was made, in UTC. */
    createdAt: string;
}

/** A value of an attribute. */
export interface AttributeValue {
    /** The attribute. Allowed: string (1 to 255 characters). */
    name: string;
    /** Its value, of the attribute's type. Allowed: string (at most 10000 characters) or number or boolean or list (at most 1000 items) of string (at most 10000 characters) or list (at most 1000 items) of number. */
    value: string | number | boolean | string[] | number[];
}

/** The customer's own storage. */
export interface DeploymentCspsConfig {
    /** It is used. */
    enabled: boolean;
    /** Whose storage it is. Allowed: string (1 to 255 characters). */
    storageProvider: string;
    /** Bucket on S3. Allowed: string (1 to 255 characters). */
    s3Bucket?: string | undefined;
    /** Region of the bucket. Allowed: string (1 to 255 characters). */
    s3Region?: string | undefined;
    /** Encryption of the bucket. Allowed: string (1 to 255 characters). */
    s3Sse?: string | undefined;
    /** Role on AWS. Allowed: string (1 to 2048 characters). */
    awsRoleArn?: string | undefined;
    /** Bucket on GCS. Allowed: string (1 to 255 characters). */
    gcsBucket?: string | undefined;
    /** Service account on GCP. Allowed: string (1 to 255 characters). */
    gcpServiceAccountEmail?: string | undefined;
    /** Workload identity provider on GCP. Allowed: string (1 to 2048 characters). */
    gcpWorkloadIdentityProvider?: string | undefined;
    /** Storage account on Azure. Allowed: string (1 to 255 characters). */
    azureStorageAccount?: string | undefined;
    /** Container on Azure. Allowed: string (1 to 255 characters). */
    azureContainer?: string | undefined;
    /** Tenant on Azure. Allowed: string (1 to 255 characters). */
    azureTenantId?: string | undefined;
    /** Client on Azure. Allowed: string (1 to 255 characters). */
    azureClientId?: string | undefined;
}

/** One object of the list. An analytics deployment: where it lives, how its data model comes in, and which version of the platform it runs. Deleting it deletes everything scoped to it. */
export interface DeploymentItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Name, unique in the account; a change renames the deployment and keeps its address. Allowed: string (1 to 255 characters). */
    name: string;
    /** Region that it lives in, such as `aws-us-east-1`. Allowed: string (1 to 255 characters). */
    region: string;
    /** Who runs the machines. Left out, the service chooses it. The API cannot clear it once it is set. Allowed: "svccloud", "aws", "gcp". */
    cloudProvider?: string | undefined;
    /** Whose machines they are. A change deletes the object and creates it anew. Left out, the service chooses it. Allowed: "aws", "gcp". */
    targetPlatform?: string | undefined;
    /** The vendor runs it. A change deletes the object and creates it anew. Left out, the service chooses it. */
    isManaged?: boolean | undefined;
    /** How the data model comes in at first. Left out, the service chooses it. The API cannot clear it once it is set. Allowed: "upload", "svccloud", "github", "ssh". */
    creationMethod?: string | undefined;
    /** How changes of the data model come in. Left out, the service chooses it. The API cannot clear it once it is set. Allowed: "git", "cli". */
    deployMode?: string | undefined;
    /** How many machines it has. Left out, the service chooses it. The API cannot clear it once it is set. Allowed: "single", "simpleCluster", "multiCluster". */
    template?: string | undefined;
    /** Domain that replaces the host of its address. Allowed: string (1 to 253 characters). */
    customDomain?: string | undefined;
    /** Branch that production is built from. Left out, the service chooses it. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    deployBranchName?: string | undefined;
    /** Nobody writes to the deploy branch directly. Left out, the service chooses it. The API cannot clear it once it is set. */
    deployBranchReadOnly?: boolean | undefined;
    /** Branches may be merged into the deploy branch. Left out, the service chooses it. The API cannot clear it once it is set. */
    deployBranchMergeAllowed?: boolean | undefined;
    /** Folder of the data model. Left out, the service chooses it. The API cannot clear it once it is set. Allowed: string (at most 1024 characters). */
    deployProjectRoot?: string | undefined;
    /** Group of views that people see first. Allowed: string (1 to 255 characters). */
    defaultLaunchpadViewGroup?: string | undefined;
    /** Tabs that people see, in their order. The API cannot clear it once it is set. Allowed: list (at most 100 items) of string (1 to 255 characters). */
    launchpadTabs?: string[] | undefined;
    /** Values of the template, by name, all of them; never a secret. The API cannot clear it once it is set. */
    templateVariables?: { [key: string]: string | number | boolean } | undefined;
    /** The customer's own storage. The API cannot clear it once it is set. */
    cspsConfig?: DeploymentCspsConfig | undefined;
    /** Which version of the platform it runs. The API cannot clear it once it is set. */
    release?: DeploymentRelease | undefined;
    /** Numeric id, unique in its account. */
    deploymentId: number;
    /** Address of the deployment's data API. */
    deploymentUrl: string;
    /** How far its set-up has come. */
    creationStep: string;
    /** Version of the platform that it runs, such as `1.2.3`. */
    deploymentVersion?: string | undefined;
    /** Update channel that its version came from. */
    releaseChannel?: string | undefined;
}

/** Which version of the platform it runs. */
export interface DeploymentRelease {
    /** Update channel. Given without a version, a change moves to the channel's newest version. Allowed: "latest", "release". */
    channel?: string | undefined;
    /** Version to run: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`, which mean the same. It must be on the deployment's list of versions. Allowed: string (at most 255 characters). */
    version?: string | undefined;
    /** Keeps automatic upgrades away. A version that is not its channel's newest sets it unless it is given. */
    hold?: boolean | undefined;
}

/** One object of the list. A group in an embed tenant: what creator-mode sessions and provisioned users name in their groups. */
export interface EmbedGroupItem {
    /** ID for `pulumi import`. */
    id: string;
    /** The tenant it belongs to. Refers to a EmbedTenant. A change deletes the object and creates it anew. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** Name, unique in the tenant. A change deletes the object and creates it anew. Allowed: string (1 to 100 characters). */
    name: string;
    /** Who belongs to it. A server without direct group operations updates it and never clears it. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Numeric id, unique in its account. */
    embedGroupId: number;
    /** How many users are in it. */
    userCount?: number | undefined;
}

/** One object of the list. A tenant of signed embedding: one customer, with groups, attributes and external users of its own. It comes to life with a reserved external user, `svc-provisioner`, and deleting it deletes everything inside. */
export interface EmbedTenantItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Name that sessions give: 5 to 36 lowercase letters, digits and hyphens, a letter first, no hyphen last. A change deletes the object and creates it anew. Allowed: string (5 to 36 characters). */
    name: string;
    /** Name that people see. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** Numeric id, unique in its account. */
    embedTenantId: number;
    /** How many users are in it. */
    userCount: number;
    /** When it was made, in UTC. */
    createdAt?: string | undefined;
}

/** Attributes of the tenant by name. */
export interface EmbedTenantSetupAttribute {
    /** Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one. A change deletes the object and creates it anew. Allowed: "string", "number", "string_array", "number_array". */
    type: string;
    /** Name that people see. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** Value, written as text, of users who have none. The API cannot clear it once it is set. Its form goes by type: of number, a number, such as 2.5; of boolean, true or false; of string_array, texts with commas between, or a JSON list such as ["a", "b"]; of number_array, numbers with commas between, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: string | undefined;
    /** What it is for. The API cannot clear it once it is set. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
}

/** Groups of the tenant by name. */
export interface EmbedTenantSetupGroup {
    /** Who belongs to it. A server without direct group operations updates it and never clears it. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
}

/** A scheduled delivery to people of the tenant. */
export interface EmbedTenantSetupNotification {
    /** The deployment that it belongs to. Refers to a Deployment. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** The workbook whose published dashboard is delivered. Refers to a Workbook. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    workbook: string;
    /** When it is sent, as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). Allowed: string (at most 255 characters). */
    schedule: string;
    /** Time zone of the schedule, as the IANA database calls it. Left out, it is "UTC". Allowed: string (time-zone, 1 to 64 characters). */
    timezone?: string | undefined;
    /** It runs at all. The API cannot clear it once it is set. */
    isEnabled?: boolean | undefined;
    /** Its runs are delivered to recipients. The API cannot clear it once it is set. */
    notificationEnabled?: boolean | undefined;
    /** What is delivered. The API cannot clear it once it is set. Allowed: "png", "pdf". */
    notificationFormat?: string | undefined;
    /** A written summary comes with it. The API cannot clear it once it is set. */
    notificationAiSummary?: boolean | undefined;
    /** Filters of the dashboard while it is rendered. */
    filters?: NotificationFilter[] | undefined;
    /** Time grains, as the product exports them. */
    timeGrains?: ({ [key: string]: unknown })[] | undefined;
    /** Member switchers, as the product exports them. */
    memberSwitchers?: ({ [key: string]: unknown })[] | undefined;
}

/** Who receives the notification, by `externalId`. */
export interface EmbedTenantSetupRecipient {
    /** Where to deliver, where neither the user's own email nor the `externalId` says so. It becomes the user's own. The API cannot clear it once it is set. Allowed: string (email, at most 254 characters). */
    email?: string | undefined;
    /** Account-wide groups that it is rendered with; with `tenantGroups` they are all there are. Refers to a UserGroup. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: string[] | undefined;
    /** Groups of its tenant that it is rendered with. Refers to a EmbedGroup. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    tenantGroups?: string[] | undefined;
    /** Values of account-wide attributes that it is rendered with; with `tenantUserAttributes` they are all there are. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    userAttributes?: AttributeValue[] | undefined;
    /** Values of its tenant's attributes that it is rendered with. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    tenantUserAttributes?: AttributeValue[] | undefined;
    /** Security context of its queries: any object. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    securityContext?: { [key: string]: unknown } | undefined;
}

/** The tenant. */
export interface EmbedTenantSetupTenant {
    /** Name that sessions give: 5 to 36 lowercase letters, digits and hyphens, a letter first, no hyphen last. A change deletes the object and creates it anew. Allowed: string (5 to 36 characters). */
    name: string;
    /** Name that people see. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
}

/** One object of the list. An attribute that external users of one embed tenant can have a value of. It is written through a creator-mode session, so the account's `useCreatorMode` flag must be on. */
export interface EmbedUserAttributeItem {
    /** ID for `pulumi import`. */
    id: string;
    /** The tenant it belongs to. Refers to a EmbedTenant. A change deletes the object and creates it anew. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** Name, unique in the tenant. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    name: string;
    /** Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one. A change deletes the object and creates it anew. Allowed: "string", "number", "string_array", "number_array". */
    type: string;
    /** Name that people see. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** Value, written as text, of users who have none. The API cannot clear it once it is set. Its form goes by type: of number, a number, such as 2.5; of boolean, true or false; of string_array, texts with commas between, or a JSON list such as ["a", "b"]; of number_array, numbers with commas between, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: string | undefined;
    /** What it is for. The API cannot clear it once it is set. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Numeric id, unique in its account. */
    embedUserAttributeId: number;
}

/** One object of the list. An external user of an embed tenant, known by the id it has in your own system. Provisioning it ahead of its first session gives it groups and attributes from the start. */
export interface EmbedUserItem {
    /** ID for `pulumi import`. */
    id: string;
    /** The tenant it belongs to. Refers to a EmbedTenant. A change deletes the object and creates it anew. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** Stable id in your own system: lowercase, trimmed. `svc-provisioner` is reserved. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    externalId: string;
    /** Where notifications go. The API cannot clear it once it is set. Allowed: string (email, at most 254 characters). */
    email?: string | undefined;
    /** Name beside the avatar. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** Absolute http(s) address of the avatar; the viewer's browser loads it. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: string (iri, at most 2048 characters). */
    picture?: string | undefined;
    /** Account-wide groups it is in; an empty list leaves all. Refers to a UserGroup. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: string[] | undefined;
    /** Groups of its tenant it is in; an empty list leaves all. Refers to a EmbedGroup. Order does not matter, and duplicates count once. The API cannot clear it once it is set. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    tenantGroups?: string[] | undefined;
    /** Values of account-wide attributes; `null` clears one, one left out is kept. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    userAttributes?: AttributeValue[] | undefined;
    /** Numeric id, unique in its account. */
    embedUserId: number;
    /** Name that the user signs in with; an external user's is its external id. */
    username: string;
    /** When it was made, in UTC. */
    createdAt?: string | undefined;
    /** When the user was let in last, in UTC. */
    lastLogin?: string | undefined;
}

/** One object of the list. An environment variable of a deployment. The API masks the value where the name holds PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of such a value cannot be seen. */
export interface EnvironmentVariableItem {
    /** ID for `pulumi import`. */
    id: string;
    /** The deployment that it belongs to. Refers to a Deployment. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** Name: letters, digits and underscores, no digit first. A change deletes the object and creates it anew. Allowed: string (at most 255 characters). */
    name: string;
    /** Value. It is never shown, whatever the name. The API may mask it, depending on name; then drift cannot be seen. Allowed: string (at most 65536 characters). */
    value: string;
    /** Id of a deployment. */
    deploymentId: number;
}

/** One object of the list. An external user who receives a notification, with the groups, attributes and security context that it is rendered with for them. */
export interface NotificationEmbedRecipientItem {
    /** ID for `pulumi import`. */
    id: string;
    /** The deployment of the notification. Refers to a Deployment. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** The notification that is received. Refers to a Notification. A change deletes the object and creates it anew. Allowed: string (1 to 2048 characters). */
    notification: string;
    /** The tenant of the external user. Refers to a EmbedTenant. A change deletes the object and creates it anew. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** The external user's id in your own system; the user is made where there is none. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    externalId: string;
    /** Where to deliver, where neither the user's own email nor the `externalId` says so. It becomes the user's own. The API cannot clear it once it is set. Allowed: string (email, at most 254 characters). */
    email?: string | undefined;
    /** Account-wide groups that it is rendered with; with `tenantGroups` they are all there are. Refers to a UserGroup. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: string[] | undefined;
    /** Groups of its tenant that it is rendered with. Refers to a EmbedGroup. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    tenantGroups?: string[] | undefined;
    /** Values of account-wide attributes that it is rendered with; with `tenantUserAttributes` they are all there are. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    userAttributes?: AttributeValue[] | undefined;
    /** Values of its tenant's attributes that it is rendered with. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    tenantUserAttributes?: AttributeValue[] | undefined;
    /** Security context of its queries: any object. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    securityContext?: { [key: string]: unknown } | undefined;
    /** Id of a deployment. */
    deploymentId: number;
    /** Id of a notification. */
    notificationId: number;
    /** Id of a user. */
    userId: number;
    /** Value for properties of other resources that refer to this one. */
    key: string;
}

/** A filter of a dashboard. */
export interface NotificationFilter {
    /** Member of the data model: `view.member`. Allowed: string (at most 255 characters). */
    member: string;
    /** How the member is compared. Allowed: string (1 to 64 characters). */
    operator?: string | undefined;
    /** What the member is compared with. */
    value?: unknown | undefined;
    /** Capitals count. */
    caseSensitive?: boolean | undefined;
    /** The beginning of a range belongs to it. */
    startInclusive?: boolean | undefined;
    /** The end of a range belongs to it. */
    endInclusive?: boolean | undefined;
}

/** One object of the list. A scheduled delivery of a workbook's published dashboard. The API gives it no name, so it is known by deployment, workbook, schedule and time zone; once it is owned, by its id. */
export interface NotificationItem {
    /** ID for `pulumi import`. */
    id: string;
    /** The deployment that it belongs to. Refers to a Deployment. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** The workbook whose published dashboard is delivered. Refers to a Workbook. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    workbook: string;
    /** When it is sent, as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). Allowed: string (at most 255 characters). */
    schedule: string;
    /** Time zone of the schedule, as the IANA database calls it. Left out, it is "UTC". Allowed: string (time-zone, 1 to 64 characters). */
    timezone?: string | undefined;
    /** It runs at all. The API cannot clear it once it is set. */
    isEnabled?: boolean | undefined;
    /** Its runs are delivered to recipients. The API cannot clear it once it is set. */
    notificationEnabled?: boolean | undefined;
    /** What is delivered. The API cannot clear it once it is set. Allowed: "png", "pdf". */
    notificationFormat?: string | undefined;
    /** A written summary comes with it. The API cannot clear it once it is set. */
    notificationAiSummary?: boolean | undefined;
    /** Filters of the dashboard while it is rendered. */
    filters?: NotificationFilter[] | undefined;
    /** Time grains, as the product exports them. */
    timeGrains?: ({ [key: string]: unknown })[] | undefined;
    /** Member switchers, as the product exports them. */
    memberSwitchers?: ({ [key: string]: unknown })[] | undefined;
    /** Numeric id, unique in its account. */
    notificationId: number;
    /** Id of a deployment. */
    deploymentId: number;
    /** Id of a dashboard. */
    dashboardId: number;
    /** When it is sent, in words. */
    humanReadableSchedule: string;
    /** Value for properties of other resources that refer to this one. */
    key: string;
}

/** One object of the list. One of the account's own users who receives a notification. For external users there is `NotificationEmbedRecipient`. */
export interface NotificationRecipientItem {
    /** ID for `pulumi import`. */
    id: string;
    /** The deployment of the notification. Refers to a Deployment. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** The notification that is received. Refers to a Notification. A change deletes the object and creates it anew. Allowed: string (1 to 2048 characters). */
    notification: string;
    /** Email of the user, in lower case. The user has to exist. A change deletes the object and creates it anew. Allowed: string (email, at most 254 characters). */
    user: string;
    /** Id of a deployment. */
    deploymentId: number;
    /** Id of a notification. */
    notificationId: number;
    /** Id of a user. */
    userId: number;
    /** Name that the user signs in with; an external user's is its external id. */
    username: string;
}

/** One object of the list. An attribute that every user of the account can have a value of. Access policies in the data model read it as `userAttributes.<name>`. */
export interface UserAttributeItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Name by which data models and sessions call it. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    name: string;
    /** Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one. A change deletes the object and creates it anew. Allowed: "string", "number", "boolean", "string_array", "number_array". */
    type: string;
    /** Name that people see. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** What it is for. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Value, written as text, of users who have none. Its form goes by type: of number, a number, such as 2.5; of boolean, true or false; of string_array, texts with commas between, or a JSON list such as ["a", "b"]; of number_array, numbers with commas between, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: string | undefined;
    /** Numeric id, unique in its account. */
    userAttributeId: number;
}

/** One object of the list. An account-wide group. Access policies and dashboards are shared with it by name. */
export interface UserGroupItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Name, unique in the account; a change renames the group and keeps its members. Allowed: string (1 to 100 characters). */
    name: string;
    /** Who belongs to it. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Numeric id, unique in its account. */
    userGroupId: number;
    /** How many users are in it. */
    userCount?: number | undefined;
}

/** One object of the list. One of the account's own users. Who is an administrator, who is let in at all, and which groups and attributes access policies see. Deleting a user deletes its API keys. */
export interface UserItem {
    /** ID for `pulumi import`. */
    id: string;
    /** Email, in lower case, unique in the account. A change deletes the object and creates it anew. Allowed: string (email, at most 254 characters). */
    email: string;
    /** Name to sign in with, unique in the account. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    username: string;
    /** Name as others see it. Allowed: string (1 to 255 characters). */
    firstName?: string | undefined;
    /** What the user does. Allowed: string (1 to 255 characters). */
    title?: string | undefined;
    /** Absolute http(s) address of the avatar. Allowed: string (iri, at most 2048 characters). */
    picture?: string | undefined;
    /** Administrators may do everything; others read. The account's last active one stays. The API cannot clear it once it is set. */
    isAdmin?: boolean | undefined;
    /** Keys and sessions of the user are refused. Nobody deactivates themselves. The API cannot clear it once it is set. */
    isDeactivated?: boolean | undefined;
    /** The account's groups that the user is in, and no others; an empty list leaves all. Refers to a UserGroup. Order does not matter, and duplicates count once. The API cannot clear it once it is set. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: string[] | undefined;
    /** Values of the account's attributes, and no others; an empty list clears all. Order does not matter, and duplicates count once. The API cannot clear it once it is set. */
    userAttributes?: AttributeValue[] | undefined;
    /** Numeric id, unique in its account. */
    userId: number;
    /** When it was made, in UTC. */
    createdAt?: string | undefined;
    /** When the user was let in last, in UTC. */
    lastLogin?: string | undefined;
}

/** Its dashboard, published with what is said here over what is published already. The API cannot take a published dashboard back. */
export interface WorkbookDashboard {
    /** Title above the dashboard. Allowed: string (1 to 255 characters). */
    title?: string | undefined;
    /** What it shows. Allowed: string (1 to 10000 characters). */
    description?: string | undefined;
    /** A classic dashboard, or an app. Allowed: "CLASSIC", "APP". */
    kind?: string | undefined;
    /** Layout, as the product exports it. */
    layout?: { [key: string]: unknown } | undefined;
    /** Theme, as the product exports it. */
    theme?: { [key: string]: unknown } | undefined;
    /** Settings, as the product exports them. */
    settings?: { [key: string]: unknown } | undefined;
    /** What is on it, from top to bottom. */
    widgets?: WorkbookDashboardWidget[] | undefined;
    /** Signed embedding may show it. */
    allowEmbed?: boolean | undefined;
}

/** A widget of a dashboard. */
export interface WorkbookDashboardWidget {
    /** What the dashboard calls it, unique on it. Allowed: string (1 to 128 characters). */
    id: string;
    /** What it is. Allowed: "CHART", "TEXT", "FILTER", "AI", "TIME_GRAIN", "FIELD", "PARENT", "SPACER", "DIVIDER", "CONTAINER". */
    type: string;
    /** Where it stands on the dashboard's grid. */
    position: WorkbookDashboardWidgetPosition;
    /** Positions on other widths, as the product exports them. */
    responsiveLayouts?: { [key: string]: unknown } | undefined;
    /** What the dashboard shows and how. */
    config?: { [key: string]: unknown } | undefined;
    /** Style, as the product exports it. */
    style?: { [key: string]: unknown } | undefined;
}

/** Where it stands on the dashboard's grid. */
export interface WorkbookDashboardWidgetPosition {
    /** Columns from the left. Allowed: integer (0 to 10000). */
    x: number;
    /** Rows from the top. Allowed: integer (0 to 1000000). */
    y: number;
    /** Columns that it takes. Allowed: integer (0 to 10000). */
    w: number;
    /** Rows that it takes. Allowed: integer (0 to 1000000). */
    h: number;
}

/** One object of the list. A workbook of a deployment, with the dashboard that is published from it. Deleting it deletes the dashboard and its notifications. */
export interface WorkbookItem {
    /** ID for `pulumi import`. */
    id: string;
    /** The deployment that it belongs to. Refers to a Deployment. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** What it is called in addresses and by what refers to it: lowercase, unique in the deployment. Allowed: string (1 to 255 characters). */
    slug: string;
    /** Name that people see. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    name?: string | undefined;
    /** Values of your own, by name; `{}` empties them. The API cannot clear it once it is set. */
    meta?: { [key: string]: unknown } | undefined;
    /** Its dashboard, published with what is said here over what is published already. The API cannot take a published dashboard back. The API cannot clear it once it is set. */
    dashboard?: WorkbookDashboard | undefined;
    /** Numeric id, unique in its account. */
    workbookId: number;
    /** Id of a deployment. */
    deploymentId: number;
    /** Id of a dashboard. */
    dashboardId?: number | undefined;
    /** Id of a published dashboard in addresses; it never changes. */
    publicId?: string | undefined;
}
