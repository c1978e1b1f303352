// Generated from the kinds by `npm run generate`. Do not edit.
import { createDocument, type ManifestDocument, type DocumentOptions, type GeneratedSecretDocumentOptions } from "../document.ts";
export type { Documents, ManifestContext, ManifestDocument, DocumentOptions, GeneratedSecretDocumentOptions } from "../document.ts";
export type { Lifecycle } from "./lifecycle.ts";

/** What Deployment is to be like. */
export interface DeploymentSpec {
  /** Name, unique in the account; a change renames the deployment and keeps its address. */
  readonly name: string;
  /** Region that it lives in, such as `aws-us-east-1`. */
  readonly region: string;
  /**
   * Who runs the machines.
   *
   * *Left out, the service chooses it.*
   *
   * *The API cannot clear it once it is set.*
   */
  readonly cloudProvider?: "svccloud" | "aws" | "gcp" | undefined;
  /**
   * Whose machines they are.
   *
   * *A change deletes the object and creates it anew.*
   *
   * *Left out, the service chooses it.*
   */
  readonly targetPlatform?: "aws" | "gcp" | undefined;
  /**
   * The vendor runs it.
   *
   * *A change deletes the object and creates it anew.*
   *
   * *Left out, the service chooses it.*
   */
  readonly isManaged?: boolean | undefined;
  /**
   * How the data model comes in at first.
   *
   * *Left out, the service chooses it.*
   *
   * *The API cannot clear it once it is set.*
   */
  readonly creationMethod?: "upload" | "svccloud" | "github" | "ssh" | undefined;
  /**
   * How changes of the data model come in.
   *
   * *Left out, the service chooses it.*
   *
   * *The API cannot clear it once it is set.*
   */
  readonly deployMode?: "git" | "cli" | undefined;
  /**
   * How many machines it has.
   *
   * *Left out, the service chooses it.*
   *
   * *The API cannot clear it once it is set.*
   */
  readonly template?: "single" | "simpleCluster" | "multiCluster" | undefined;
  /** Domain that replaces the host of its address. */
  readonly customDomain?: string | null | undefined;
  /**
   * Branch that production is built from.
   *
   * *Left out, the service chooses it.*
   *
   * *The API cannot clear it once it is set.*
   */
  readonly deployBranchName?: string | undefined;
  /**
   * Nobody writes to the deploy branch directly.
   *
   * *Left out, the service chooses it.*
   *
   * *The API cannot clear it once it is set.*
   */
  readonly deployBranchReadOnly?: boolean | undefined;
  /**
   * Branches may be merged into the deploy branch.
   *
   * *Left out, the service chooses it.*
   *
   * *The API cannot clear it once it is set.*
   */
  readonly deployBranchMergeAllowed?: boolean | undefined;
  /**
   * Folder of the data model.
   *
   * *Left out, the service chooses it.*
   *
   * *The API cannot clear it once it is set.*
   */
  readonly deployProjectRoot?: string | undefined;
  /** Group of views that people see first. */
  readonly defaultLaunchpadViewGroup?: string | null | undefined;
  /**
   * Tabs that people see, in their order.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly launchpadTabs?: readonly string[] | undefined;
  /**
   * Values of the template, by name, all of them; never a secret.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly templateVariables?: Readonly<Record<string, string | number | boolean>> | undefined;
  /**
   * The customer's own storage.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly cspsConfig?: {
    /** It is used. */
    readonly enabled: boolean;
    /** Whose storage it is. */
    readonly storageProvider: string;
    /**
     * Bucket on S3.
     *
     * *The API cannot clear it once it is set.*
     */
    readonly s3Bucket?: string | undefined;
    /**
     * Region of the bucket.
     *
     * *The API cannot clear it once it is set.*
     */
    readonly s3Region?: string | undefined;
    /**
     * Encryption of the bucket.
     *
     * *The API cannot clear it once it is set.*
     */
    readonly s3Sse?: string | undefined;
    /**
     * Role on AWS.
     *
     * *The API cannot clear it once it is set.*
     */
    readonly awsRoleArn?: string | undefined;
    /**
     * Bucket on GCS.
     *
     * *The API cannot clear it once it is set.*
     */
    readonly gcsBucket?: string | undefined;
    /**
     * Service account on GCP.
     *
     * *The API cannot clear it once it is set.*
     */
    readonly gcpServiceAccountEmail?: string | undefined;
    /**
     * Workload identity provider on GCP.
     *
     * *The API cannot clear it once it is set.*
     */
    readonly gcpWorkloadIdentityProvider?: string | undefined;
    /**
     * Storage account on Azure.
     *
     * *The API cannot clear it once it is set.*
     */
    readonly azureStorageAccount?: string | undefined;
    /**
     * Container on Azure.
     *
     * *The API cannot clear it once it is set.*
     */
    readonly azureContainer?: string | undefined;
    /**
     * Tenant on Azure.
     *
     * *The API cannot clear it once it is set.*
     */
    readonly azureTenantId?: string | undefined;
    /**
     * Client on Azure.
     *
     * *The API cannot clear it once it is set.*
     */
    readonly azureClientId?: string | undefined;
  } | undefined;
  /**
   * Which version of the platform it runs.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly release?: {
    /** Update channel. Given without a version, a change moves to the channel's newest version. */
    readonly channel?: "latest" | "release" | null | undefined;
    /**
     * Version to run: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`, which mean the same. It must be on the deployment's list of versions.
     *
     * *Moves by itself while channel is set, unless hold is true; given here, it is pinned.*
     */
    readonly version?: string | null | undefined;
    /** Keeps automatic upgrades away. A version that is not its channel's newest sets it unless it is given. */
    readonly hold?: boolean | null | undefined;
  } | undefined;
}

/**
 * An analytics deployment: where it lives, how its data model comes in, and which version of the platform it runs. Deleting it deletes everything scoped to it.
 *
 * @example Production on the conservative channel
 * deployment("production", {"name":"production","region":"aws-us-east-1","cloudProvider":"svccloud","targetPlatform":"aws","isManaged":true,"creationMethod":"github","deployMode":"git","template":"simpleCluster","customDomain":"analytics.example.com","deployBranchName":"main","deployBranchReadOnly":true,"deployBranchMergeAllowed":true,"deployProjectRoot":"model","defaultLaunchpadViewGroup":"sales","launchpadTabs":["dashboards","reports"],"templateVariables":{"currency":"EUR","decimals":2,"beta":false},"cspsConfig":{"enabled":true,"storageProvider":"s3","s3Bucket":"extracts"},"release":{"channel":"release"}})
 */
export function deployment(name: string, spec: DeploymentSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("Deployment", name, spec, options);
}

/** What EnvironmentVariable is to be like. */
export interface EnvironmentVariableSpec {
  /**
   * The deployment that it belongs to.
   *
   * *Names Deployment/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly deployment: string | {
    readonly external: string;
  };
  /**
   * Name: letters, digits and underscores, no digit first.
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly name: string;
  /**
   * Value. It is never shown, whatever the name.
   *
   * *The API may mask it, depending on name; then drift cannot be seen.*
   *
   * *A secret comes from elsewhere: valueFrom, or ${env:NAME}.*
   */
  readonly value: string | {
    /** One of these. */
    readonly valueFrom: {
      /** An environment variable, which the Stack names in spec.environment too. */
      readonly env?: string | undefined;
      /** A file, as seen from the Stack's folder; one line end behind it does not count. */
      readonly file?: string | undefined;
      /** A file that sops decrypts, or one value in it. */
      readonly sops?: {
        /** As seen from the Stack's folder. */
        readonly file: string;
        /** The names that lead to the value, and numbers for items of lists, from 0 on; without it, the whole file. */
        readonly key?: readonly (string | number)[] | undefined;
      } | undefined;
      /** A file that age decrypts. */
      readonly age?: {
        /** As seen from the Stack's folder. */
        readonly file: string;
        /** The file of the key, which the operator grants. */
        readonly identity: string;
      } | undefined;
      /** A program and its arguments; what it prints is the value. */
      readonly command?: readonly string[] | undefined;
    };
  };
}

/**
 * An environment variable of a deployment. The API masks the value where the name holds PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of such a value cannot be seen.
 *
 * @example A setting of the data model
 * environmentVariable("default-currency", {"deployment":"production","name":"DEFAULT_CURRENCY","value":"EUR"})
 */
export function environmentVariable(name: string, spec: EnvironmentVariableSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("EnvironmentVariable", name, spec, options);
}

/** What UserAttribute is to be like. */
export interface UserAttributeSpec {
  /**
   * Name by which data models and sessions call it.
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly name: string;
  /**
   * Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one.
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly type: "string" | "number" | "boolean" | "string_array" | "number_array";
  /** Name that people see. */
  readonly displayName?: string | null | undefined;
  /** What it is for. */
  readonly description?: string | null | undefined;
  /**
   * Value, written as text, of users who have none.
   *
   * *Its form goes by type: of number, a number, such as 2.5; of boolean, true or false; of string_array, texts with commas between, or a JSON list such as ["a", "b"]; of number_array, numbers with commas between, or a JSON list such as [1, 2].*
   */
  readonly defaultValue?: string | null | undefined;
}

/**
 * An attribute that every user of the account can have a value of. Access policies in the data model read it as `userAttributes.<name>`.
 *
 * @example A region that row-level security filters by
 * userAttribute("region", {"name":"region","type":"string","displayName":"Region","description":"Sales region that a viewer may see.","defaultValue":"EMEA"})
 */
export function userAttribute(name: string, spec: UserAttributeSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("UserAttribute", name, spec, options);
}

/** What UserGroup is to be like. */
export interface UserGroupSpec {
  /** Name, unique in the account; a change renames the group and keeps its members. */
  readonly name: string;
  /** Who belongs to it. */
  readonly description?: string | null | undefined;
}

/**
 * An account-wide group. Access policies and dashboards are shared with it by name.
 *
 * @example Analysts who may explore
 * userGroup("analysts", {"name":"analysts","description":"May explore every deployment."})
 */
export function userGroup(name: string, spec: UserGroupSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("UserGroup", name, spec, options);
}

/** What User is to be like. */
export interface UserSpec {
  /**
   * Email, in lower case, unique in the account.
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly email: string;
  /**
   * Name to sign in with, unique in the account.
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly username: string;
  /** Name as others see it. */
  readonly firstName?: string | null | undefined;
  /** What the user does. */
  readonly title?: string | null | undefined;
  /** Absolute http(s) address of the avatar. */
  readonly picture?: string | null | undefined;
  /**
   * Administrators may do everything; others read. The account's last active one stays.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly isAdmin?: boolean | undefined;
  /**
   * Keys and sessions of the user are refused. Nobody deactivates themselves.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly isDeactivated?: boolean | undefined;
  /**
   * The account's groups that the user is in, and no others; an empty list leaves all.
   *
   * *Names UserGroup/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *Order does not matter, and duplicates count once.*
   *
   * *The API cannot clear it once it is set.*
   */
  readonly groups?: readonly (string | {
    readonly external: string;
  })[] | undefined;
  /**
   * Values of the account's attributes, and no others; an empty list clears all.
   *
   * *Order does not matter, and duplicates count once.*
   *
   * *The API cannot clear it once it is set.*
   */
  readonly userAttributes?: readonly ({
    /**
     * The attribute.
     *
     * *Names UserAttribute/...: a document's name, or { external: key } for one outside the stack.*
     */
    readonly name: string | {
      readonly external: string;
    };
    /** Its value, of the attribute's type. */
    readonly value: string | number | boolean | readonly string[] | readonly number[];
  })[] | undefined;
}

/**
 * One of the account's own users. Who is an administrator, who is let in at all, and which groups and attributes access policies see. Deleting a user deletes its API keys.
 *
 * @example An analyst with a region of her own
 * user("jane", {"email":"jane@corp.example","username":"jane","firstName":"Jane","title":"Analyst","picture":"https://corp.example/people/jane.png","isAdmin":false,"isDeactivated":false,"groups":["analysts"],"userAttributes":[{"name":"region","value":"EMEA"}]})
 *
 * @example The user that pipelines act as
 * user("robot", {"email":"robot@corp.example","username":"robot","isAdmin":true})
 */
export function user(name: string, spec: UserSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("User", name, spec, options);
}

/** What ApiKey is to be like. */
export interface ApiKeySpec {
  /** What it is for. The API lets several keys have one name; of those that are managed each has its own. */
  readonly name: string;
  /**
   * Email of the user whose rights it carries; left out, the user whose key is used to make it.
   *
   * *Names User/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *A change deletes the object and creates it anew.*
   *
   * *Left out, the service chooses it.*
   */
  readonly owner?: string | {
    readonly external: string;
  } | undefined;
  /**
   * The only deployments that it reaches; `null` is all of them.
   *
   * *Names Deployment/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *Order does not matter, and duplicates count once.*
   */
  readonly deployments?: readonly (string | {
    readonly external: string;
  })[] | null | undefined;
}

/**
 * A credential for the API. Its secret is shown once, when the key is made.
 *
 * @example A pipeline's key, for one deployment
 * apiKey("ci", {"name":"ci","owner":"robot","deployments":["production"]}, {"secretTo":{"file":"secrets/ci"}})
 */
export function apiKey(name: string, spec: ApiKeySpec, options: GeneratedSecretDocumentOptions): ManifestDocument {
  return createDocument("ApiKey", name, spec, options);
}

/** What EmbedTenant is to be like. */
export interface EmbedTenantSpec {
  /**
   * Name that sessions give: 5 to 36 lowercase letters, digits and hyphens, a letter first, no hyphen last.
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly name: string;
  /**
   * Name that people see.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly displayName?: string | undefined;
}

/**
 * A tenant of signed embedding: one customer, with groups, attributes and external users of its own. It comes to life with a reserved external user, `svc-provisioner`, and deleting it deletes everything inside.
 *
 * @example A customer
 * embedTenant("acme", {"name":"acme-stores","displayName":"Acme Stores"})
 */
export function embedTenant(name: string, spec: EmbedTenantSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("EmbedTenant", name, spec, options);
}

/** What EmbedGroup is to be like. */
export interface EmbedGroupSpec {
  /**
   * The tenant it belongs to.
   *
   * *Names EmbedTenant/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly embedTenant: string | {
    readonly external: string;
  };
  /**
   * Name, unique in the tenant.
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly name: string;
  /** Who belongs to it. A server without direct group operations updates it and never clears it. */
  readonly description?: string | null | undefined;
}

/**
 * A group in an embed tenant: what creator-mode sessions and provisioned users name in their groups.
 *
 * @example Viewers of a customer
 * embedGroup("acme-viewers", {"embedTenant":"acme","name":"viewers","description":"May read every published dashboard."})
 */
export function embedGroup(name: string, spec: EmbedGroupSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("EmbedGroup", name, spec, options);
}

/** What EmbedUserAttribute is to be like. */
export interface EmbedUserAttributeSpec {
  /**
   * The tenant it belongs to.
   *
   * *Names EmbedTenant/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly embedTenant: string | {
    readonly external: string;
  };
  /**
   * Name, unique in the tenant.
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly name: string;
  /**
   * Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one.
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly type: "string" | "number" | "string_array" | "number_array";
  /**
   * Name that people see.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly displayName?: string | undefined;
  /**
   * Value, written as text, of users who have none.
   *
   * *The API cannot clear it once it is set.*
   *
   * *Its form goes by type: of number, a number, such as 2.5; of boolean, true or false; of string_array, texts with commas between, or a JSON list such as ["a", "b"]; of number_array, numbers with commas between, or a JSON list such as [1, 2].*
   */
  readonly defaultValue?: string | undefined;
  /**
   * What it is for.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly description?: string | undefined;
}

/**
 * An attribute that external users of one embed tenant can have a value of. It is written through a creator-mode session, so the account's `useCreatorMode` flag must be on.
 *
 * @example The store that a viewer works in
 * embedUserAttribute("acme-store", {"embedTenant":"acme","name":"store","type":"string","displayName":"Store","defaultValue":"none","description":"Store that a viewer works in."})
 */
export function embedUserAttribute(name: string, spec: EmbedUserAttributeSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("EmbedUserAttribute", name, spec, options);
}

/** What EmbedUser is to be like. */
export interface EmbedUserSpec {
  /**
   * The tenant it belongs to.
   *
   * *Names EmbedTenant/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly embedTenant: string | {
    readonly external: string;
  };
  /**
   * Stable id in your own system: lowercase, trimmed. `svc-provisioner` is reserved.
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly externalId: string;
  /**
   * Where notifications go.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly email?: string | undefined;
  /**
   * Name beside the avatar.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly displayName?: string | undefined;
  /**
   * Absolute http(s) address of the avatar; the viewer's browser loads it.
   *
   * *The API cannot clear it once it is set.*
   *
   * *The API does not show it, so drift cannot be seen; a change of the manifest is applied.*
   */
  readonly picture?: string | undefined;
  /**
   * Account-wide groups it is in; an empty list leaves all.
   *
   * *Names UserGroup/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *Order does not matter, and duplicates count once.*
   *
   * *The API cannot clear it once it is set.*
   *
   * *The API does not show it, so drift cannot be seen; a change of the manifest is applied.*
   */
  readonly groups?: readonly (string | {
    readonly external: string;
  })[] | undefined;
  /**
   * Groups of its tenant it is in; an empty list leaves all.
   *
   * *Names EmbedGroup/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *Order does not matter, and duplicates count once.*
   *
   * *The API cannot clear it once it is set.*
   */
  readonly tenantGroups?: readonly (string | {
    readonly external: string;
  })[] | undefined;
  /**
   * Values of account-wide attributes; `null` clears one, one left out is kept.
   *
   * *Order does not matter, and duplicates count once.*
   *
   * *The API cannot clear it once it is set.*
   *
   * *The API does not show it, so drift cannot be seen; a change of the manifest is applied.*
   */
  readonly userAttributes?: readonly ({
    /**
     * The attribute.
     *
     * *Names UserAttribute/...: a document's name, or { external: key } for one outside the stack.*
     */
    readonly name: string | {
      readonly external: string;
    };
    /** Its value, of the attribute's type. */
    readonly value: string | number | boolean | readonly string[] | readonly number[] | null;
  })[] | undefined;
}

/**
 * An external user of an embed tenant, known by the id it has in your own system. Provisioning it ahead of its first session gives it groups and attributes from the start.
 *
 * @example A store manager
 * embedUser("acme-jane", {"embedTenant":"acme","externalId":"jane-4711","email":"jane@acme.example","displayName":"Jane Doe","picture":"https://acme.example/people/jane.png","groups":["analysts"],"tenantGroups":["acme-viewers"],"userAttributes":[{"name":"region","value":"EMEA"}]})
 */
export function embedUser(name: string, spec: EmbedUserSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("EmbedUser", name, spec, options);
}

/** What Workbook is to be like. */
export interface WorkbookSpec {
  /**
   * The deployment that it belongs to.
   *
   * *Names Deployment/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly deployment: string | {
    readonly external: string;
  };
  /** What it is called in addresses and by what refers to it: lowercase, unique in the deployment. */
  readonly slug: string;
  /**
   * Name that people see.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly name?: string | undefined;
  /**
   * Values of your own, by name; `{}` empties them.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Its dashboard, published with what is said here over what is published already. The API cannot take a published dashboard back.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly dashboard?: {
    /** Title above the dashboard. */
    readonly title?: string | null | undefined;
    /** What it shows. */
    readonly description?: string | null | undefined;
    /** A classic dashboard, or an app. */
    readonly kind?: "CLASSIC" | "APP" | null | undefined;
    /** Layout, as the product exports it. */
    readonly layout?: Readonly<Record<string, unknown>> | null | undefined;
    /** Theme, as the product exports it. */
    readonly theme?: Readonly<Record<string, unknown>> | null | undefined;
    /** Settings, as the product exports them. */
    readonly settings?: Readonly<Record<string, unknown>> | null | undefined;
    /** What is on it, from top to bottom. */
    readonly widgets?: readonly ({
      /** What the dashboard calls it, unique on it. */
      readonly id: string;
      /** What it is. */
      readonly type: "CHART" | "TEXT" | "FILTER" | "AI" | "TIME_GRAIN" | "FIELD" | "PARENT" | "SPACER" | "DIVIDER" | "CONTAINER";
      /** Where it stands on the dashboard's grid. */
      readonly position: {
        /** Columns from the left. */
        readonly x: number;
        /** Rows from the top. */
        readonly y: number;
        /** Columns that it takes. */
        readonly w: number;
        /** Rows that it takes. */
        readonly h: number;
      };
      /** Positions on other widths, as the product exports them. */
      readonly responsiveLayouts?: Readonly<Record<string, unknown>> | null | undefined;
      /** What the dashboard shows and how. */
      readonly config?: Readonly<Record<string, unknown>> | null | undefined;
      /** Style, as the product exports it. */
      readonly style?: Readonly<Record<string, unknown>> | null | undefined;
    })[] | null | undefined;
    /**
     * Signed embedding may show it.
     *
     * *The API cannot clear it once it is set.*
     */
    readonly allowEmbed?: boolean | undefined;
  } | undefined;
}

/**
 * A workbook of a deployment, with the dashboard that is published from it. Deleting it deletes the dashboard and its notifications.
 *
 * @example A dashboard that customers see
 * workbook("sales-overview", {"deployment":"production","slug":"sales-overview","name":"Sales overview","meta":{"team":"analytics"},"dashboard":{"title":"Sales overview","description":"Orders and revenue, by store.","allowEmbed":true,"widgets":[{"id":"headline","type":"TEXT","position":{"x":0,"y":0,"w":12,"h":2},"config":{"text":"Sales"}}]}})
 */
export function workbook(name: string, spec: WorkbookSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("Workbook", name, spec, options);
}

/** What Notification is to be like. */
export interface NotificationSpec {
  /**
   * The deployment that it belongs to.
   *
   * *Names Deployment/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly deployment: string | {
    readonly external: string;
  };
  /**
   * The workbook whose published dashboard is delivered.
   *
   * *Names Workbook/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly workbook: string | {
    readonly external: string;
  };
  /** When it is sent, as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). */
  readonly schedule: string;
  /**
   * Time zone of the schedule, as the IANA database calls it.
   *
   * *Left out, it is "UTC".*
   */
  readonly timezone?: string | undefined;
  /**
   * It runs at all.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly isEnabled?: boolean | undefined;
  /**
   * Its runs are delivered to recipients.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly notificationEnabled?: boolean | undefined;
  /**
   * What is delivered.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly notificationFormat?: "png" | "pdf" | undefined;
  /**
   * A written summary comes with it.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly notificationAiSummary?: boolean | undefined;
  /** Filters of the dashboard while it is rendered. */
  readonly filters?: readonly ({
    /** Member of the data model: `view.member`. */
    readonly member: string;
    /** How the member is compared. */
    readonly operator?: string | null | undefined;
    /** What the member is compared with. */
    readonly value?: unknown | undefined;
    /** Capitals count. */
    readonly caseSensitive?: boolean | null | undefined;
    /** The beginning of a range belongs to it. */
    readonly startInclusive?: boolean | null | undefined;
    /** The end of a range belongs to it. */
    readonly endInclusive?: boolean | null | undefined;
  })[] | null | undefined;
  /** Time grains, as the product exports them. */
  readonly timeGrains?: readonly Readonly<Record<string, unknown>>[] | null | undefined;
  /** Member switchers, as the product exports them. */
  readonly memberSwitchers?: readonly Readonly<Record<string, unknown>>[] | null | undefined;
}

/**
 * A scheduled delivery of a workbook's published dashboard. The API gives it no name, so it is known by deployment, workbook, schedule and time zone; once it is owned, by its id.
 *
 * @example Every Monday morning
 * notification("weekly-sales", {"deployment":"production","workbook":"sales-overview","schedule":"0 9 * * 1","timezone":"Europe/Berlin","isEnabled":true,"notificationEnabled":true,"notificationFormat":"pdf","notificationAiSummary":true,"filters":[{"member":"orders.status","operator":"equals","value":["completed"]}],"timeGrains":[{"member":"orders.createdAt","grain":"week"}],"memberSwitchers":[{"from":"orders.count","to":"orders.total"}]})
 */
export function notification(name: string, spec: NotificationSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("Notification", name, spec, options);
}

/** What NotificationRecipient is to be like. */
export interface NotificationRecipientSpec {
  /**
   * The deployment of the notification.
   *
   * *Names Deployment/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly deployment: string | {
    readonly external: string;
  };
  /**
   * The notification that is received.
   *
   * *Names Notification/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly notification: string | {
    readonly external: string;
  };
  /**
   * Email of the user, in lower case. The user has to exist.
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly user: string;
}

/**
 * One of the account's own users who receives a notification. For external users there is `NotificationEmbedRecipient`.
 *
 * @example The administrator receives it
 * notificationRecipient("weekly-sales-admin", {"deployment":"production","notification":"weekly-sales","user":"admin@svc.localhost"})
 */
export function notificationRecipient(name: string, spec: NotificationRecipientSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("NotificationRecipient", name, spec, options);
}

/** What NotificationEmbedRecipient is to be like. */
export interface NotificationEmbedRecipientSpec {
  /**
   * The deployment of the notification.
   *
   * *Names Deployment/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly deployment: string | {
    readonly external: string;
  };
  /**
   * The notification that is received.
   *
   * *Names Notification/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly notification: string | {
    readonly external: string;
  };
  /**
   * The tenant of the external user.
   *
   * *Names EmbedTenant/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly embedTenant: string | {
    readonly external: string;
  };
  /**
   * The external user's id in your own system; the user is made where there is none.
   *
   * *A change deletes the object and creates it anew.*
   */
  readonly externalId: string;
  /**
   * Where to deliver, where neither the user's own email nor the `externalId` says so. It becomes the user's own.
   *
   * *The API cannot clear it once it is set.*
   */
  readonly email?: string | undefined;
  /**
   * Account-wide groups that it is rendered with; with `tenantGroups` they are all there are.
   *
   * *Names UserGroup/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *Order does not matter, and duplicates count once.*
   *
   * *The API cannot clear it once it is set.*
   *
   * *The API does not show it, so drift cannot be seen; a change of the manifest is applied.*
   */
  readonly groups?: readonly (string | {
    readonly external: string;
  })[] | undefined;
  /**
   * Groups of its tenant that it is rendered with.
   *
   * *Names EmbedGroup/...: a document's name, or { external: key } for one outside the stack.*
   *
   * *Order does not matter, and duplicates count once.*
   *
   * *The API cannot clear it once it is set.*
   *
   * *The API does not show it, so drift cannot be seen; a change of the manifest is applied.*
   */
  readonly tenantGroups?: readonly (string | {
    readonly external: string;
  })[] | undefined;
  /**
   * Values of account-wide attributes that it is rendered with; with `tenantUserAttributes` they are all there are.
   *
   * *Order does not matter, and duplicates count once.*
   *
   * *The API cannot clear it once it is set.*
   *
   * *The API does not show it, so drift cannot be seen; a change of the manifest is applied.*
   */
  readonly userAttributes?: readonly ({
    /**
     * The attribute.
     *
     * *Names UserAttribute/...: a document's name, or { external: key } for one outside the stack.*
     */
    readonly name: string | {
      readonly external: string;
    };
    /** Its value, of the attribute's type. */
    readonly value: string | number | boolean | readonly string[] | readonly number[] | null;
  })[] | undefined;
  /**
   * Values of its tenant's attributes that it is rendered with.
   *
   * *Order does not matter, and duplicates count once.*
   *
   * *The API cannot clear it once it is set.*
   *
   * *The API does not show it, so drift cannot be seen; a change of the manifest is applied.*
   */
  readonly tenantUserAttributes?: readonly ({
    /**
     * The attribute.
     *
     * *Names EmbedUserAttribute/...: a document's name, or { external: key } for one outside the stack.*
     */
    readonly name: string | {
      readonly external: string;
    };
    /** Its value, of the attribute's type. */
    readonly value: string | number | boolean | readonly string[] | readonly number[] | null;
  })[] | undefined;
  /**
   * Security context of its queries: any object.
   *
   * *The API cannot clear it once it is set.*
   *
   * *The API does not show it, so drift cannot be seen; a change of the manifest is applied.*
   */
  readonly securityContext?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * An external user who receives a notification, with the groups, attributes and security context that it is rendered with for them.
 *
 * @example A store manager receives it
 * notificationEmbedRecipient("weekly-sales-jane", {"deployment":"production","notification":"weekly-sales","embedTenant":"acme","externalId":"jane-4711","email":"jane@acme.example","groups":["analysts"],"tenantGroups":["acme-viewers"],"userAttributes":[{"name":"region","value":"EMEA"}],"tenantUserAttributes":[{"name":"acme-store","value":"Berlin"}],"securityContext":{"store":"Berlin"}})
 */
export function notificationEmbedRecipient(name: string, spec: NotificationEmbedRecipientSpec, options: DocumentOptions = {}): ManifestDocument {
  return createDocument("NotificationEmbedRecipient", name, spec, options);
}
