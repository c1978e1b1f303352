// The tables and indexes of the first migration, in the SQL of SQLite.

/** The tables that both databases have. */
export const tables = `\
create table account (
  id integer primary key, name text not null, use_creator_mode integer not null, embedding_enabled integer not null,
  external_user_limit integer not null, created_at text not null, personal_keys integer not null default 1,
  operator_salt text, seal_prefix text, audit_log_enabled integer not null default 1, audit_log_changed_at text,
  app_config text, oidc_enabled integer not null default 1, scim_enabled integer not null default 0
);
create table regions (
  id integer primary key autoincrement, name text not null unique, title text, provider text,
  is_public integer not null
);
create table deployments (
  id integer primary key autoincrement, name text not null unique, region text not null references regions (name),
  cloud_provider text not null, target_platform text not null, is_managed integer not null,
  creation_step text not null, creation_method text, deploy_mode text, created_at text not null,
  template text not null default 'single', release_channel text not null default 'latest', version text,
  version_hold integer not null default 0, deploy_branch_name text not null default 'main',
  deploy_branch_read_only integer not null default 0, deploy_branch_merge_allowed integer not null default 1,
  deploy_project_root text not null default '', custom_domain text, default_launchpad_view_group text,
  launchpad_tabs text not null default '[]', template_variables text not null default '{}', csps_config text
);
create index deployments_by_domain on deployments (custom_domain);
create table embed_tenants (
  id integer primary key autoincrement, name text not null unique, display_name text, created_at text not null
);
create table users (
  id integer primary key autoincrement, username text not null, email text, email_key text, display_name text,
  picture text, is_admin integer not null, is_external integer not null,
  embed_tenant_id integer references embed_tenants (id) on delete cascade, external_id text, created_at text not null,
  last_login text, title text, is_deactivated integer not null default 0, updated_at text,
  is_ephemeral integer not null default 0, default_roles text, settings text, security_context text, embed_theme text,
  name_key text, deactivations integer not null default 0,
  constraint users_of_tenant unique (embed_tenant_id, external_id)
);
create unique index users_username on users (username) where is_external = 0;
create index users_by_tenant on users (embed_tenant_id, id);
create index users_by_email on users (lower(email));
create index users_by_external_id on users (external_id);
create index users_own on users (id) where is_external = 0;
create index users_by_is_ephemeral on users (id) where is_ephemeral = 1;
create index own_users_by_external_id on users (external_id) where is_external = 0;
create index own_users_by_name_key on users (name_key) where is_external = 0;
create index users_email_key on users (email_key) where is_external = 0;
create table user_groups (
  id integer primary key autoincrement, embed_tenant_id integer references embed_tenants (id) on delete cascade,
  tenant_scope integer generated always as (coalesce(embed_tenant_id, 0)) stored, name text not null,
  description text, created_at text not null, name_key text, constraint user_groups_name unique (tenant_scope, name)
);
create index user_groups_by_embed_tenant_id_id on user_groups (embed_tenant_id, id);
create index user_groups_by_scope on user_groups (tenant_scope, id);
create index user_groups_by_name_key on user_groups (tenant_scope, name_key);
create table group_members (
  group_id integer not null references user_groups (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  constraint group_members_key primary key (group_id, user_id)
);
create index group_members_by_user_id on group_members (user_id);
create table user_attributes (
  id integer primary key autoincrement, embed_tenant_id integer references embed_tenants (id) on delete cascade,
  tenant_scope integer generated always as (coalesce(embed_tenant_id, 0)) stored, name text not null,
  type text not null, display_name text, description text, default_value text, created_at text not null,
  constraint user_attributes_name unique (tenant_scope, name)
);
create index user_attributes_by_embed_tenant_id_id on user_attributes (embed_tenant_id, id);
create index user_attributes_by_scope on user_attributes (tenant_scope, id);
create table user_attribute_values (
  user_id integer not null references users (id) on delete cascade,
  attribute_id integer not null references user_attributes (id) on delete cascade, value text not null,
  constraint user_attribute_values_key primary key (user_id, attribute_id)
);
create index user_attribute_values_by_attribute_id on user_attribute_values (attribute_id);
create table api_keys (
  id integer primary key autoincrement, name text not null, prefix text not null, secret_hash text not null unique,
  owner_user_id integer not null references users (id) on delete cascade, is_scoped integer not null,
  is_bootstrap integer not null, created_at text not null, permissions text, states text,
  is_disabled integer not null default 0
);
create index api_keys_by_owner_user_id on api_keys (owner_user_id);
create table api_key_deployments (
  api_key_id integer not null references api_keys (id) on delete cascade,
  deployment_id integer not null references deployments (id) on delete cascade,
  constraint api_key_deployments_key primary key (api_key_id, deployment_id)
);
create index api_key_deployments_by_deployment_id on api_key_deployments (deployment_id);
create table identity_providers (
  id integer primary key autoincrement, name text not null unique, display_name text, issuer text not null,
  client_id text not null, sealed_secret text not null, email_domains text, claims text not null,
  created_at text not null, updated_at text not null
);
create table browser_sessions (
  id integer primary key autoincrement, user_id integer not null references users (id) on delete cascade,
  token_hash text not null unique, created_at text not null, expires_at text not null,
  provider_id integer references identity_providers (id) on delete cascade
);
create index browser_sessions_by_user_id on browser_sessions (user_id);
create index browser_sessions_by_expires_at on browser_sessions (expires_at);
create index browser_sessions_by_provider_id on browser_sessions (provider_id);
create table embed_sessions (
  id integer primary key autoincrement, session_hash text not null unique,
  user_id integer not null references users (id) on delete cascade,
  deployment_id integer not null references deployments (id) on delete cascade,
  embed_tenant_id integer references embed_tenants (id) on delete cascade, creator_mode integer not null,
  security_context text, settings text, created_at text not null, expires_at text not null, exchanged_at text,
  revoked_at text, options text, browser_session_id integer references browser_sessions (id) on delete cascade
);
create index embed_sessions_by_user_id on embed_sessions (user_id);
create index embed_sessions_by_deployment_id on embed_sessions (deployment_id);
create index embed_sessions_by_embed_tenant_id on embed_sessions (embed_tenant_id);
create index embed_sessions_by_expires_at on embed_sessions (expires_at);
create index embed_sessions_by_browser_session_id on embed_sessions (browser_session_id);
create table versions_run (
  version text not null, release_channel text not null,
  constraint versions_run_key primary key (version, release_channel)
);
create table deployment_variables (
  id integer primary key autoincrement, deployment_id integer not null references deployments (id) on delete cascade,
  name text not null, sealed_value text not null, constraint deployment_variables_name unique (deployment_id, name)
);
create index deployment_variables_by_deployment on deployment_variables (deployment_id, id);
create table workbooks (
  id integer primary key autoincrement, deployment_id integer not null references deployments (id) on delete cascade,
  slug text, name text not null, meta text not null, created_at text not null, updated_at text not null,
  folder_id integer, created_by integer, name_key text collate BINARY not null default '',
  last_viewed_at text not null default '', constraint workbooks_slug unique (deployment_id, slug)
);
create index workbooks_by_deployment_id_id on workbooks (deployment_id, id);
create index workbooks_in_folder_ids on workbooks (deployment_id, folder_id, id);
create index workbooks_in_folder_names on workbooks (deployment_id, folder_id, name_key, id);
create index workbooks_in_folder_times on workbooks (deployment_id, folder_id, updated_at, id);
create table dashboards (
  id integer primary key autoincrement, workbook_id integer not null references workbooks (id) on delete cascade,
  deployment_id integer not null references deployments (id) on delete cascade, status text not null,
  public_id text unique, allow_embed integer not null, config text not null, version_number integer not null,
  created_at text not null, last_viewed_at text not null default '', shown_reports text not null default '[]',
  report_writers text not null default '[]', constraint dashboards_status unique (workbook_id, status)
);
create index dashboards_by_deployment_id on dashboards (deployment_id);
create table notifications (
  id integer primary key autoincrement, deployment_id integer not null references deployments (id) on delete cascade,
  dashboard_id integer not null references dashboards (id) on delete cascade, schedule_type text not null,
  cron_expression text not null, timezone text not null, is_enabled integer not null,
  notification_enabled integer not null, notification_format text not null, notification_ai_summary integer not null,
  filters text, time_grains text, member_switchers text, created_at text not null, next_run_at text
);
create index notifications_by_deployment_id_id on notifications (deployment_id, id);
create index notifications_by_dashboard_id on notifications (dashboard_id);
create index notifications_by_next_run_at on notifications (next_run_at);
create table recipients (
  id integer primary key autoincrement,
  notification_id integer not null references notifications (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade, user_groups text, security_context text,
  user_attributes text, created_at text not null, unsubscribed_at text, names_of_tenant integer not null default 0,
  constraint recipients_key unique (notification_id, user_id)
);
create index recipients_by_user_id on recipients (user_id);
create index recipients_by_notification_id_id on recipients (notification_id, id);
create table idempotency_records (
  id text not null primary key, created_at text not null, sealed_record text not null
);
create index idempotency_records_by_age on idempotency_records (created_at);
create table states (
  id integer primary key autoincrement, name text not null unique, version integer not null, bytes integer not null,
  updated_at text not null, journal_calls integer not null, lock_id text, lock_info text, lock_until text
);
create table state_versions (
  id integer primary key autoincrement, state_id integer not null references states (id) on delete cascade,
  version integer not null, created_at text not null, user_id integer not null, bytes integer not null,
  sealed_content text not null, constraint state_versions_key unique (state_id, version)
);
create index state_versions_by_state on state_versions (state_id, id);
create table state_journal (
  id integer primary key autoincrement, state_id integer not null references states (id) on delete cascade,
  position integer not null, sealed_lines text not null, constraint state_journal_key unique (state_id, position)
);
create index state_journal_by_state on state_journal (state_id, id);
create table model_contents (
  id integer primary key autoincrement, sha256 text not null unique, sha1 text not null, bytes integer not null,
  encoding text not null, used_at text not null, content text not null
);
create index model_contents_by_use on model_contents (used_at);
create table model_trees (
  id integer primary key autoincrement, deployment_id integer not null references deployments (id) on delete cascade,
  hash text not null, used_at text not null, constraint model_trees_hash unique (deployment_id, hash)
);
create index model_trees_by_use on model_trees (used_at);
create table model_tree_files (
  tree_id integer not null references model_trees (id) on delete cascade, path text not null,
  content_id integer not null references model_contents (id),
  constraint model_tree_files_key primary key (tree_id, path)
);
create index model_tree_files_by_content on model_tree_files (content_id);
create table model_commits (
  id integer primary key autoincrement, deployment_id integer not null references deployments (id) on delete cascade,
  tree_id integer, first_parent_id integer, second_parent_id integer, message text not null, user_id integer,
  created_at text not null, remote_commit text
);
create index model_commits_by_deployment on model_commits (deployment_id, id);
create index model_commits_by_tree on model_commits (tree_id);
create table branches (
  id integer primary key autoincrement, deployment_id integer not null references deployments (id) on delete cascade,
  name text not null, tree_id integer not null, head_id integer not null, parent_id integer, dev_user_id integer,
  staging_enabled integer not null default 0, created_at text, upload_tree_id integer,
  constraint branches_name unique (deployment_id, name)
);
create index branches_by_tree on branches (tree_id);
create index branches_by_deployment_id on branches (deployment_id, id);
create index branches_by_parent on branches (parent_id);
create table dev_sessions (
  deployment_id integer not null references deployments (id) on delete cascade, credential text not null,
  branch_id integer not null references branches (id) on delete cascade,
  constraint dev_sessions_key primary key (deployment_id, credential)
);
create index dev_sessions_by_branch_id on dev_sessions (branch_id);
create table uploads (
  id text primary key, deployment_id integer not null references deployments (id) on delete cascade,
  branch_id integer not null references branches (id) on delete cascade, credential text not null,
  base_tree_id integer not null, expires_at text not null, file_count integer not null default 0,
  file_bytes integer not null default 0
);
create index uploads_by_deployment on uploads (deployment_id, expires_at);
create index uploads_by_branch on uploads (branch_id);
create table upload_files (
  upload_id text not null references uploads (id) on delete cascade, path text not null,
  content_id integer not null references model_contents (id),
  constraint upload_files_key primary key (upload_id, path)
);
create index upload_files_by_content on upload_files (content_id);
create table builds (
  id integer primary key autoincrement, branch_id integer not null references branches (id) on delete cascade,
  tree_id integer not null, version text not null, status text not null, attempts integer not null, leased_until text,
  error_text text, updated_at text not null
);
create index builds_by_branch on builds (branch_id, id);
create index builds_by_tree on builds (tree_id);
create index builds_by_status on builds (status, id);
create table git_connections (
  id integer primary key autoincrement,
  deployment_id integer not null unique references deployments (id) on delete cascade, remote_url text not null,
  username text, known_hosts text, installation_id integer, pull_requested integer not null,
  attempts integer not null, next_attempt_at text, synced_at text, sealed_secrets text not null
);
create table git_branches (
  branch_id integer primary key references branches (id) on delete cascade, commit_id integer, remote_commit text,
  pushing_commit_id integer, pushing_remote_commit text, problem text, error_text text
);
create index git_branches_by_commit_id on git_branches (commit_id);
create index git_branches_by_pushing_commit_id on git_branches (pushing_commit_id);
create table environment_tokens (
  id integer primary key autoincrement, branch_id integer not null references branches (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade, credential text not null, security_context text,
  scopes text, issued_at integer not null, expires_at text not null
);
create index environment_tokens_by_credential on environment_tokens (branch_id, credential);
create index environment_tokens_by_user on environment_tokens (user_id);
create index environment_tokens_by_expiry on environment_tokens (expires_at);
create table folders (
  id integer primary key autoincrement, deployment_id integer not null references deployments (id) on delete cascade,
  parent_id integer, name text not null, name_key text collate BINARY not null, position integer not null,
  created_by integer, updated_by integer, created_at text not null, updated_at text not null
);
create index folders_in_folder_ids on folders (deployment_id, parent_id, id);
create index folders_in_folder_names on folders (deployment_id, parent_id, name_key, id);
create index folders_in_folder_times on folders (deployment_id, parent_id, updated_at, id);
create index folders_by_position on folders (deployment_id, parent_id, position, id);
create index folders_by_deployment on folders (deployment_id, id);
create table audit_logs (
  id integer primary key autoincrement, created_at text not null, event_name text not null, user_id integer,
  username text, user_email text, credential text not null, key_name text, object_type text not null,
  object_ids text not null, deployment_id integer, before_values text, after_values text
);
create index audit_logs_by_type on audit_logs (object_type, id);
create table roles (
  id integer primary key autoincrement, name text not null, name_key text not null unique, description text,
  policies text not null, created_at text not null, updated_at text
);
create table role_users (
  role_id integer not null references roles (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  constraint role_users_key primary key (role_id, user_id)
);
create index role_users_by_user on role_users (user_id);
create table resource_policies (
  id integer primary key autoincrement, resource_type text not null, resource_id integer not null,
  user_id integer references users (id) on delete cascade,
  group_id integer references user_groups (id) on delete cascade, action text not null
);
create unique index resource_policies_of_users on resource_policies (resource_type, resource_id, user_id);
create unique index resource_policies_of_groups on resource_policies (resource_type, resource_id, group_id);
create unique index resource_policies_of_all on resource_policies (resource_type, resource_id)
  where user_id is null and group_id is null;
create index resource_policies_by_user on resource_policies (user_id, resource_type);
create index resource_policies_by_group on resource_policies (group_id, resource_type);
create table oidc_token_configs (
  id integer primary key autoincrement, audience_type text not null, custom_audience text, name text not null unique,
  sub_format text, target_env_var text, custom_claims text, is_enabled integer not null, created_at text not null,
  updated_at text not null
);
create table signing_keys (
  id integer primary key autoincrement, kid text not null unique, public_jwk text not null,
  sealed_private_key text not null, created_at text not null, retired_at text
);
create table reports (
  id integer primary key autoincrement, deployment_id integer not null references deployments (id) on delete cascade,
  public_id text not null unique, name text not null, name_key text collate BINARY not null, folder_id integer,
  workbook_id integer, meta text not null, version integer not null, created_by integer, refreshed_by integer,
  created_at text not null, updated_at text not null, title text, json_query text, sql_query text, pivot_items text,
  source text, host text, external_workbook_id text, result_location text, end_result_cell text, sheet_id text,
  workbook_name text, result_checksum text, refreshed_at text, last_viewed_at text not null default ''
);
create index reports_by_deployment on reports (deployment_id, id);
create index reports_by_deployment_names on reports (deployment_id, name_key, id);
create index reports_by_deployment_times on reports (deployment_id, updated_at, id);
create index reports_by_workbook on reports (deployment_id, workbook_id, id);
create index reports_by_in_folder_ids on reports (deployment_id, folder_id, id);
create index reports_by_in_folder_names on reports (deployment_id, folder_id, name_key, id);
create index reports_by_in_folder_times on reports (deployment_id, folder_id, updated_at, id);
create index reports_by_last_view on reports (deployment_id, last_viewed_at, id);
create table log_lines (
  id integer primary key autoincrement, deployment_id integer not null references deployments (id) on delete cascade,
  source text not null, pod text not null, container text not null, logged_at text not null, message text not null
);
create index log_lines_by_deployment on log_lines (deployment_id, id);
create table transform_integrations (
  id integer primary key autoincrement,
  deployment_id integer not null unique references deployments (id) on delete cascade, repo_url text not null,
  branch text, project_root text not null, manifest_path text not null, output_path text not null, username text,
  known_hosts text, sealed_secrets text not null
);
create table sync_runs (
  id integer primary key autoincrement, deployment_id integer not null references deployments (id) on delete cascade,
  job_id text not null unique, status text not null, stage text not null, trigger_name text not null,
  source text not null, output text not null, output_path text not null, branch_name text not null, git_ref text,
  head_sha text, manifest text, user_id integer, attempts integer not null, leased_until text,
  started_at text not null, updated_at text not null, completed_at text, duration_ms integer, failed_phase text,
  error_text text, phases text not null, stats text, paths text, tree_id integer
);
create index sync_runs_by_deployment on sync_runs (deployment_id, id);
create index sync_runs_by_status on sync_runs (status, id);
create table oauth_integrations (
  id integer primary key autoincrement, name text not null unique, type text not null, auth_url text not null,
  token_url text not null, client_id text not null, redirect_uri text not null, sealed_secret text not null,
  scopes text not null, created_at text not null, updated_at text not null, config text
);
create table oauth_authorizations (
  id integer primary key autoincrement, user_id integer not null references users (id) on delete cascade,
  integration_id integer not null references oauth_integrations (id) on delete cascade,
  state_hash text not null unique, sealed_verifier text not null, expires_at text not null
);
create index oauth_authorizations_by_user_id on oauth_authorizations (user_id);
create index oauth_authorizations_by_integration_id on oauth_authorizations (integration_id);
create table user_oauth_tokens (
  id integer primary key autoincrement, user_id integer not null references users (id) on delete cascade,
  integration_id integer not null references oauth_integrations (id) on delete cascade, status text not null,
  has_refresh_token integer not null, sealed_tokens text not null, access_expires_at text, refresh_expires_at text,
  last_error text, created_at text not null, updated_at text not null,
  constraint user_oauth_tokens_by_user unique (user_id, integration_id)
);
create index user_oauth_tokens_by_user_id on user_oauth_tokens (user_id);
create index user_oauth_tokens_by_integration_id on user_oauth_tokens (integration_id);
create table scim_integrations (
  id integer primary key autoincrement, name text not null unique, provider text not null,
  is_enabled integer not null, default_roles text, token_prefix text not null, token_hash text not null unique,
  previous_token_hash text unique, previous_token_expires_at text, last_request_at text, created_at text not null,
  updated_at text not null
);
create table scim_users (
  user_id integer not null primary key references users (id) on delete cascade, attributes text not null,
  integration_id integer references scim_integrations (id) on delete cascade
);
create index scim_users_by_integration_id on scim_users (integration_id);
create table scim_emails (
  user_id integer not null references users (id) on delete cascade, email_key text not null,
  constraint scim_emails_key primary key (email_key, user_id)
);
create index scim_emails_by_user_id on scim_emails (user_id);
create table scim_groups (
  group_id integer not null primary key references user_groups (id) on delete cascade, external_id text,
  updated_at text not null, integration_id integer references scim_integrations (id) on delete cascade
);
create index scim_groups_by_external_id on scim_groups (external_id);
create index scim_groups_by_integration_id on scim_groups (integration_id);
create table user_passwords (
  user_id integer not null primary key references users (id) on delete cascade, password_hash text not null,
  failures integer not null, retry_at text
);
create table password_links (
  id integer primary key autoincrement, user_id integer not null unique references users (id) on delete cascade,
  token_hash text not null unique, expires_at text not null
);
create index password_links_by_expires_at on password_links (expires_at);
create table workload_trusts (
  id integer primary key autoincrement, name text not null unique,
  owner_user_id integer not null references users (id) on delete cascade, issuer text not null, jwks_uri text,
  audience text not null, claims text not null, is_reusable integer not null, token_seconds integer not null,
  deployment_ids text, permissions text, states text, created_at text not null, updated_at text not null,
  is_disabled integer not null default 0
);
create index workload_trusts_by_owner_user_id on workload_trusts (owner_user_id);
create index workload_trusts_by_issuer on workload_trusts (issuer);
create table oauth_clients (
  id integer primary key autoincrement, client_id text not null unique, name text not null, sealed_secret text,
  redirect_uris text not null, allows_devices integer not null, scopes text, created_at text not null,
  updated_at text not null
);
create table oauth_records (
  id integer primary key autoincrement, model text not null, key_hash text not null,
  user_id integer references users (id) on delete cascade, grant_id text, code_hash text, scope text,
  sealed_payload text not null, consumed_at text, poll_at text, poll_seconds integer not null,
  expires_at text not null, trust_id integer references workload_trusts (id) on delete cascade, subject text,
  client_row_id integer references oauth_clients (id) on delete cascade,
  provider_id integer references identity_providers (id) on delete cascade,
  constraint oauth_records_by_key unique (key_hash, model), constraint oauth_records_by_code unique (code_hash, model)
);
create index oauth_records_by_user_id on oauth_records (user_id);
create index oauth_records_by_grant_id on oauth_records (grant_id);
create index oauth_records_by_expires_at on oauth_records (expires_at);
create index oauth_records_by_trust_id on oauth_records (trust_id);
create index oauth_records_by_client_row_id on oauth_records (client_row_id);
create index oauth_records_by_provider_id on oauth_records (provider_id);
create table workbook_embed_access (
  id integer primary key autoincrement, workbook_id integer not null references workbooks (id) on delete cascade,
  embed_tenant_id integer references embed_tenants (id) on delete cascade
);
create unique index workbook_embed_access_of_tenants on workbook_embed_access (workbook_id, embed_tenant_id);
create unique index workbook_embed_access_of_all on workbook_embed_access (workbook_id) where embed_tenant_id is null;
create index workbook_embed_access_by_tenant on workbook_embed_access (embed_tenant_id, workbook_id);
create table dashboard_comments (
  id integer primary key autoincrement, dashboard_id integer not null references dashboards (id) on delete cascade,
  embed_tenant_id integer not null references embed_tenants (id) on delete cascade,
  thread_id integer references dashboard_comments (id) on delete cascade,
  user_id integer references users (id) on delete set null, widget_id text, body text not null,
  mentions text not null, resolved_at text, resolved_by integer, created_at text not null, updated_at text not null
);
create index dashboard_comments_by_thread on dashboard_comments (thread_id, id);
create index dashboard_comments_by_dashboard on dashboard_comments (dashboard_id, embed_tenant_id, thread_id, id);
create index dashboard_comments_by_tenant on dashboard_comments (embed_tenant_id);
create index dashboard_comments_by_user on dashboard_comments (user_id);
create table content_views (
  id integer primary key autoincrement, object_key text not null, day text not null,
  user_id integer not null references users (id) on delete cascade,
  deployment_id integer not null references deployments (id) on delete cascade,
  dashboard_id integer references dashboards (id) on delete cascade,
  report_id integer references reports (id) on delete cascade,
  workbook_id integer references workbooks (id) on delete set null, views integer not null, queries integer not null,
  last_viewed_at text not null
);
create unique index content_views_by_key on content_views (object_key, user_id, day);
create index content_views_by_deployment on content_views (deployment_id, id);
create index content_views_by_user on content_views (user_id, report_id);
create index content_views_by_user_workbook on content_views (user_id, workbook_id);
create index content_views_by_dashboard on content_views (dashboard_id);
create index content_views_by_report on content_views (report_id);
create index content_views_by_workbook on content_views (workbook_id);
create index content_views_by_day on content_views (day);
create table dashboard_exports (
  id integer primary key autoincrement, deployment_id integer not null references deployments (id) on delete cascade,
  dashboard_id integer not null references dashboards (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade, job_id text not null unique, format text not null,
  controls text not null, viewer text not null, status text not null, error_text text, content text,
  attempts integer not null, leased_until text, created_at text not null, expires_at text not null
);
create index dashboard_exports_by_status_id on dashboard_exports (status, id);
create index dashboard_exports_by_user_id_status on dashboard_exports (user_id, status);
create index dashboard_exports_by_expires_at on dashboard_exports (expires_at);
create index dashboard_exports_by_dashboard_id on dashboard_exports (dashboard_id);
create index dashboard_exports_by_deployment_id on dashboard_exports (deployment_id);
create table notification_runs (
  id integer primary key autoincrement,
  notification_id integer not null references notifications (id) on delete cascade, trigger_name text not null,
  scheduled_at text not null, status text not null, claims integer not null, leased_until text,
  next_attempt_at text not null, created_at text not null, leased_by integer,
  constraint notification_runs_slot unique (notification_id, trigger_name, scheduled_at)
);
create index notification_runs_by_status_next_attempt_at on notification_runs (status, next_attempt_at);
create index notification_runs_by_created_at on notification_runs (created_at);
create table notification_deliveries (
  id integer primary key autoincrement, run_id integer not null references notification_runs (id) on delete cascade,
  notification_id integer not null references notifications (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade, email text not null, status text not null,
  attempts integer not null, next_attempt_at text not null, error_text text, sent_at text, fingerprint text,
  was_sent_before integer not null default 0, constraint notification_deliveries_key unique (run_id, user_id)
);
create index notification_deliveries_by_notification_id_id on notification_deliveries (notification_id, id);
create index notification_deliveries_by_run_id_status_id on notification_deliveries (run_id, status, id);
create index notification_deliveries_by_user_id on notification_deliveries (user_id);
`;

/** The table of jobs. On PostgreSQL, pg-boss has tables of its own. */
export const jobs = `\
create table jobs (
  id integer primary key autoincrement, name text not null, job_key text, payload text not null, run_at text not null,
  attempts integer not null, leased_until text, failed_at text, error text, constraint jobs_key unique (name, job_key)
);
create index jobs_by_run_at on jobs (failed_at, run_at);
`;
