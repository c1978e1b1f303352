// The tables of one account as Kysely types. Booleans are 0 or 1, times are ISO 8601 text, JSON is text; see codec.ts.
import type { AccessTables } from "./access-tables.ts";
import type { AccountTables } from "./account-tables.ts";
import type { ContentTables } from "./content-tables.ts";
import type { DataModelTables } from "./data-model-tables.ts";
import type { DeliveryTables } from "./delivery-tables.ts";
import type { ScimTables } from "./scim-tables.ts";
import type { SignInTables } from "./sign-in-tables.ts";
import type { Generated, GeneratedAlways, Kysely, Selectable } from "kysely";

/** The account: one row, with id 1. */
export interface AccountTable {
  id: number;
  name: string;
  use_creator_mode: number;
  embedding_enabled: number;
  external_user_limit: number;
  /** Salt of the operator's key, on a shared database. */
  operator_salt: string | null;
  /** Prefix of values under the account's key, on a shared database. */
  seal_prefix: string | null;
  /** 1 if users who are not administrators may own API keys, which have the rights of the user. */
  personal_keys: Generated<number>;
  /** 1 if changes are recorded in the audit log. */
  audit_log_enabled: Generated<number>;
  /** When the audit log was last switched on or off. */
  audit_log_changed_at: string | null;
  /** 1 if deployments get OIDC tokens. */
  oidc_enabled: Generated<number>;
  /** JSON: the configuration of the application. */
  app_config: string | null;
  /** 1 if identity providers may provision users and groups. */
  scim_enabled: Generated<number>;
  created_at: string;
}

/** Regions for deployments. */
export interface RegionTable {
  id: Generated<number>;
  name: string;
  title: string | null;
  provider: string | null;
  is_public: number;
}

/** Deployments; names are unique. */
export interface DeploymentTable {
  id: Generated<number>;
  name: string;
  region: string;
  cloud_provider: string;
  target_platform: string;
  is_managed: number;
  creation_step: string;
  creation_method: string | null;
  deploy_mode: string | null;
  created_at: string;
  template: Generated<string>;
  release_channel: Generated<string>;
  /** `1.2.3`; null until a server with version support has started. */
  version: string | null;
  version_hold: Generated<number>;
  deploy_branch_name: Generated<string>;
  deploy_branch_read_only: Generated<number>;
  deploy_branch_merge_allowed: Generated<number>;
  deploy_project_root: Generated<string>;
  custom_domain: string | null;
  default_launchpad_view_group: string | null;
  /** JSON. */
  launchpad_tabs: Generated<string>;
  /** JSON. */
  template_variables: Generated<string>;
  /** JSON. */
  csps_config: string | null;
}

/** Every version that a deployment of the account ever ran, with its channel. */
export interface VersionRunTable {
  version: string;
  release_channel: string;
}

/** Environment variables; names are unique in a deployment. */
export interface DeploymentVariableTable {
  id: Generated<number>;
  deployment_id: number;
  name: string;
  /** Encrypted for its deployment and name. */
  sealed_value: string;
}

/** Tenants of signed embedding. */
export interface EmbedTenantTable {
  id: Generated<number>;
  name: string;
  display_name: string | null;
  created_at: string;
}

/** The account's own users and external users, who belong to an embed tenant. */
export interface UserTable {
  id: Generated<number>;
  /** Unique among the account's own users. */
  username: string;
  /** `username` in lower case; null for external users that were created after the column. */
  name_key: string | null;
  email: string | null;
  /** `email` in lower case. Users of identity providers may share one. */
  email_key: string | null;
  /** The API's `firstName` and a profile's `displayName`. */
  display_name: string | null;
  picture: string | null;
  is_admin: number;
  is_external: number;
  embed_tenant_id: number | null;
  /** Unique in its embed tenant; for the account's own users, the ID at the identity provider. */
  external_id: string | null;
  created_at: string;
  last_login: string | null;
  title: string | null;
  /** 1 if the user's credentials are rejected. */
  is_deactivated: Generated<number>;
  /** How often the user was deactivated; a data token contains the number at its time. */
  deactivations: Generated<number>;
  /** 1 if the user is deleted with its last session. */
  is_ephemeral: Generated<number>;
  updated_at: string | null;
  /** JSON: names of roles; null for the default role. */
  default_roles: string | null;
  /** JSON: the user's choices; null if there are none. */
  settings: string | null;
  /** JSON: the context of the user's queries if their token has none; null if there is none. */
  security_context: string | null;
  /** The name of the theme of embedded pages, unless their session names one. */
  embed_theme: string | null;
}

/** Groups, account-wide or of an embed tenant. */
export interface UserGroupTable {
  id: Generated<number>;
  embed_tenant_id: number | null;
  /** `embed_tenant_id`, or 0 for account-wide; names are unique in it. */
  tenant_scope: GeneratedAlways<number>;
  name: string;
  /** `name` in lower case. */
  name_key: string | null;
  description: string | null;
  created_at: string;
}

/** Group memberships. */
export interface GroupMemberTable {
  group_id: number;
  user_id: number;
}

/** Attribute definitions, account-wide or of an embed tenant. */
export interface UserAttributeTable {
  id: Generated<number>;
  embed_tenant_id: number | null;
  /** `embed_tenant_id`, or 0 for account-wide; names are unique in it. */
  tenant_scope: GeneratedAlways<number>;
  name: string;
  type: string;
  display_name: string | null;
  description: string | null;
  default_value: string | null;
  created_at: string;
}

/** Attribute values of users; a cleared value has no row. */
export interface UserAttributeValueTable {
  user_id: number;
  attribute_id: number;
  /** JSON. */
  value: string;
}

/** API keys; secrets are stored as hashes only. */
export interface ApiKeyTable {
  id: Generated<number>;
  name: string;
  /** The first characters of the secret, to identify it. */
  prefix: string;
  /** SHA-256 of the secret, hexadecimal. */
  secret_hash: string;
  owner_user_id: number;
  /** 1 if the scope is limited to the rows of `api_key_deployments`, even if there are none left. */
  is_scoped: number;
  /** 1 if the key is rejected until it is enabled; so is each key of a user who is deactivated. */
  is_disabled: Generated<number>;
  /** 1 for the operator's key. */
  is_bootstrap: number;
  /** JSON: the chosen permission actions; null for all permissions of the owner. */
  permissions: string | null;
  /** JSON: names of states with the access to each; null for all states that the permissions allow. */
  states: string | null;
  created_at: string;
}

/** The deployments in the scope of a key. */
export interface ApiKeyDeploymentTable {
  api_key_id: number;
  deployment_id: number;
}

/** Sessions of signed embedding. */
export interface EmbedSessionTable {
  id: Generated<number>;
  /** SHA-256 of the session identifier, hexadecimal. */
  session_hash: string;
  user_id: number;
  deployment_id: number;
  embed_tenant_id: number | null;
  creator_mode: number;
  /** JSON. */
  security_context: string | null;
  /** JSON. */
  settings: string | null;
  /** JSON: the branch, theme, dashboard and roles of the session. */
  options: string | null;
  created_at: string;
  expires_at: string;
  exchanged_at: string | null;
  revoked_at: string | null;
  /** The sign-in of the viewer of a private page, with which the session ends; null for a session that a host created. */
  browser_session_id: number | null;
}

/** Scheduled deliveries of published dashboards. */
export interface NotificationTable {
  id: Generated<number>;
  deployment_id: number;
  dashboard_id: number;
  schedule_type: "HOURLY" | "DAILY" | "WEEKLY" | "MONTHLY" | "CUSTOM";
  cron_expression: string;
  timezone: string;
  is_enabled: number;
  notification_enabled: number;
  notification_format: "png" | "pdf";
  notification_ai_summary: number;
  /** The tenant that all recipients are users of; null if they may be any. */
  embed_tenant_name: string | null;
  /** JSON. */
  filters: string | null;
  /** JSON. */
  time_grains: string | null;
  /** JSON. */
  member_switchers: string | null;
  created_at: string;
  /** Null if the notification is not active, or not planned yet. */
  next_run_at: string | null;
}

/** Recipients of notifications and the context of external users; null if not given. */
export interface RecipientTable {
  id: Generated<number>;
  notification_id: number;
  user_id: number;
  /** JSON: names, sorted. */
  user_groups: string | null;
  /** Canonical JSON. */
  security_context: string | null;
  /** JSON: `{ name, value }`, sorted by name. */
  user_attributes: string | null;
  /** 1 if the names of groups and attributes are of the embed tenant, 0 if they are of the account. */
  names_of_tenant: Generated<number>;
  created_at: string;
  /** When the recipient unsubscribed with the link in a mail; null if it receives the notification. */
  unsubscribed_at: string | null;
}

/** Results of writes with an idempotency key, kept for a day. */
export interface IdempotencyRecordTable {
  /** SHA-256 of the credential and the key, hexadecimal. */
  id: string;
  created_at: string;
  /** Encrypted for its id; empty only inside the transaction of the write. */
  sealed_record: string;
}

/** Background jobs; SQLite only. */
export interface JobTable {
  id: Generated<number>;
  name: string;
  /** Jobs with the same name and key are merged until the job has run. */
  job_key: string | null;
  /** JSON. */
  payload: string;
  run_at: string;
  /** Attempts so far. */
  attempts: number;
  /** End of the runner's lease; null if not running. */
  leased_until: string | null;
  /** Time of the last failed attempt; such a job does not run again. */
  failed_at: string | null;
  error: string | null;
}

/** States by name; version 0 has no content yet. */
export interface StateTable {
  id: Generated<number>;
  name: string;
  version: number;
  /** Digest of the content. */
  bytes: number;
  updated_at: string;
  /** Number of journal calls. */
  journal_calls: number;
  lock_id: string | null;
  /** JSON, as the lock holder sent it. */
  lock_info: string | null;
  /** Null for a lock without a lease. */
  lock_until: string | null;
}

/** The latest contents of states. */
export interface StateVersionTable {
  id: Generated<number>;
  state_id: number;
  version: number;
  created_at: string;
  user_id: number;
  bytes: number;
  /** Encrypted for its state and version. */
  sealed_content: string;
}

/** Journal of a state since its last version, one row per call. */
export interface StateJournalTable {
  id: Generated<number>;
  state_id: number;
  position: number;
  /** JSON, encrypted for its state and position. */
  sealed_lines: string;
}

/** All tables. */
export interface Tables
  extends
    AccessTables,
    AccountTables,
    ContentTables,
    DataModelTables,
    DeliveryTables,
    ScimTables,
    SignInTables {
  account: AccountTable;
  regions: RegionTable;
  deployments: DeploymentTable;
  versions_run: VersionRunTable;
  deployment_variables: DeploymentVariableTable;
  embed_tenants: EmbedTenantTable;
  users: UserTable;
  user_groups: UserGroupTable;
  group_members: GroupMemberTable;
  user_attributes: UserAttributeTable;
  user_attribute_values: UserAttributeValueTable;
  api_keys: ApiKeyTable;
  api_key_deployments: ApiKeyDeploymentTable;
  embed_sessions: EmbedSessionTable;
  notifications: NotificationTable;
  recipients: RecipientTable;
  idempotency_records: IdempotencyRecordTable;
  jobs: JobTable;
  states: StateTable;
  state_versions: StateVersionTable;
  state_journal: StateJournalTable;
}

/** The store, or a transaction on it. */
export type Db = Kysely<Tables>;

/** A whole row of a table. */
export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;
