// Generated from the kinds by `npm run generate`. Do not edit.

/** Allowed values. */
export const DeploymentCloudProvider = {
    Svccloud: "svccloud",
    Aws: "aws",
    Gcp: "gcp",
} as const;

/** Allowed values. */
export type DeploymentCloudProvider = (typeof DeploymentCloudProvider)[keyof typeof DeploymentCloudProvider];

/** Allowed values. */
export const DeploymentCreationMethod = {
    Upload: "upload",
    Svccloud: "svccloud",
    Github: "github",
    Ssh: "ssh",
} as const;

/** Allowed values. */
export type DeploymentCreationMethod = (typeof DeploymentCreationMethod)[keyof typeof DeploymentCreationMethod];

/** Allowed values. */
export const DeploymentDeployMode = {
    Git: "git",
    Cli: "cli",
} as const;

/** Allowed values. */
export type DeploymentDeployMode = (typeof DeploymentDeployMode)[keyof typeof DeploymentDeployMode];

/** Allowed values. */
export const DeploymentReleaseChannel = {
    Latest: "latest",
    Release: "release",
} as const;

/** Allowed values. */
export type DeploymentReleaseChannel = (typeof DeploymentReleaseChannel)[keyof typeof DeploymentReleaseChannel];

/** Allowed values. */
export const DeploymentTargetPlatform = {
    Aws: "aws",
    Gcp: "gcp",
} as const;

/** Allowed values. */
export type DeploymentTargetPlatform = (typeof DeploymentTargetPlatform)[keyof typeof DeploymentTargetPlatform];

/** Allowed values. */
export const DeploymentTemplate = {
    Single: "single",
    SimpleCluster: "simpleCluster",
    MultiCluster: "multiCluster",
} as const;

/** Allowed values. */
export type DeploymentTemplate = (typeof DeploymentTemplate)[keyof typeof DeploymentTemplate];

/** Allowed values. */
export const EmbedUserAttributeType = {
    String: "string",
    Number: "number",
    StringArray: "string_array",
    NumberArray: "number_array",
} as const;

/** Allowed values. */
export type EmbedUserAttributeType = (typeof EmbedUserAttributeType)[keyof typeof EmbedUserAttributeType];

/** Allowed values. */
export const NotificationNotificationFormat = {
    Png: "png",
    Pdf: "pdf",
} as const;

/** Allowed values. */
export type NotificationNotificationFormat = (typeof NotificationNotificationFormat)[keyof typeof NotificationNotificationFormat];

/** Allowed values. */
export const UserAttributeType = {
    String: "string",
    Number: "number",
    Boolean: "boolean",
    StringArray: "string_array",
    NumberArray: "number_array",
} as const;

/** Allowed values. */
export type UserAttributeType = (typeof UserAttributeType)[keyof typeof UserAttributeType];

/** Allowed values. */
export const WorkbookDashboardKind = {
    Classic: "CLASSIC",
    App: "APP",
} as const;

/** Allowed values. */
export type WorkbookDashboardKind = (typeof WorkbookDashboardKind)[keyof typeof WorkbookDashboardKind];

/** Allowed values. */
export const WorkbookDashboardWidgetType = {
    Chart: "CHART",
    Text: "TEXT",
    Filter: "FILTER",
    Ai: "AI",
    TimeGrain: "TIME_GRAIN",
    Field: "FIELD",
    Parent: "PARENT",
    Spacer: "SPACER",
    Divider: "DIVIDER",
    Container: "CONTAINER",
} as const;

/** Allowed values. */
export type WorkbookDashboardWidgetType = (typeof WorkbookDashboardWidgetType)[keyof typeof WorkbookDashboardWidgetType];
