// The tables of one account, as Kysely sees them. Booleans are 0 or 1, moments ISO 8601 text, JSON text; codec.ts converts.
import type { Generated, GeneratedAlways, Kysely, Selectable } from "kysely";

/** The account itself: one row, with id 1. */
export interface AccountTable {
  id: number;
  name: string;
  use_creator_mode: number;
  embedding_enabled: number;
  external_user_limit: number;
  /** Makes the operator's key from the secret key, where several servers share the database. */
  operator_salt: string | null;
  /** How everything begins that is sealed under the account's key, where several servers share the database. */
  seal_prefix: string | null;
  /** 1 where users who are no administrators may own API keys, which then carry just their rights. */
  personal_keys: Generated<number>;
  created_at: string;
}

/** Where a deployment can live. */
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
  deployment_url: string;
  cloud_provider: string;
  target_platform: string;
  is_managed: number;
  creation_step: string;
  creation_method: string | null;
  deploy_mode: string | null;
  created_at: string;
  template: Generated<string>;
  release_channel: Generated<string>;
  /** `1.2.3`; null only until the server that first knew of versions has started. */
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

/** Every version that a deployment of the account ever ran, by the channel it came from. */
export interface VersionRunTable {
  version: string;
  release_channel: string;
  first_run_at: string;
}

/** Environment variables of deployments; names are unique in one. */
export interface DeploymentVariableTable {
  id: Generated<number>;
  deployment_id: number;
  name: string;
  /** Sealed for its deployment and name. */
  sealed_value: string;
}

/** Tenants of signed embedding. */
export interface EmbedTenantTable {
  id: Generated<number>;
  name: string;
  display_name: string | null;
  created_at: string;
}

/** The account's own users, and external ones, which belong to an embed tenant. */
export interface UserTable {
  id: Generated<number>;
  /** Unique among the account's own users. */
  username: string;
  email: string | null;
  /** `email` in lower case; unique among the account's own users. */
  email_key: string | null;
  /** The API's `firstName` and a profile's `displayName`. */
  display_name: string | null;
  picture: string | null;
  is_admin: number;
  is_external: number;
  embed_tenant_id: number | null;
  /** Unique in its embed tenant. */
  external_id: string | null;
  created_at: string;
  last_login: string | null;
  title: string | null;
  /** 1 where the user's credentials are refused. */
  is_deactivated: Generated<number>;
  updated_at: string | null;
}

/** Groups, account-wide or of an embed tenant. */
export interface UserGroupTable {
  id: Generated<number>;
  embed_tenant_id: number | null;
  /** `embed_tenant_id`, or 0 for account-wide; names are unique in it. */
  tenant_scope: GeneratedAlways<number>;
  name: string;
  description: string | null;
  created_at: string;
}

/** Who is in which group. */
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

/** Values that users have of attributes; a cleared value has no row. */
export interface UserAttributeValueTable {
  user_id: number;
  attribute_id: number;
  /** JSON. */
  value: string;
}

/** API keys; the secret itself is never stored. */
export interface ApiKeyTable {
  id: Generated<number>;
  name: string;
  /** The first characters of the secret, for people. */
  prefix: string;
  /** SHA-256 of the secret, hexadecimal. */
  secret_hash: string;
  owner_user_id: number;
  /** 1 where only the rows of `api_key_deployments` are in scope, even when none is left. */
  is_scoped: number;
  /** 1 for the key that the server makes for its operator. */
  is_bootstrap: number;
  created_at: string;
}

/** The deployments that a scoped key may reach. */
export interface ApiKeyDeploymentTable {
  api_key_id: number;
  deployment_id: number;
}

/** Minted sessions of signed embedding. */
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
  created_at: string;
  expires_at: string;
  exchanged_at: string | null;
  revoked_at: string | null;
}

/** Workbooks of deployments; slugs are unique in one. */
export interface WorkbookTable {
  id: Generated<number>;
  deployment_id: number;
  slug: string | null;
  name: string;
  /** JSON. */
  meta: string;
  created_at: string;
  updated_at: string;
}

/** Dashboards of workbooks: of each at most one draft and one that is published. */
export interface DashboardTable {
  id: Generated<number>;
  workbook_id: number;
  deployment_id: number;
  status: "draft" | "published";
  /** Null for drafts. */
  public_id: string | null;
  allow_embed: number;
  /** JSON. */
  config: string;
  version_number: number;
  created_at: string;
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
  /** JSON. */
  filters: string | null;
  /** JSON. */
  time_grains: string | null;
  /** JSON. */
  member_switchers: string | null;
  created_at: string;
}

/** Who receives which notification, and as what external users see it; null where nothing was said. */
export interface RecipientTable {
  id: Generated<number>;
  notification_id: number;
  user_id: number;
  /** JSON: names, sorted. */
  user_groups: string | null;
  /** JSON in canonical form. */
  security_context: string | null;
  /** JSON: `{ name, value }`, sorted by name. */
  user_attributes: string | null;
  created_at: string;
}

/** What came of writes that named an idempotency key, for a day. */
export interface IdempotencyRecordTable {
  /** SHA-256 of the caller and the key, hexadecimal. */
  id: string;
  created_at: string;
  /** Sealed for its id; empty only inside the transaction of the write. */
  sealed_record: string;
}

/** Work to be done in the background; on SQLite only. */
export interface JobTable {
  id: Generated<number>;
  name: string;
  /** Two jobs of one name and key are one, until it is done. */
  job_key: string | null;
  /** JSON. */
  payload: string;
  run_at: string;
  /** Begun so far. */
  attempts: number;
  /** Until when somebody works on it; null for nobody. */
  leased_until: string | null;
  /** When the last attempt failed; such a job is not run again. */
  failed_at: string | null;
  error: string | null;
}

/** States by name; version 0 has no content yet. */
export interface StateTable {
  id: Generated<number>;
  name: string;
  version: number;
  /** Of the content. */
  bytes: number;
  updated_at: string;
  /** Calls that the journal holds the lines of. */
  journal_calls: number;
  lock_id: string | null;
  /** JSON, as its holder gave it. */
  lock_info: string | null;
  /** Null for a lock that ends only when it is given back. */
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
  /** Sealed for its state and version. */
  sealed_content: string;
}

/** What happened since a state was written, call by call. */
export interface StateJournalTable {
  id: Generated<number>;
  state_id: number;
  position: number;
  /** JSON, sealed for its state and position. */
  sealed_lines: string;
}

/** Every table. */
export interface Tables {
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
  workbooks: WorkbookTable;
  dashboards: DashboardTable;
  notifications: NotificationTable;
  recipients: RecipientTable;
  idempotency_records: IdempotencyRecordTable;
  jobs: JobTable;
  states: StateTable;
  state_versions: StateVersionTable;
  state_journal: StateJournalTable;
}

/** The store, or one transaction of it. */
export type Db = Kysely<Tables>;

/** A whole row of a table. */
export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;
