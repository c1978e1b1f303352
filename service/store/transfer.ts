// Copies the rows of an account into an empty store, between any two databases, in batches and with their ids.
import { type RawBuilder, sql } from "kysely";
import type { DialectName } from "./migrations/baseline.ts";
import type { Db, Tables } from "./schema.ts";
import { inTransaction } from "./transaction.ts";

interface TableSpec {
  /** The primary key, which also orders the rows. */
  readonly key: readonly string[];
  /** True if ids are generated and never reused. */
  readonly hasSequence: boolean;
  /** Maximum number of rows in memory; fewer if they are long. */
  readonly batch: number;
}

const sequenceTable: TableSpec = { key: ["id"], hasSequence: true, batch: 500 };
const keyedTable = (...key: readonly string[]): TableSpec => ({
  ...sequenceTable,
  key,
  hasSequence: false,
});

/** All tables except jobs, which belong to a server. Parents come before children. */
const tables: Readonly<Record<Exclude<keyof Tables, "jobs">, TableSpec>> = {
  account: keyedTable("id"),
  regions: sequenceTable,
  deployments: sequenceTable,
  versions_run: keyedTable("version", "release_channel"),
  deployment_variables: sequenceTable,
  embed_tenants: sequenceTable,
  users: sequenceTable,
  user_groups: sequenceTable,
  group_members: keyedTable("group_id", "user_id"),
  scim_integrations: sequenceTable,
  scim_users: keyedTable("user_id"),
  scim_emails: keyedTable("email_key", "user_id"),
  scim_groups: keyedTable("group_id"),
  user_attributes: sequenceTable,
  user_attribute_values: keyedTable("user_id", "attribute_id"),
  roles: sequenceTable,
  role_users: keyedTable("role_id", "user_id"),
  resource_policies: sequenceTable,
  api_keys: sequenceTable,
  api_key_deployments: keyedTable("api_key_id", "deployment_id"),
  folders: sequenceTable,
  workbooks: sequenceTable,
  reports: sequenceTable,
  dashboards: sequenceTable,
  workbook_embed_access: sequenceTable,
  dashboard_comments: sequenceTable,
  content_views: sequenceTable,
  notifications: sequenceTable,
  recipients: sequenceTable,
  notification_runs: sequenceTable,
  notification_deliveries: sequenceTable,
  dashboard_exports: { ...sequenceTable, batch: 2 },
  idempotency_records: { ...keyedTable("id"), batch: 20 },
  states: sequenceTable,
  state_versions: { ...sequenceTable, batch: 2 },
  state_journal: { ...sequenceTable, batch: 50 },
  model_contents: { ...sequenceTable, batch: 20 },
  model_trees: sequenceTable,
  model_tree_files: keyedTable("tree_id", "path"),
  model_commits: sequenceTable,
  branches: sequenceTable,
  dev_sessions: keyedTable("deployment_id", "credential"),
  uploads: keyedTable("id"),
  upload_files: keyedTable("upload_id", "path"),
  builds: sequenceTable,
  git_connections: sequenceTable,
  git_branches: keyedTable("branch_id"),
  transform_integrations: sequenceTable,
  sync_runs: { ...sequenceTable, batch: 5 },
  environment_tokens: sequenceTable,
  log_lines: sequenceTable,
  audit_logs: sequenceTable,
  oidc_token_configs: sequenceTable,
  signing_keys: sequenceTable,
  oauth_integrations: sequenceTable,
  oauth_authorizations: sequenceTable,
  user_oauth_tokens: sequenceTable,
  workload_trusts: sequenceTable,
  identity_providers: sequenceTable,
  oauth_clients: sequenceTable,
  user_passwords: keyedTable("user_id"),
  password_links: sequenceTable,
  browser_sessions: sequenceTable,
  embed_sessions: sequenceTable,
  oauth_records: sequenceTable,
};

/** The tables that are copied. */
export const transferredTables: readonly string[] = Object.keys(tables);

/** Columns that the database fills in itself. */
const generatedColumns = new Set(["tenant_scope"]);

type Row = Readonly<Record<string, unknown>>;

/** A store and its database. */
export interface TransferEndpoint {
  readonly db: Db;
  readonly dialect: DialectName;
}

/**
 * Copies every row and the id sequences. `from` must not change meanwhile, for example a snapshot. `to` must be empty,
 * and no other process may write to it. Both must be fully migrated.
 */
export async function transfer(from: TransferEndpoint, to: TransferEndpoint): Promise<void> {
  for (const [name, { key, hasSequence: counts, batch }] of Object.entries(tables)) {
    let last: Row | undefined;
    for (let read = batch; read === batch;) {
      const rows = await readBatch(from.db, { name, key, last, batch });
      if (rows.length > 0) await inTransaction(to.db, (tx) => insertBatch(tx, name, rows));
      last = rows.at(-1);
      read = rows.length;
    }
    if (counts) await setSequence(to, name, await sequenceValue(from, name));
  }
}

interface BatchRead {
  readonly name: string;
  readonly key: readonly string[];
  readonly last: Row | undefined;
  readonly batch: number;
}

async function readBatch(db: Db, { name, key, last, batch }: BatchRead): Promise<readonly Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const after =
    last === undefined
      ? sql``
      : sql`where (${columns}) > (${sql.join(key.map((column) => last[column]))})`;
  const page = sql<Row>`select * from ${sql.table(name)} ${after} order by ${columns} limit ${batch}`;
  return (await page.execute(db)).rows;
}

async function insertBatch(tx: Db, name: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => !generatedColumns.has(column));
  const values = rows.map((row): RawBuilder<unknown> => {
    return sql`(${sql.join(columns.map((column) => row[column]))})`;
  });
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(name)} (${names}) values ${sql.join(values)}`.execute(tx);
}

/** Returns the highest id that was ever assigned; 0 if there is none. */
async function sequenceValue({ db, dialect }: TransferEndpoint, name: string): Promise<number> {
  const query =
    dialect === "sqlite"
      ? sql<{ last: number }>`select seq as last from sqlite_sequence where name = ${name}`
      : sql<{ last: number | null }>`
          select pg_sequence_last_value(pg_get_serial_sequence(${name}, 'id')::regclass) as last`;
  return (await query.execute(db)).rows[0]?.last ?? 0;
}

async function setSequence(
  { db, dialect }: TransferEndpoint,
  name: string,
  last: number,
): Promise<void> {
  if (last === 0) return;
  if (dialect === "postgres") {
    await sql`select setval(pg_get_serial_sequence(${name}, 'id'), ${last}::bigint)`.execute(db);
    return;
  }
  await sql`delete from sqlite_sequence where name = ${name}`.execute(db);
  await sql`insert into sqlite_sequence (name, seq) values (${name}, ${last})`.execute(db);
}
