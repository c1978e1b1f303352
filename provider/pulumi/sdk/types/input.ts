// Generated from the kinds by `npm run generate`. Do not edit.
import type * as pulumi from "@pulumi/pulumi";
import type * as enums from "./enums.ts";

/** A value of an attribute. */
export interface AttributeValueArgs {
    /** Name of the attribute. Allowed: string (1 to 255 characters). */
    name: pulumi.Input<string>;
    /** Value of the attribute, of the attribute's type. Allowed: string (at most 10000 characters) or number or boolean or list (at most 1000 items) of string (at most 10000 characters) or list (at most 1000 items) of number. */
    value: pulumi.Input<string | number | boolean | pulumi.Input<string>[] | pulumi.Input<number>[]>;
}

/** Customer-provided storage. */
export interface DeploymentCspsConfigArgs {
    /** Whether the storage is used. */
    enabled: pulumi.Input<boolean>;
    /** Storage provider. Allowed: string (1 to 255 characters). */
    storageProvider: pulumi.Input<string>;
    /** S3 bucket. Allowed: string (1 to 255 characters). */
    s3Bucket?: pulumi.Input<string | undefined> | undefined;
    /** Region of the S3 bucket. Allowed: string (1 to 255 characters). */
    s3Region?: pulumi.Input<string | undefined> | undefined;
    /** Server-side encryption of the S3 bucket. Allowed: string (1 to 255 characters). */
    s3Sse?: pulumi.Input<string | undefined> | undefined;
    /** ARN of the AWS role. Allowed: string (1 to 2048 characters). */
    awsRoleArn?: pulumi.Input<string | undefined> | undefined;
    /** Google Cloud Storage bucket. Allowed: string (1 to 255 characters). */
    gcsBucket?: pulumi.Input<string | undefined> | undefined;
    /** Email of the GCP service account. Allowed: string (1 to 255 characters). */
    gcpServiceAccountEmail?: pulumi.Input<string | undefined> | undefined;
    /** GCP workload identity provider. Allowed: string (1 to 2048 characters). */
    gcpWorkloadIdentityProvider?: pulumi.Input<string | undefined> | undefined;
    /** Azure storage account. Allowed: string (1 to 255 characters). */
    azureStorageAccount?: pulumi.Input<string | undefined> | undefined;
    /** Azure storage container. Allowed: string (1 to 255 characters). */
    azureContainer?: pulumi.Input<string | undefined> | undefined;
    /** ID of the Azure tenant. Allowed: string (1 to 255 characters). */
    azureTenantId?: pulumi.Input<string | undefined> | undefined;
    /** ID of the Azure client. Allowed: string (1 to 255 characters). */
    azureClientId?: pulumi.Input<string | undefined> | undefined;
}

/** Release channel and platform version. */
export interface DeploymentReleaseArgs {
    /** Release channel. A change of the channel without a version upgrades to the newest version of the channel. Allowed: "latest", "release". */
    channel?: pulumi.Input<enums.DeploymentReleaseChannel | (string & {}) | undefined> | undefined;
    /** Platform version: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`, which are equivalent. It must be one of the deployment's available versions. Allowed: string (at most 255 characters). */
    version?: pulumi.Input<string | undefined> | undefined;
    /** Whether automatic upgrades are disabled. Defaults to `true` when the version is not the newest of its channel. */
    hold?: pulumi.Input<boolean | undefined> | undefined;
}

/** Attributes of the tenant, by name. */
export interface EmbedTenantSetupAttributeArgs {
    /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. A change forces replacement: svc deletes the object and creates a new one. Allowed: "string", "number", "string_array", "number_array". */
    type: pulumi.Input<enums.EmbedUserAttributeType | (string & {})>;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    displayName?: pulumi.Input<string | undefined> | undefined;
    /** Default value, as text, for users without a value. The API cannot clear the value once it is set. The format depends on type: for number, a number, such as 2.5; for boolean, true or false; for string_array, strings separated by commas, or a JSON list such as ["a", "b"]; for number_array, numbers separated by commas, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: pulumi.Input<string | undefined> | undefined;
    /** Description. The API cannot clear the value once it is set. Allowed: string (1 to 500 characters). */
    description?: pulumi.Input<string | undefined> | undefined;
}

/** Groups of the tenant, by name. */
export interface EmbedTenantSetupGroupArgs {
    /** Description. A server without direct group operations can update it but cannot clear it. Allowed: string (1 to 500 characters). */
    description?: pulumi.Input<string | undefined> | undefined;
}

/** A scheduled delivery to users of the tenant. */
export interface EmbedTenantSetupNotificationArgs {
    /** Deployment that the object belongs to. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: pulumi.Input<string>;
    /** Workbook whose published dashboard is delivered. Refers to a Workbook. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    workbook: pulumi.Input<string>;
    /** Schedule as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). Allowed: string (at most 255 characters). */
    schedule: pulumi.Input<string>;
    /** IANA time zone of the schedule. Defaults to "UTC". Allowed: string (time-zone, 1 to 64 characters). */
    timezone?: pulumi.Input<string | undefined> | undefined;
    /** Whether the schedule is active. The API cannot clear the value once it is set. */
    isEnabled?: pulumi.Input<boolean | undefined> | undefined;
    /** Whether each run is delivered to the recipients. The API cannot clear the value once it is set. */
    notificationEnabled?: pulumi.Input<boolean | undefined> | undefined;
    /** File format of the delivery. The API cannot clear the value once it is set. Allowed: "png", "pdf". */
    notificationFormat?: pulumi.Input<enums.NotificationNotificationFormat | (string & {}) | undefined> | undefined;
    /** Whether the delivery includes a generated summary. The API cannot clear the value once it is set. */
    notificationAiSummary?: pulumi.Input<boolean | undefined> | undefined;
    /** Filters applied to the dashboard when it is rendered. */
    filters?: pulumi.Input<pulumi.Input<NotificationFilterArgs>[] | undefined> | undefined;
    /** Time grains, in the product's export format. */
    timeGrains?: pulumi.Input<pulumi.Input<{ [key: string]: pulumi.Input<unknown> }>[] | undefined> | undefined;
    /** Member switchers, in the product's export format. */
    memberSwitchers?: pulumi.Input<pulumi.Input<{ [key: string]: pulumi.Input<unknown> }>[] | undefined> | undefined;
}

/** Recipients of the notification, by `externalId`. */
export interface EmbedTenantSetupRecipientArgs {
    /** Email address that the external user gets if the `externalId` is not one. `EmbedUser` owns the address: svc sends it only when this field changes, and does not compare it. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: string (email, at most 254 characters). */
    email?: pulumi.Input<string | undefined> | undefined;
    /** Account-wide groups that the dashboard is rendered with. Together with `tenantGroups`, they replace the user's own groups. Refers to a UserGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: pulumi.Input<pulumi.Input<string>[] | undefined> | undefined;
    /** Groups of the embed tenant that the dashboard is rendered with. Refers to a EmbedGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    tenantGroups?: pulumi.Input<pulumi.Input<string>[] | undefined> | undefined;
    /** Values of account-wide attributes that the dashboard is rendered with. Together with `tenantUserAttributes`, they replace the user's own values. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    userAttributes?: pulumi.Input<pulumi.Input<AttributeValueArgs>[] | undefined> | undefined;
    /** Values of the embed tenant's attributes that the dashboard is rendered with. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    tenantUserAttributes?: pulumi.Input<pulumi.Input<AttributeValueArgs>[] | undefined> | undefined;
    /** Security context of the dashboard's queries: any object. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    securityContext?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
}

/** The embed tenant. */
export interface EmbedTenantSetupTenantArgs {
    /** Name that sessions refer to: 5 to 36 lowercase letters, digits and hyphens. Starts with a letter and does not end with a hyphen. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    name: pulumi.Input<string>;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    displayName?: pulumi.Input<string | undefined> | undefined;
}

/** A dashboard filter. */
export interface NotificationFilterArgs {
    /** Member of the data model: `view.member`. Allowed: string (at most 255 characters). */
    member: pulumi.Input<string>;
    /** Comparison operator. Allowed: string (1 to 64 characters). */
    operator?: pulumi.Input<string | undefined> | undefined;
    /** Value that the member is compared with. */
    value?: pulumi.Input<unknown | undefined> | undefined;
    /** Whether the comparison is case-sensitive. */
    caseSensitive?: pulumi.Input<boolean | undefined> | undefined;
    /** Whether the start of a range is included. */
    startInclusive?: pulumi.Input<boolean | undefined> | undefined;
    /** Whether the end of a range is included. */
    endInclusive?: pulumi.Input<boolean | undefined> | undefined;
}

/** Published dashboard. Members that are not declared keep their published values. The API cannot unpublish a dashboard. */
export interface WorkbookDashboardArgs {
    /** Title of the dashboard. Allowed: string (1 to 255 characters). */
    title?: pulumi.Input<string | undefined> | undefined;
    /** Description of the dashboard. Allowed: string (1 to 10000 characters). */
    description?: pulumi.Input<string | undefined> | undefined;
    /** Type of dashboard: classic, or app. Allowed: "CLASSIC", "APP". */
    kind?: pulumi.Input<enums.WorkbookDashboardKind | (string & {}) | undefined> | undefined;
    /** Layout, in the product's export format. */
    layout?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
    /** Theme, in the product's export format. */
    theme?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
    /** Settings, in the product's export format. */
    settings?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
    /** Widgets of the dashboard, from top to bottom. */
    widgets?: pulumi.Input<pulumi.Input<WorkbookDashboardWidgetArgs>[] | undefined> | undefined;
    /** Whether signed embedding can show the dashboard. */
    allowEmbed?: pulumi.Input<boolean | undefined> | undefined;
}

/** A dashboard widget. */
export interface WorkbookDashboardWidgetArgs {
    /** ID of the widget, unique on the dashboard. Allowed: string (1 to 128 characters). */
    id: pulumi.Input<string>;
    /** Type of the widget. Allowed: "CHART", "TEXT", "FILTER", "AI", "TIME_GRAIN", "FIELD", "PARENT", "SPACER", "DIVIDER", "CONTAINER". */
    type: pulumi.Input<enums.WorkbookDashboardWidgetType | (string & {})>;
    /** Position on the dashboard's grid. */
    position: pulumi.Input<WorkbookDashboardWidgetPositionArgs>;
    /** Positions at other screen widths, in the product's export format. */
    responsiveLayouts?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
    /** Content and layout of the dashboard. */
    config?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
    /** Style, in the product's export format. */
    style?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
}

/** Position on the dashboard's grid. */
export interface WorkbookDashboardWidgetPositionArgs {
    /** Column, counted from the left. Allowed: integer (0 to 10000). */
    x: pulumi.Input<number>;
    /** Row, counted from the top. Allowed: integer (0 to 1000000). */
    y: pulumi.Input<number>;
    /** Width in columns. Allowed: integer (0 to 10000). */
    w: pulumi.Input<number>;
    /** Height in rows. Allowed: integer (0 to 1000000). */
    h: pulumi.Input<number>;
}
