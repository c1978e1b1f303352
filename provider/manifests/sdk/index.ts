// Generated from the kinds by `npm run generate`. Do not edit.
import { createDocument, type ManifestDocument, type DocumentOptions, type GeneratedSecretDocumentOptions } from "../document.ts";
export type { Documents, ManifestContext, ManifestDocument, DocumentOptions, GeneratedSecretDocumentOptions } from "../document.ts";
export type { Lifecycle } from "./lifecycle.ts";

/** Desired state of the Deployment. */
export interface DeploymentSpec {
  /** Name, unique in the account. A change renames the deployment and keeps its URL. */
  readonly name: string;
  /** Region that the deployment runs in, such as `aws-us-east-1`. */
  readonly region: string;
  /**
   * Cloud provider that runs the deployment.
   *
   * *If omitted, the service chooses the value.*
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly cloudProvider?: "svccloud" | "aws" | "gcp" | undefined;
  /**
   * Cloud platform that hosts the deployment.
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   *
   * *If omitted, the service chooses the value.*
   */
  readonly targetPlatform?: "aws" | "gcp" | undefined;
  /**
   * Whether the vendor manages the deployment.
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   *
   * *If omitted, the service chooses the value.*
   */
  readonly isManaged?: boolean | undefined;
  /**
   * How the data model is first imported.
   *
   * *If omitted, the service chooses the value.*
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly creationMethod?: "upload" | "svccloud" | "github" | "ssh" | undefined;
  /**
   * How changes to the data model are deployed.
   *
   * *If omitted, the service chooses the value.*
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly deployMode?: "git" | "cli" | undefined;
  /**
   * Size of the deployment.
   *
   * *If omitted, the service chooses the value.*
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly template?: "single" | "simpleCluster" | "multiCluster" | undefined;
  /** Domain that replaces the host of the deployment's URL. */
  readonly customDomain?: string | null | undefined;
  /**
   * Git branch that production is built from.
   *
   * *If omitted, the service chooses the value.*
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly deployBranchName?: string | undefined;
  /**
   * Whether direct commits to the deploy branch are rejected.
   *
   * *If omitted, the service chooses the value.*
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly deployBranchReadOnly?: boolean | undefined;
  /**
   * Whether branches can be merged into the deploy branch.
   *
   * *If omitted, the service chooses the value.*
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly deployBranchMergeAllowed?: boolean | undefined;
  /**
   * Folder that contains the data model.
   *
   * *If omitted, the service chooses the value.*
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly deployProjectRoot?: string | undefined;
  /** Group of views shown first on the launchpad. */
  readonly defaultLaunchpadViewGroup?: string | null | undefined;
  /**
   * Tabs of the launchpad, in display order.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly launchpadTabs?: readonly string[] | undefined;
  /**
   * Template variables, by name. Variables that are not listed are removed. Values must not be secrets.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly templateVariables?: Readonly<Record<string, string | number | boolean>> | undefined;
  /**
   * Customer-provided storage.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly cspsConfig?: {
    /** Whether the storage is used. */
    readonly enabled: boolean;
    /** Storage provider. */
    readonly storageProvider: string;
    /**
     * S3 bucket.
     *
     * *The API cannot clear the value once it is set.*
     */
    readonly s3Bucket?: string | undefined;
    /**
     * Region of the S3 bucket.
     *
     * *The API cannot clear the value once it is set.*
     */
    readonly s3Region?: string | undefined;
    /**
     * Server-side encryption of the S3 bucket.
     *
     * *The API cannot clear the value once it is set.*
     */
    readonly s3Sse?: string | undefined;
    /**
     * ARN of the AWS role.
     *
     * *The API cannot clear the value once it is set.*
     */
    readonly awsRoleArn?: string | undefined;
    /**
     * Google Cloud Storage bucket.
     *
     * *The API cannot clear the value once it is set.*
     */
    readonly gcsBucket?: string | undefined;
    /**
     * Email of the GCP service account.
     *
     * *The API cannot clear the value once it is set.*
     */
    readonly gcpServiceAccountEmail?: string | undefined;
    /**
     * GCP workload identity provider.
     *
     * *The API cannot clear the value once it is set.*
     */
    readonly gcpWorkloadIdentityProvider?: string | undefined;
    /**
     * Azure storage account.
     *
     * *The API cannot clear the value once it is set.*
     */
    readonly azureStorageAccount?: string | undefined;
    /**
     * Azure storage container.
     *
     * *The API cannot clear the value once it is set.*
     */
    readonly azureContainer?: string | undefined;
    /**
     * ID of the Azure tenant.
     *
     * *The API cannot clear the value once it is set.*
     */
    readonly azureTenantId?: string | undefined;
    /**
     * ID of the Azure client.
     *
     * *The API cannot clear the value once it is set.*
     */
    readonly azureClientId?: string | undefined;
  } | undefined;
  /**
   * Release channel and platform version.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly release?: {
    /** Release channel. A change of the channel without a version upgrades to the newest version of the channel. */
    readonly channel?: "latest" | "release" | null | undefined;
    /**
     * Platform version: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`, which are equivalent. It must be one of the deployment's available versions.
     *
     * *The server updates the value while channel is set, unless hold is true. A declared value is pinned.*
     */
    readonly version?: string | null | undefined;
    /** Whether automatic upgrades are disabled. Defaults to `true` when the version is not the newest of its channel. */
    readonly hold?: boolean | null | undefined;
  } | undefined;
}

/**
 * An analytics deployment: its region, the source of its data model, and its platform version. Deleting it deletes everything in it.
 *
 * @example A production deployment on the release channel
 * deployment("production", {"name":"production","region":"aws-us-east-1","cloudProvider":"svccloud","targetPlatform":"aws","isManaged":true,"creationMethod":"github","deployMode":"git","template":"simpleCluster","customDomain":"analytics.example.com","deployBranchName":"main","deployBranchReadOnly":true,"deployBranchMergeAllowed":true,"deployProjectRoot":"model","defaultLaunchpadViewGroup":"sales","launchpadTabs":["dashboards","reports"],"templateVariables":{"currency":"EUR","decimals":2,"beta":false},"cspsConfig":{"enabled":true,"storageProvider":"s3","s3Bucket":"extracts"},"release":{"channel":"release"}})
 */
export function deployment(name: string, spec: DeploymentSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("Deployment", name, spec, options);
}

/** Desired state of the EnvironmentVariable. */
export interface EnvironmentVariableSpec {
  /**
   * Deployment that the object belongs to.
   *
   * *Refers to Deployment/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly deployment: string | {
    readonly external: string;
  };
  /**
   * Name: letters, digits and underscores. Does not start with a digit.
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly name: string;
  /**
   * Value. It is never shown, regardless of the name.
   *
   * *The API may mask the value, depending on name. svc cannot detect drift of a masked value.*
   *
   * *Provide a secret from an external source: valueFrom, or ${env:NAME}.*
   */
  readonly value: string | {
    /** Exactly one source. */
    readonly valueFrom: {
      /** An environment variable that the Stack lists in spec.environment. */
      readonly env?: string | undefined;
      /** A file, relative to the Stack's folder. svc removes one trailing line break. */
      readonly file?: string | undefined;
      /** A file that sops decrypts, or one value in it. */
      readonly sops?: {
        /** Path relative to the Stack's folder. */
        readonly file: string;
        /** Path of the value in the file: names of members and indexes of list items. Defaults to the whole file. */
        readonly key?: readonly (string | number)[] | undefined;
      } | undefined;
      /** A file that age decrypts. */
      readonly age?: {
        /** Path relative to the Stack's folder. */
        readonly file: string;
        /** File with the private key. The operator must grant it. */
        readonly identity: string;
      } | undefined;
      /** A program and its arguments. Its output is the value. */
      readonly command?: readonly string[] | undefined;
    };
  };
}

/**
 * An environment variable of a deployment. The API masks the value when the name contains PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of a masked value cannot be detected.
 *
 * @example A setting of the data model
 * environmentVariable("default-currency", {"deployment":"production","name":"DEFAULT_CURRENCY","value":"EUR"})
 */
export function environmentVariable(name: string, spec: EnvironmentVariableSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("EnvironmentVariable", name, spec, options);
}

/** Desired state of the UserAttribute. */
export interface UserAttributeSpec {
  /**
   * Name that data models and sessions refer to.
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly name: string;
  /**
   * Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values.
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly type: "string" | "number" | "boolean" | "string_array" | "number_array";
  /** Display name. */
  readonly displayName?: string | null | undefined;
  /** Description. */
  readonly description?: string | null | undefined;
  /**
   * Default value, as text, for users without a value.
   *
   * *The format depends on type: for number, a number, such as 2.5; for boolean, true or false; for string_array, strings separated by commas, or a JSON list such as ["a", "b"]; for number_array, numbers separated by commas, or a JSON list such as [1, 2].*
   */
  readonly defaultValue?: string | null | undefined;
}

/**
 * An attribute of the account's users. Access policies in the data model read it as `userAttributes.<name>`.
 *
 * @example A region that row-level security filters by
 * userAttribute("region", {"name":"region","type":"string","displayName":"Region","description":"Sales region that a viewer may see.","defaultValue":"EMEA"})
 */
export function userAttribute(name: string, spec: UserAttributeSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("UserAttribute", name, spec, options);
}

/** Desired state of the UserGroup. */
export interface UserGroupSpec {
  /** Name, unique in the account. A change renames the group and keeps its members. */
  readonly name: string;
  /** Description. */
  readonly description?: string | null | undefined;
}

/**
 * An account-wide group of users. Access policies and dashboards refer to it by name.
 *
 * @example Analysts who may explore
 * userGroup("analysts", {"name":"analysts","description":"May explore every deployment."})
 */
export function userGroup(name: string, spec: UserGroupSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("UserGroup", name, spec, options);
}

/** Desired state of the User. */
export interface UserSpec {
  /**
   * Email, in lowercase, unique in the account.
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly email: string;
  /**
   * Username for sign-in, unique in the account.
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly username: string;
  /** Display name. */
  readonly firstName?: string | null | undefined;
  /** Job title. */
  readonly title?: string | null | undefined;
  /** HTTP or HTTPS URL of the avatar. */
  readonly picture?: string | null | undefined;
  /**
   * Whether the user is an administrator. Administrators have all permissions; other users can only read. The last active administrator of an account cannot be demoted.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly isAdmin?: boolean | undefined;
  /**
   * Whether the user is deactivated. A deactivated user's keys and sessions are rejected. Users cannot deactivate themselves.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly isDeactivated?: boolean | undefined;
  /**
   * Account-wide groups of the user. The list replaces all memberships; an empty list removes them.
   *
   * *Refers to UserGroup/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A set: order does not matter and duplicates are removed.*
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly groups?: readonly (string | {
    readonly external: string;
  })[] | undefined;
  /**
   * Values of account-wide attributes. The list replaces all values; an empty list clears them.
   *
   * *A set: order does not matter and duplicates are removed.*
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly userAttributes?: readonly ({
    /**
     * Name of the attribute.
     *
     * *Refers to UserAttribute/...: the name of a document, or { external: key } for an object outside the stack.*
     */
    readonly name: string | {
      readonly external: string;
    };
    /** Value of the attribute, of the attribute's type. */
    readonly value: string | number | boolean | readonly string[] | readonly number[];
  })[] | undefined;
}

/**
 * A user of the account, with role, groups and attribute values. Deleting a user deletes the user's API keys.
 *
 * @example An analyst with a region of her own
 * user("jane", {"email":"jane@corp.example","username":"jane","firstName":"Jane","title":"Analyst","picture":"https://corp.example/people/jane.png","isAdmin":false,"isDeactivated":false,"groups":["analysts"],"userAttributes":[{"name":"region","value":"EMEA"}]})
 *
 * @example A service user for CI pipelines
 * user("robot", {"email":"robot@corp.example","username":"robot","isAdmin":true})
 */
export function user(name: string, spec: UserSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("User", name, spec, options);
}

/** Desired state of the ApiKey. */
export interface ApiKeySpec {
  /** Name of the key. The API allows duplicate names, but the names of managed keys must be unique. */
  readonly name: string;
  /**
   * Email of the user whose permissions the key has. Defaults to the user who creates the key.
   *
   * *Refers to User/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   *
   * *If omitted, the service chooses the value.*
   */
  readonly owner?: string | {
    readonly external: string;
  } | undefined;
  /**
   * Deployments that the key can access. `null` means all deployments.
   *
   * *Refers to Deployment/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A set: order does not matter and duplicates are removed.*
   */
  readonly deployments?: readonly (string | {
    readonly external: string;
  })[] | null | undefined;
}

/**
 * An API credential. The secret is returned once, when the key is created.
 *
 * @example A key for a CI pipeline, scoped to one deployment
 * apiKey("ci", {"name":"ci","owner":"robot","deployments":["production"]}, {"secretTo":{"file":"secrets/ci"}})
 */
export function apiKey(name: string, spec: ApiKeySpec, options: GeneratedSecretDocumentOptions): ManifestDocument {
  return createDocument("ApiKey", name, spec, options);
}

/** Desired state of the EmbedTenant. */
export interface EmbedTenantSpec {
  /**
   * Name that sessions refer to: 5 to 36 lowercase letters, digits and hyphens. Starts with a letter and does not end with a hyphen.
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly name: string;
  /**
   * Display name.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly displayName?: string | undefined;
}

/**
 * A tenant of signed embedding: one customer, with its own groups, attributes and external users. It is created together with a reserved external user, `svc-provisioner`. Deleting it deletes everything in it.
 *
 * @example A customer
 * embedTenant("acme", {"name":"acme-stores","displayName":"Acme Stores"})
 */
export function embedTenant(name: string, spec: EmbedTenantSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("EmbedTenant", name, spec, options);
}

/** Desired state of the EmbedGroup. */
export interface EmbedGroupSpec {
  /**
   * Embed tenant that the object belongs to.
   *
   * *Refers to EmbedTenant/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly embedTenant: string | {
    readonly external: string;
  };
  /**
   * Name, unique in the embed tenant.
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly name: string;
  /** Description. A server without direct group operations can update it but cannot clear it. */
  readonly description?: string | null | undefined;
}

/**
 * A group in an embed tenant. Creator-mode sessions and provisioned users refer to it by name.
 *
 * @example Viewers of a customer
 * embedGroup("acme-viewers", {"embedTenant":"acme","name":"viewers","description":"May read every published dashboard."})
 */
export function embedGroup(name: string, spec: EmbedGroupSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("EmbedGroup", name, spec, options);
}

/** Desired state of the EmbedUserAttribute. */
export interface EmbedUserAttributeSpec {
  /**
   * Embed tenant that the object belongs to.
   *
   * *Refers to EmbedTenant/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly embedTenant: string | {
    readonly external: string;
  };
  /**
   * Name, unique in the embed tenant.
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly name: string;
  /**
   * Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values.
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly type: "string" | "number" | "string_array" | "number_array";
  /**
   * Display name.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly displayName?: string | undefined;
  /**
   * Default value, as text, for users without a value.
   *
   * *The API cannot clear the value once it is set.*
   *
   * *The format depends on type: for number, a number, such as 2.5; for boolean, true or false; for string_array, strings separated by commas, or a JSON list such as ["a", "b"]; for number_array, numbers separated by commas, or a JSON list such as [1, 2].*
   */
  readonly defaultValue?: string | undefined;
  /**
   * Description.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly description?: string | undefined;
}

/**
 * An attribute of the external users of an embed tenant. It is written through a creator-mode session, so the account's `useCreatorMode` setting must be on.
 *
 * @example The store that a viewer works in
 * embedUserAttribute("acme-store", {"embedTenant":"acme","name":"store","type":"string","displayName":"Store","defaultValue":"none","description":"Store that a viewer works in."})
 */
export function embedUserAttribute(name: string, spec: EmbedUserAttributeSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("EmbedUserAttribute", name, spec, options);
}

/** Desired state of the EmbedUser. */
export interface EmbedUserSpec {
  /**
   * Embed tenant that the object belongs to.
   *
   * *Refers to EmbedTenant/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly embedTenant: string | {
    readonly external: string;
  };
  /**
   * Stable ID in your own system: lowercase, without surrounding white space. `svc-provisioner` is reserved.
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly externalId: string;
  /**
   * Email address that notifications are sent to.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly email?: string | undefined;
  /**
   * Display name.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly displayName?: string | undefined;
  /**
   * HTTP or HTTPS URL of the avatar. The viewer's browser loads it.
   *
   * *The API cannot clear the value once it is set.*
   *
   * *The API does not return the value, so svc cannot detect drift. svc applies changes of the manifest.*
   */
  readonly picture?: string | undefined;
  /**
   * Account-wide groups of the user. An empty list removes all memberships.
   *
   * *Refers to UserGroup/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A set: order does not matter and duplicates are removed.*
   *
   * *The API cannot clear the value once it is set.*
   *
   * *The API does not return the value, so svc cannot detect drift. svc applies changes of the manifest.*
   */
  readonly groups?: readonly (string | {
    readonly external: string;
  })[] | undefined;
  /**
   * Groups of the embed tenant that the user is in. An empty list removes all memberships.
   *
   * *Refers to EmbedGroup/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A set: order does not matter and duplicates are removed.*
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly tenantGroups?: readonly (string | {
    readonly external: string;
  })[] | undefined;
  /**
   * Values of account-wide attributes. `null` clears a value; attributes that are not listed keep their values.
   *
   * *A set: order does not matter and duplicates are removed.*
   *
   * *The API cannot clear the value once it is set.*
   *
   * *The API does not return the value, so svc cannot detect drift. svc applies changes of the manifest.*
   */
  readonly userAttributes?: readonly ({
    /**
     * Name of the attribute.
     *
     * *Refers to UserAttribute/...: the name of a document, or { external: key } for an object outside the stack.*
     */
    readonly name: string | {
      readonly external: string;
    };
    /** Value of the attribute, of the attribute's type. */
    readonly value: string | number | boolean | readonly string[] | readonly number[] | null;
  })[] | undefined;
}

/**
 * An external user of an embed tenant, identified by its ID in your own system. Declare it to assign groups and attributes before the user's first session.
 *
 * @example A store manager
 * embedUser("acme-jane", {"embedTenant":"acme","externalId":"jane-4711","email":"jane@acme.example","displayName":"Jane Doe","picture":"https://acme.example/people/jane.png","groups":["analysts"],"tenantGroups":["acme-viewers"],"userAttributes":[{"name":"region","value":"EMEA"}]})
 */
export function embedUser(name: string, spec: EmbedUserSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("EmbedUser", name, spec, options);
}

/** Desired state of the Workbook. */
export interface WorkbookSpec {
  /**
   * Deployment that the object belongs to.
   *
   * *Refers to Deployment/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly deployment: string | {
    readonly external: string;
  };
  /** Name in URLs and references: lowercase, unique in the deployment. */
  readonly slug: string;
  /**
   * Display name.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly name?: string | undefined;
  /**
   * Custom values, by name. `{}` removes all of them.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Published dashboard. Members that are not declared keep their published values. The API cannot unpublish a dashboard.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly dashboard?: {
    /** Title of the dashboard. */
    readonly title?: string | null | undefined;
    /** Description of the dashboard. */
    readonly description?: string | null | undefined;
    /** Type of dashboard: classic, or app. */
    readonly kind?: "CLASSIC" | "APP" | null | undefined;
    /** Layout, in the product's export format. */
    readonly layout?: Readonly<Record<string, unknown>> | null | undefined;
    /** Theme, in the product's export format. */
    readonly theme?: Readonly<Record<string, unknown>> | null | undefined;
    /** Settings, in the product's export format. */
    readonly settings?: Readonly<Record<string, unknown>> | null | undefined;
    /** Widgets of the dashboard, from top to bottom. */
    readonly widgets?: readonly ({
      /** ID of the widget, unique on the dashboard. */
      readonly id: string;
      /** Type of the widget. */
      readonly type: "CHART" | "TEXT" | "FILTER" | "AI" | "TIME_GRAIN" | "FIELD" | "PARENT" | "SPACER" | "DIVIDER" | "CONTAINER";
      /** Position on the dashboard's grid. */
      readonly position: {
        /** Column, counted from the left. */
        readonly x: number;
        /** Row, counted from the top. */
        readonly y: number;
        /** Width in columns. */
        readonly w: number;
        /** Height in rows. */
        readonly h: number;
      };
      /** Positions at other screen widths, in the product's export format. */
      readonly responsiveLayouts?: Readonly<Record<string, unknown>> | null | undefined;
      /** Content and layout of the dashboard. */
      readonly config?: Readonly<Record<string, unknown>> | null | undefined;
      /** Style, in the product's export format. */
      readonly style?: Readonly<Record<string, unknown>> | null | undefined;
    })[] | null | undefined;
    /**
     * Whether signed embedding can show the dashboard.
     *
     * *The API cannot clear the value once it is set.*
     */
    readonly allowEmbed?: boolean | undefined;
  } | undefined;
}

/**
 * A workbook of a deployment, with its published dashboard. Deleting it deletes the dashboard and its notifications.
 *
 * @example A published dashboard for customers
 * workbook("sales-overview", {"deployment":"production","slug":"sales-overview","name":"Sales overview","meta":{"team":"analytics"},"dashboard":{"title":"Sales overview","description":"Orders and revenue, by store.","allowEmbed":true,"widgets":[{"id":"headline","type":"TEXT","position":{"x":0,"y":0,"w":12,"h":2},"config":{"text":"Sales"}}]}})
 */
export function workbook(name: string, spec: WorkbookSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("Workbook", name, spec, options);
}

/** Desired state of the Notification. */
export interface NotificationSpec {
  /**
   * Deployment that the object belongs to.
   *
   * *Refers to Deployment/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly deployment: string | {
    readonly external: string;
  };
  /**
   * Workbook whose published dashboard is delivered.
   *
   * *Refers to Workbook/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly workbook: string | {
    readonly external: string;
  };
  /** Schedule as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). */
  readonly schedule: string;
  /**
   * IANA time zone of the schedule.
   *
   * *Defaults to "UTC".*
   */
  readonly timezone?: string | undefined;
  /**
   * Whether the schedule is active.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly isEnabled?: boolean | undefined;
  /**
   * Whether each run is delivered to the recipients.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly notificationEnabled?: boolean | undefined;
  /**
   * File format of the delivery.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly notificationFormat?: "png" | "pdf" | undefined;
  /**
   * Whether the delivery includes a generated summary.
   *
   * *The API cannot clear the value once it is set.*
   */
  readonly notificationAiSummary?: boolean | undefined;
  /** Filters applied to the dashboard when it is rendered. */
  readonly filters?: readonly ({
    /** Member of the data model: `view.member`. */
    readonly member: string;
    /** Comparison operator. */
    readonly operator?: string | null | undefined;
    /** Value that the member is compared with. */
    readonly value?: unknown | undefined;
    /** Whether the comparison is case-sensitive. */
    readonly caseSensitive?: boolean | null | undefined;
    /** Whether the start of a range is included. */
    readonly startInclusive?: boolean | null | undefined;
    /** Whether the end of a range is included. */
    readonly endInclusive?: boolean | null | undefined;
  })[] | null | undefined;
  /** Time grains, in the product's export format. */
  readonly timeGrains?: readonly Readonly<Record<string, unknown>>[] | null | undefined;
  /** Member switchers, in the product's export format. */
  readonly memberSwitchers?: readonly Readonly<Record<string, unknown>>[] | null | undefined;
}

/**
 * A scheduled delivery of a workbook's published dashboard. Notifications have no name: svc identifies them by deployment, workbook, schedule and time zone, and by ID once they are managed.
 *
 * @example Every Monday morning
 * notification("weekly-sales", {"deployment":"production","workbook":"sales-overview","schedule":"0 9 * * 1","timezone":"Europe/Berlin","isEnabled":true,"notificationEnabled":true,"notificationFormat":"pdf","notificationAiSummary":true,"filters":[{"member":"orders.status","operator":"equals","value":["completed"]}],"timeGrains":[{"member":"orders.createdAt","grain":"week"}],"memberSwitchers":[{"from":"orders.count","to":"orders.total"}]})
 */
export function notification(name: string, spec: NotificationSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("Notification", name, spec, options);
}

/** Desired state of the NotificationRecipient. */
export interface NotificationRecipientSpec {
  /**
   * Deployment of the notification.
   *
   * *Refers to Deployment/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly deployment: string | {
    readonly external: string;
  };
  /**
   * Notification to receive.
   *
   * *Refers to Notification/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly notification: string | {
    readonly external: string;
  };
  /**
   * Email of the user, in lowercase. The user must exist.
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly user: string;
}

/**
 * A user of the account who receives a notification. For external users, use `NotificationEmbedRecipient`.
 *
 * @example The administrator receives a weekly report
 * notificationRecipient("weekly-sales-admin", {"deployment":"production","notification":"weekly-sales","user":"admin@svc.localhost"})
 */
export function notificationRecipient(name: string, spec: NotificationRecipientSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("NotificationRecipient", name, spec, options);
}

/** Desired state of the NotificationEmbedRecipient. */
export interface NotificationEmbedRecipientSpec {
  /**
   * Deployment of the notification.
   *
   * *Refers to Deployment/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly deployment: string | {
    readonly external: string;
  };
  /**
   * Notification to receive.
   *
   * *Refers to Notification/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly notification: string | {
    readonly external: string;
  };
  /**
   * Embed tenant of the external user.
   *
   * *Refers to EmbedTenant/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly embedTenant: string | {
    readonly external: string;
  };
  /**
   * The external user's ID in your own system. The user is created if it does not exist.
   *
   * *A change forces replacement: svc deletes the object and creates a new one.*
   */
  readonly externalId: string;
  /**
   * Email address that the external user gets if the `externalId` is not one. `EmbedUser` owns the address: svc sends it only when this field changes, and does not compare it.
   *
   * *The API cannot clear the value once it is set.*
   *
   * *The API does not return the value, so svc cannot detect drift. svc applies changes of the manifest.*
   */
  readonly email?: string | undefined;
  /**
   * Account-wide groups that the dashboard is rendered with. Together with `tenantGroups`, they replace the user's own groups.
   *
   * *Refers to UserGroup/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A set: order does not matter and duplicates are removed.*
   *
   * *The API cannot clear the value once it is set.*
   *
   * *The API does not return the value, so svc cannot detect drift. svc applies changes of the manifest.*
   */
  readonly groups?: readonly (string | {
    readonly external: string;
  })[] | undefined;
  /**
   * Groups of the embed tenant that the dashboard is rendered with.
   *
   * *Refers to EmbedGroup/...: the name of a document, or { external: key } for an object outside the stack.*
   *
   * *A set: order does not matter and duplicates are removed.*
   *
   * *The API cannot clear the value once it is set.*
   *
   * *The API does not return the value, so svc cannot detect drift. svc applies changes of the manifest.*
   */
  readonly tenantGroups?: readonly (string | {
    readonly external: string;
  })[] | undefined;
  /**
   * Values of account-wide attributes that the dashboard is rendered with. Together with `tenantUserAttributes`, they replace the user's own values.
   *
   * *A set: order does not matter and duplicates are removed.*
   *
   * *The API cannot clear the value once it is set.*
   *
   * *The API does not return the value, so svc cannot detect drift. svc applies changes of the manifest.*
   */
  readonly userAttributes?: readonly ({
    /**
     * Name of the attribute.
     *
     * *Refers to UserAttribute/...: the name of a document, or { external: key } for an object outside the stack.*
     */
    readonly name: string | {
      readonly external: string;
    };
    /** Value of the attribute, of the attribute's type. */
    readonly value: string | number | boolean | readonly string[] | readonly number[] | null;
  })[] | undefined;
  /**
   * Values of the embed tenant's attributes that the dashboard is rendered with.
   *
   * *A set: order does not matter and duplicates are removed.*
   *
   * *The API cannot clear the value once it is set.*
   *
   * *The API does not return the value, so svc cannot detect drift. svc applies changes of the manifest.*
   */
  readonly tenantUserAttributes?: readonly ({
    /**
     * Name of the attribute.
     *
     * *Refers to EmbedUserAttribute/...: the name of a document, or { external: key } for an object outside the stack.*
     */
    readonly name: string | {
      readonly external: string;
    };
    /** Value of the attribute, of the attribute's type. */
    readonly value: string | number | boolean | readonly string[] | readonly number[] | null;
  })[] | undefined;
  /**
   * Security context of the dashboard's queries: any object.
   *
   * *The API cannot clear the value once it is set.*
   *
   * *The API does not return the value, so svc cannot detect drift. svc applies changes of the manifest.*
   */
  readonly securityContext?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * An external user who receives a notification, with the groups, attributes and security context that the dashboard is rendered with.
 *
 * @example A store manager receives a weekly report
 * notificationEmbedRecipient("weekly-sales-jane", {"deployment":"production","notification":"weekly-sales","embedTenant":"acme","externalId":"jane-4711","email":"jane@acme.example","groups":["analysts"],"tenantGroups":["acme-viewers"],"userAttributes":[{"name":"region","value":"EMEA"}],"tenantUserAttributes":[{"name":"acme-store","value":"Berlin"}],"securityContext":{"store":"Berlin"}})
 */
export function notificationEmbedRecipient(name: string, spec: NotificationEmbedRecipientSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("NotificationEmbedRecipient", name, spec, options);
}
