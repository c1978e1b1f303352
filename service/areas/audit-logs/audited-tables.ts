// Declares the tables whose rows the audit log compares, the objects that the rows belong to, and how it shows columns.
import { chunksOf } from "../../../core/chunks.ts";
import { limits } from "../../../core/limits/limits.ts";
import { toJson } from "../../store/codec.ts";
import type { RecordedRow, WrittenRow } from "../../store/record-rows.ts";
import type { Db, Tables } from "../../store/schema.ts";

/** A table whose writes are entries of the audit log. */
export interface AuditedTable {
  /** Type of the object that a row belongs to; undefined if it is the one that the operation's path names. */
  readonly type: string | ((row: RecordedRow) => string) | undefined;
  /** The columns that are the ID of the object, joined with `/` without the empty ones. */
  readonly id: readonly string[];
  /** The primary key. */
  readonly key: readonly string[];
  /** The object that each object is a part of, with the column of its ID. A separate entry names it too. */
  readonly partOf?: { readonly type: string; readonly id: string };
  /** Set if the rows are a member of an object of another table: the columns of the row, or a list of one column. */
  readonly within?: { readonly member?: (row: RecordedRow) => string; readonly listed?: string };
  /** Adds columns of other tables to the written rows. */
  readonly extend?: (db: Db, rows: readonly WrittenRow[]) => Promise<readonly WrittenRow[]>;
}

function table(type: AuditedTable["type"], more: Partial<AuditedTable> = {}): AuditedTable {
  return { type, id: ["id"], key: ["id"], ...more };
}

function pair(type: string, first: string, second: string, whole: Partial<AuditedTable> = {}) {
  return { ...table(type), id: [first, second], key: [first, second], ...whole };
}

const ofUser = { partOf: { type: "users", id: "user_id" } };

const declared: { readonly [Table in keyof Tables]?: AuditedTable } = {
  account: table(undefined, { id: [] }),
  api_key_deployments: {
    ...pair("api-keys", "api_key_id", "deployment_id"),
    id: ["api_key_id"],
    within: { listed: "deployment_id" },
  },
  api_keys: table("api-keys"),
  branches: table("branches", {
    partOf: { type: "data-models", id: "deploy_branch_of" },
    extend: withFiles,
  }),
  dashboard_comments: table("comments"),
  dashboards: table("workbooks", {
    id: ["workbook_id"],
    within: { member: (row) => String(row["status"]) },
  }),
  deployment_variables: table("env-vars", { id: ["name"] }),
  deployments: table("deployments"),
  embed_sessions: table("embed-sessions"),
  embed_tenants: table("embed-tenants", { id: ["name"] }),
  environment_tokens: table("environment-tokens"),
  folders: table("folders"),
  git_connections: table("git-connections", { id: ["deployment_id"] }),
  group_members: pair("user-group-members", "group_id", "user_id", ofUser),
  identity_providers: table("identity-providers"),
  notifications: table("notifications"),
  oauth_clients: table("oauth-clients"),
  oauth_integrations: table("oauth-integrations"),
  oidc_token_configs: table("oidc-token-configs"),
  recipients: table("notification-recipients", {
    id: ["notification_id", "user_id"],
    partOf: { type: "notifications", id: "notification_id" },
  }),
  reports: table("reports"),
  resource_policies: table(
    ({ resource_type: type, group_id: group }) =>
      `${String(type)}-${group === null ? "user" : "group"}-policies`,
    { id: ["resource_id", "user_id", "group_id"] },
  ),
  role_users: pair("role-users", "role_id", "user_id", ofUser),
  roles: table("roles"),
  scim_groups: table("user-groups", { id: ["group_id"], key: ["group_id"], within: {} }),
  scim_integrations: table("scim-integrations"),
  scim_users: table("users", { id: ["user_id"], key: ["user_id"], within: {} }),
  states: table("state", { id: ["name"] }),
  sync_runs: table("transform-sync", { id: ["job_id"] }),
  transform_integrations: table("transform-integrations", { id: ["deployment_id"] }),
  uploads: table("uploads"),
  user_attribute_values: pair("user-attribute-values", "user_id", "attribute_id", {
    ...ofUser,
    extend: (db, rows) => withNames(db, rows, attributeName),
  }),
  user_attributes: table("user-attributes"),
  user_groups: table("user-groups"),
  user_oauth_tokens: table("user-oauth-tokens", { id: ["user_id", "integration_id"] }),
  user_passwords: table("users", { id: ["user_id"], key: ["user_id"], within: {} }),
  users: table("users"),
  workbook_embed_access: table("embed-access", {
    id: ["workbook_id", "embed_tenant_name"],
    partOf: { type: "workbooks", id: "workbook_id" },
    extend: (db, rows) => withNames(db, rows, tenantName),
  }),
  workbooks: table("workbooks"),
  workload_trusts: table("workload-trusts"),
};

/** The audited tables by name. */
export const auditedTables = declared as Readonly<Record<string, AuditedTable>>;

function columns(names: string): ReadonlySet<string> {
  return new Set(names.trim().split(/\s+/u));
}

/** Columns that are 0 or 1. */
export const flagColumns = columns(`
  allow_embed allows_devices audit_log_enabled creator_mode deploy_branch_merge_allowed deploy_branch_read_only
  embedding_enabled has_refresh_token is_admin is_bootstrap is_deactivated is_disabled is_enabled is_ephemeral
  is_external is_managed is_reusable is_scoped names_of_tenant notification_ai_summary notification_enabled
  oidc_enabled personal_keys scim_enabled staging_enabled use_creator_mode version_hold
`);

/** Columns that are JSON. */
export const jsonColumns = columns(`
  app_config attributes claims config csps_config custom_claims default_roles deployment_ids email_domains
  files filters launchpad_tabs member_switchers mentions meta options permissions pivot_items policies redirect_uris
  scopes settings states template_variables time_grains user_attributes user_groups value
`);

/** Columns that identify a row, or that the service counts and derives. The log does not show them. */
export const hiddenColumns = columns(`
  attempts audit_log_changed_at created_at created_by deactivations deploy_branch_of email_key failures head_id
  id journal_calls last_login last_request_at last_viewed_at leased_until lock_id lock_info lock_until manifest
  name_key next_attempt_at next_run_at operator_salt phases pull_requested report_writers retry_at seal_prefix
  shown_reports synced_at tenant_scope tree_id updated_at updated_by upload_tree_id
`);

/** Adds the hash of the files of branches, the message of their commit, and the paths that differ. */
async function withFiles(db: Db, rows: readonly WrittenRow[]): Promise<readonly WrittenRow[]> {
  const extended: WrittenRow[] = [];
  for (const row of rows) {
    const before = row.before && (await withHash(db, row.before));
    const after = row.after && (await withHash(db, row.after));
    const files = await changedPaths(db, row);
    extended.push({ ...row, before, after: after && { ...after, ...(files && { files }) } });
  }
  return extended;
}

async function withHash(db: Db, branch: RecordedRow): Promise<RecordedRow> {
  const described = await db
    .selectFrom("model_trees")
    .innerJoin("deployments", "deployments.id", "model_trees.deployment_id")
    .leftJoin("model_commits", (on) => on.on("model_commits.id", "=", Number(branch["head_id"])))
    .select(["hash", "message", "deploy_branch_name", "deployments.id as deployment"])
    .where("model_trees.id", "=", Number(branch["tree_id"]))
    .executeTakeFirst();
  if (described === undefined) return branch;
  const { hash, message, deploy_branch_name: deployBranch, deployment } = described;
  const isDeployBranch = deployBranch === branch["name"];
  return { ...branch, hash, message, deploy_branch_of: isDeployBranch ? deployment : null };
}

/** Returns the paths of the files that differ before and after a write; undefined without a write of files. */
async function changedPaths(db: Db, { before, after }: WrittenRow) {
  const trees = [before, after].flatMap((row) => (row ? [Number(row["tree_id"])] : []));
  const [old, current] = trees;
  if (old === undefined || current === undefined || old === current) return undefined;
  const added = await pathsNotIn(db, current, old);
  return toJson([...new Set([...added, ...(await pathsNotIn(db, old, current))])]);
}

/** Returns the first paths of a tree that another one lacks, or has with another content. */
async function pathsNotIn(db: Db, tree: number, other: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("model_tree_files as file")
    .leftJoin("model_tree_files as same", (on) =>
      on
        .on("same.tree_id", "=", other)
        .onRef("same.path", "=", "file.path")
        .onRef("same.content_id", "=", "file.content_id"),
    )
    .select("file.path")
    .where("file.tree_id", "=", tree)
    .where("same.tree_id", "is", null)
    .orderBy("file.path")
    .limit(limits.auditItems + 1)
    .execute();
  return rows.map(({ path }) => path);
}

/** A column with the name of the object that another column identifies. */
interface NameColumn {
  readonly table: "embed_tenants" | "user_attributes";
  readonly id: string;
  readonly column: string;
}

const tenantName: NameColumn = {
  table: "embed_tenants",
  id: "embed_tenant_id",
  column: "embed_tenant_name",
};

/** The name tells whether the value is a secret. */
const attributeName: NameColumn = { table: "user_attributes", id: "attribute_id", column: "name" };

/** Adds the names of other objects. */
async function withNames(
  db: Db,
  rows: readonly WrittenRow[],
  { table: named, id: idColumn, column }: NameColumn,
): Promise<readonly WrittenRow[]> {
  const idOf = ({ before, after }: WrittenRow) => (after ?? before)?.[idColumn];
  const ids = new Set(rows.map(idOf).filter((id) => typeof id === "number"));
  const names = new Map<unknown, string>();
  for (const part of chunksOf([...ids], limits.rowsPerQuery)) {
    const query = db.selectFrom(named).select(["id", "name"]).where("id", "in", part);
    for (const { id, name } of await query.execute()) names.set(id, name);
  }
  return rows.map((row) => {
    const added = { [column]: names.get(idOf(row)) ?? null };
    const [before, after] = [row.before, row.after].map((one) => one && { ...one, ...added });
    return { ...row, before, after };
  });
}
