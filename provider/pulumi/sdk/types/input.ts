// Generated from the kinds by `npm run generate`. Do not edit.
import type * as pulumi from "@pulumi/pulumi";

/** A value of an attribute. */
export interface AttributeValueArgs {
    /** The attribute. Allowed: string (1 to 255 characters). */
    name: pulumi.Input<string>;
    /** Its value, of the attribute's type. Allowed: string (at most 10000 characters) or number or boolean or list (at most 1000 items) of string (at most 10000 characters) or list (at most 1000 items) of number. */
    value: pulumi.Input<string | number | boolean | pulumi.Input<string>[] | pulumi.Input<number>[]>;
}

/** The customer's own storage. */
export interface DeploymentCspsConfigArgs {
    /** It is used. */
    enabled: pulumi.Input<boolean>;
    /** Whose storage it is. Allowed: string (1 to 255 characters). */
    storageProvider: pulumi.Input<string>;
    /** Bucket on S3. Allowed: string (1 to 255 characters). */
    s3Bucket?: pulumi.Input<string | undefined> | undefined;
    /** Region of the bucket. Allowed: string (1 to 255 characters). */
    s3Region?: pulumi.Input<string | undefined> | undefined;
    /** Encryption of the bucket. Allowed: string (1 to 255 characters). */
    s3Sse?: pulumi.Input<string | undefined> | undefined;
    /** Role on AWS. Allowed: string (1 to 2048 characters). */
    awsRoleArn?: pulumi.Input<string | undefined> | undefined;
    /** Bucket on GCS. Allowed: string (1 to 255 characters). */
    gcsBucket?: pulumi.Input<string | undefined> | undefined;
    /** Service account on GCP. Allowed: string (1 to 255 characters). */
    gcpServiceAccountEmail?: pulumi.Input<string | undefined> | undefined;
    /** Workload identity provider on GCP. Allowed: string (1 to 2048 characters). */
    gcpWorkloadIdentityProvider?: pulumi.Input<string | undefined> | undefined;
    /** Storage account on Azure. Allowed: string (1 to 255 characters). */
    azureStorageAccount?: pulumi.Input<string | undefined> | undefined;
    /** Container on Azure. Allowed: string (1 to 255 characters). */
    azureContainer?: pulumi.Input<string | undefined> | undefined;
    /** Tenant on Azure. Allowed: string (1 to 255 characters). */
    azureTenantId?: pulumi.Input<string | undefined> | undefined;
    /** Client on Azure. Allowed: string (1 to 255 characters). */
    azureClientId?: pulumi.Input<string | undefined> | undefined;
}

/** Which version of the platform it runs. */
export interface DeploymentReleaseArgs {
    /** Update channel. Given without a version, a change moves to the channel's newest version. Allowed: "latest", "release". */
    channel?: pulumi.Input<string | undefined> | undefined;
    /** Version to run: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`, which mean the same. It must be on the deployment's list of versions. Allowed: string (at most 255 characters). */
    version?: pulumi.Input<string | undefined> | undefined;
    /** Keeps automatic upgrades away. A version that is not its channel's newest sets it unless it is given. */
    hold?: pulumi.Input<boolean | undefined> | undefined;
}

/** Attributes of the tenant by name. */
export interface EmbedTenantSetupAttributeArgs {
    /** Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one. A change deletes the object and creates it anew. Allowed: "string", "number", "string_array", "number_array". */
    type: pulumi.Input<string>;
    /** Name that people see. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    displayName?: pulumi.Input<string | undefined> | undefined;
    /** Value, written as text, of users who have none. The API cannot clear it once it is set. Its form goes by type: of number, a number, such as 2.5; of boolean, true or false; of string_array, texts with commas between, or a JSON list such as ["a", "b"]; of number_array, numbers with commas between, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: pulumi.Input<string | undefined> | undefined;
    /** What it is for. The API cannot clear it once it is set. Allowed: string (1 to 500 characters). */
    description?: pulumi.Input<string | undefined> | undefined;
}

/** Groups of the tenant by name. */
export interface EmbedTenantSetupGroupArgs {
    /** Who belongs to it. A server without direct group operations updates it and never clears it. Allowed: string (1 to 500 characters). */
    description?: pulumi.Input<string | undefined> | undefined;
}

/** A scheduled delivery to people of the tenant. */
export interface EmbedTenantSetupNotificationArgs {
    /** The deployment that it belongs to. Refers to a Deployment. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    deployment: pulumi.Input<string>;
    /** The workbook whose published dashboard is delivered. Refers to a Workbook. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    workbook: pulumi.Input<string>;
    /** When it is sent, as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). Allowed: string (at most 255 characters). */
    schedule: pulumi.Input<string>;
    /** Time zone of the schedule, as the IANA database calls it. Left out, it is "UTC". Allowed: string (time-zone, 1 to 64 characters). */
    timezone?: pulumi.Input<string | undefined> | undefined;
    /** It runs at all. The API cannot clear it once it is set. */
    isEnabled?: pulumi.Input<boolean | undefined> | undefined;
    /** Its runs are delivered to recipients. The API cannot clear it once it is set. */
    notificationEnabled?: pulumi.Input<boolean | undefined> | undefined;
    /** What is delivered. The API cannot clear it once it is set. Allowed: "png", "pdf". */
    notificationFormat?: pulumi.Input<string | undefined> | undefined;
    /** A written summary comes with it. The API cannot clear it once it is set. */
    notificationAiSummary?: pulumi.Input<boolean | undefined> | undefined;
    /** Filters of the dashboard while it is rendered. */
    filters?: pulumi.Input<pulumi.Input<NotificationFilterArgs>[] | undefined> | undefined;
    /** Time grains, as the product exports them. */
    timeGrains?: pulumi.Input<pulumi.Input<{ [key: string]: pulumi.Input<unknown> }>[] | undefined> | undefined;
    /** Member switchers, as the product exports them. */
    memberSwitchers?: pulumi.Input<pulumi.Input<{ [key: string]: pulumi.Input<unknown> }>[] | undefined> | undefined;
}

/** Who receives the notification, by `externalId`. */
export interface EmbedTenantSetupRecipientArgs {
    /** Where to deliver, where neither the user's own email nor the `externalId` says so. It becomes the user's own. The API cannot clear it once it is set. Allowed: string (email, at most 254 characters). */
    email?: pulumi.Input<string | undefined> | undefined;
    /** Account-wide groups that it is rendered with; with `tenantGroups` they are all there are. Refers to a UserGroup. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: pulumi.Input<pulumi.Input<string>[] | undefined> | undefined;
    /** Groups of its tenant that it is rendered with. Refers to a EmbedGroup. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    tenantGroups?: pulumi.Input<pulumi.Input<string>[] | undefined> | undefined;
    /** Values of account-wide attributes that it is rendered with; with `tenantUserAttributes` they are all there are. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    userAttributes?: pulumi.Input<pulumi.Input<AttributeValueArgs>[] | undefined> | undefined;
    /** Values of its tenant's attributes that it is rendered with. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    tenantUserAttributes?: pulumi.Input<pulumi.Input<AttributeValueArgs>[] | undefined> | undefined;
    /** Security context of its queries: any object. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    securityContext?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
}

/** The tenant. */
export interface EmbedTenantSetupTenantArgs {
    /** Name that sessions give: 5 to 36 lowercase letters, digits and hyphens, a letter first, no hyphen last. A change deletes the object and creates it anew. Allowed: string (5 to 36 characters). */
    name: pulumi.Input<string>;
    /** Name that people see. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    displayName?: pulumi.Input<string | undefined> | undefined;
}

/** A filter of a dashboard. */
export interface NotificationFilterArgs {
    /** Member of the data model: `view.member`. Allowed: string (at most 255 characters). */
    member: pulumi.Input<string>;
    /** How the member is compared. Allowed: string (1 to 64 characters). */
    operator?: pulumi.Input<string | undefined> | undefined;
    /** What the member is compared with. */
    value?: pulumi.Input<unknown | undefined> | undefined;
    /** Capitals count. */
    caseSensitive?: pulumi.Input<boolean | undefined> | undefined;
    /** The beginning of a range belongs to it. */
    startInclusive?: pulumi.Input<boolean | undefined> | undefined;
    /** The end of a range belongs to it. */
    endInclusive?: pulumi.Input<boolean | undefined> | undefined;
}

/** Its dashboard, published with what is said here over what is published already. The API cannot take a published dashboard back. */
export interface WorkbookDashboardArgs {
    /** Title above the dashboard. Allowed: string (1 to 255 characters). */
    title?: pulumi.Input<string | undefined> | undefined;
    /** What it shows. Allowed: string (1 to 10000 characters). */
    description?: pulumi.Input<string | undefined> | undefined;
    /** A classic dashboard, or an app. Allowed: "CLASSIC", "APP". */
    kind?: pulumi.Input<string | undefined> | undefined;
    /** Layout, as the product exports it. */
    layout?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
    /** Theme, as the product exports it. */
    theme?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
    /** Settings, as the product exports them. */
    settings?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
    /** What is on it, from top to bottom. */
    widgets?: pulumi.Input<pulumi.Input<WorkbookDashboardWidgetArgs>[] | undefined> | undefined;
    /** Signed embedding may show it. */
    allowEmbed?: pulumi.Input<boolean | undefined> | undefined;
}

/** A widget of a dashboard. */
export interface WorkbookDashboardWidgetArgs {
    /** What the dashboard calls it, unique on it. Allowed: string (1 to 128 characters). */
    id: pulumi.Input<string>;
    /** What it is. Allowed: "CHART", "TEXT", "FILTER", "AI", "TIME_GRAIN", "FIELD", "PARENT", "SPACER", "DIVIDER", "CONTAINER". */
    type: pulumi.Input<string>;
    /** Where it stands on the dashboard's grid. */
    position: pulumi.Input<WorkbookDashboardWidgetPositionArgs>;
    /** Positions on other widths, as the product exports them. */
    responsiveLayouts?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
    /** What the dashboard shows and how. */
    config?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
    /** Style, as the product exports it. */
    style?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
}

/** Where it stands on the dashboard's grid. */
export interface WorkbookDashboardWidgetPositionArgs {
    /** Columns from the left. Allowed: integer (0 to 10000). */
    x: pulumi.Input<number>;
    /** Rows from the top. Allowed: integer (0 to 1000000). */
    y: pulumi.Input<number>;
    /** Columns that it takes. Allowed: integer (0 to 10000). */
    w: pulumi.Input<number>;
    /** Rows that it takes. Allowed: integer (0 to 1000000). */
    h: pulumi.Input<number>;
}
