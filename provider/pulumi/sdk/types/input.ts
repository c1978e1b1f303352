// Generated from the kinds by `npm run generate`: change those, not this.
import type * as pulumi from "@pulumi/pulumi";

/** What is wished of a part of a resource. */
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

/** What is wished of a part of a resource. */
export interface DeploymentReleaseArgs {
    /** Update channel. Given without a version, a change moves to the channel's newest version. Allowed: "latest", "release". */
    channel?: pulumi.Input<string | undefined> | undefined;
    /** Version to run: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`, which mean the same. It must be on the deployment's list of versions. Allowed: string (at most 255 characters). */
    version?: pulumi.Input<string | undefined> | undefined;
    /** Keeps automatic upgrades away. A version that is not its channel's newest sets it unless it is given. */
    hold?: pulumi.Input<boolean | undefined> | undefined;
}

/** What is wished of a part of a resource. */
export interface EmbedUserUserAttributeArgs {
    /** The attribute. Allowed: string (1 to 255 characters). */
    name: pulumi.Input<string>;
    /** Its value, of the attribute's type. Allowed: string (at most 10000 characters) or number or boolean or list (at most 1000 items) of string (at most 10000 characters) or list (at most 1000 items) of number. */
    value: pulumi.Input<string | number | boolean | pulumi.Input<string>[] | pulumi.Input<number>[]>;
}

/** What is wished of a part of a resource. */
export interface NotificationEmbedRecipientTenantUserAttributeArgs {
    /** The attribute. Allowed: string (1 to 255 characters). */
    name: pulumi.Input<string>;
    /** Its value, of the attribute's type. Allowed: string (at most 10000 characters) or number or boolean or list (at most 1000 items) of string (at most 10000 characters) or list (at most 1000 items) of number. */
    value: pulumi.Input<string | number | boolean | pulumi.Input<string>[] | pulumi.Input<number>[]>;
}

/** What is wished of a part of a resource. */
export interface NotificationEmbedRecipientUserAttributeArgs {
    /** The attribute. Allowed: string (1 to 255 characters). */
    name: pulumi.Input<string>;
    /** Its value, of the attribute's type. Allowed: string (at most 10000 characters) or number or boolean or list (at most 1000 items) of string (at most 10000 characters) or list (at most 1000 items) of number. */
    value: pulumi.Input<string | number | boolean | pulumi.Input<string>[] | pulumi.Input<number>[]>;
}

/** What is wished of a part of a resource. */
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

/** What is wished of a part of a resource. */
export interface UserUserAttributeArgs {
    /** The attribute. Allowed: string (1 to 255 characters). */
    name: pulumi.Input<string>;
    /** Its value, of the attribute's type. Allowed: string (at most 10000 characters) or number or boolean or list (at most 1000 items) of string (at most 10000 characters) or list (at most 1000 items) of number. */
    value: pulumi.Input<string | number | boolean | pulumi.Input<string>[] | pulumi.Input<number>[]>;
}

/** What is wished of a part of a resource. */
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

/** What is wished of a part of a resource. */
export interface WorkbookDashboardWidgetArgs {
    /** Numeric id, unique in its account. Allowed: string (1 to 128 characters). */
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

/** What is wished of a part of a resource. */
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
