// The rows of an account from one store into another, empty one, whichever databases they are on: in batches, ids and all.
import { type RawBuilder, sql } from "kysely";
import type { DialectName } from "./migrations/tables.ts";
import type { Db, Tables } from "./schema.ts";
import { inTransaction } from "./transaction.ts";

interface Table {
  /** What rows are told apart and put in order by. */
  readonly key: readonly string[];
  /** Whether ids are handed out, none of them twice. */
  readonly counts: boolean;
  /** Rows in memory at a time: fewer where they are long. */
  readonly batch: number;
}

const counted: Table = { key: ["id"], counts: true, batch: 500 };
const keyed = (...key: readonly string[]): Table => ({ ...counted, key, counts: false });

/** Every table but that of jobs, which belong to a server; what others refer to comes before them. */
const tables: Readonly<Record<Exclude<keyof Tables, "jobs">, Table>> = {
  account: keyed("id"),
  regions: counted,
  deployments: counted,
  versions_run: keyed("version", "release_channel"),
  deployment_variables: counted,
  embed_tenants: counted,
  users: counted,
  user_groups: counted,
  group_members: keyed("group_id", "user_id"),
  user_attributes: counted,
  user_attribute_values: keyed("user_id", "attribute_id"),
  api_keys: counted,
  api_key_deployments: keyed("api_key_id", "deployment_id"),
  embed_sessions: counted,
  workbooks: counted,
  dashboards: counted,
  notifications: counted,
  recipients: counted,
  idempotency_records: { ...keyed("id"), batch: 20 },
  states: counted,
  state_versions: { ...counted, batch: 2 },
  state_journal: { ...counted, batch: 50 },
};

/** The tables that are transferred. */
export const transferred: readonly string[] = Object.keys(tables);

/** Columns that the database fills in itself. */
const generated = new Set(["tenant_scope"]);

type Row = Readonly<Record<string, unknown>>;

/** A store, and the database it is on. */
export interface End {
  readonly db: Db;
  readonly dialect: DialectName;
}

/**
 * Copies every row, and where ids go on. `from` has to stand still, be it as a snapshot; `to` holds no account, and nobody
 * else writes to it. Both have all migrations.
 */
export async function transfer(from: End, to: End): Promise<void> {
  for (const [name, { key, counts, batch }] of Object.entries(tables)) {
    let last: Row | undefined;
    for (let read = batch; read === batch;) {
      const rows = await next(from.db, { name, key, last, batch });
      if (rows.length > 0) await inTransaction(to.db, (tx) => insert(tx, name, rows));
      last = rows.at(-1);
      read = rows.length;
    }
    if (counts) await countOn(to, name, await counterOf(from, name));
  }
}

interface Reading {
  readonly name: string;
  readonly key: readonly string[];
  readonly last: Row | undefined;
  readonly batch: number;
}

async function next(db: Db, { name, key, last, batch }: Reading): Promise<readonly Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const after =
    last === undefined
      ? sql``
      : sql`where (${columns}) > (${sql.join(key.map((column) => last[column]))})`;
  const page = sql<Row>`select * from ${sql.table(name)} ${after} order by ${columns} limit ${batch}`;
  return (await page.execute(db)).rows;
}

async function insert(tx: Db, name: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => !generated.has(column));
  const values = rows.map((row): RawBuilder<unknown> => {
    return sql`(${sql.join(columns.map((column) => row[column]))})`;
  });
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(name)} (${names}) values ${sql.join(values)}`.execute(tx);
}

/** The highest id that was ever handed out; 0 for none. */
async function counterOf({ db, dialect }: End, name: string): Promise<number> {
  const query =
    dialect === "sqlite"
      ? sql<{ last: number }>`select seq as last from sqlite_sequence where name = ${name}`
      : sql<{ last: number | null }>`
          select pg_sequence_last_value(pg_get_serial_sequence(${name}, 'id')::regclass) as last`;
  return (await query.execute(db)).rows[0]?.last ?? 0;
}

async function countOn({ db, dialect }: End, name: string, last: number): Promise<void> {
  if (last === 0) return;
  if (dialect === "postgres") {
    await sql`select setval(pg_get_serial_sequence(${name}, 'id'), ${last}::bigint)`.execute(db);
    return;
  }
  await sql`delete from sqlite_sequence where name = ${name}`.execute(db);
  await sql`insert into sqlite_sequence (name, seq) values (${name}, ${last})`.execute(db);
}
