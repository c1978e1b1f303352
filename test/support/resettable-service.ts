// A service that returns to its first state: many cases find it fresh, and it is started only once.
import { sql } from "kysely";
import { accountSchema } from "../../service/server/accounts.ts";
import type { ServerOptions } from "../../service/server/server.ts";
import type { Db } from "../../service/store/schema.ts";
import { defaultSchema } from "../../service/store/stores.ts";
import { finishedBuilds, finishedSyncs } from "./finished-work.ts";
import { onPostgres } from "./test-database.ts";
import { startService, type TestService } from "./test-service.ts";

/** A service that can be reset. */
export interface ResettableService extends TestService {
  /** Restores every row as it was at first. Nothing else may call the service meanwhile. */
  reset(): Promise<void>;
}

/** Starts a service, and prepares the state that it returns to: the empty one by default. Close it after the tests. */
export async function startResettableService(
  prepare: (service: TestService) => Promise<void> = async () => undefined,
  options: Partial<ServerOptions> = {},
): Promise<ResettableService> {
  const service = await startService(options);
  await prepare(service);
  const resets: (() => Promise<void>)[] = [];
  for (const { db, name } of service.accounts) {
    resets.push(await keepRows(db, name === undefined ? defaultSchema : accountSchema(name)));
  }
  return {
    ...service,
    reset: async () => {
      for (const reset of resets) await reset();
    },
  };
}

/** Copies the rows of an account, and returns what restores them. */
async function keepRows(db: Db, schema: string): Promise<() => Promise<void>> {
  const copies = sql.id(`first_${schema}`);
  const create = onPostgres ? sql`create schema ${copies}` : sql`attach ':memory:' as ${copies}`;
  await create.execute(db);
  const tables = await tablesOf(db, schema);
  for (const { kept, table, columns } of tables) {
    await sql`create table ${kept} as select ${columns} from ${table}`.execute(db);
  }
  const overriding = onPostgres ? sql`overriding system value ` : sql``;
  // A row may refer to one that is restored later.
  const ignoreReferences = onPostgres
    ? sql`set local session_replication_role = replica`
    : sql`pragma defer_foreign_keys = on`;
  return async () => {
    await finishedSyncs(db);
    await finishedBuilds(db);
    await db.transaction().execute(async (turn) => {
      await ignoreReferences.execute(turn);
      for (const { table } of tables) await sql`delete from ${table}`.execute(turn);
      for (const { kept, table, columns } of tables) {
        const rows = sql`${overriding}select ${columns} from ${kept}`;
        await sql`insert into ${table} (${columns}) ${rows}`.execute(turn);
      }
    });
  };
}

/** Every table with its columns, without those that are computed, and the place of the copy of its rows. */
async function tablesOf(db: Db, account: string) {
  const { rows } = await (onPostgres ? postgresTables(account) : sqliteTables).execute(db);
  return rows.map(({ schema, name, columns }, at) => ({
    table: sql.id(schema, name),
    columns: sql.join((JSON.parse(columns) as string[]).map((column) => sql.ref(column))),
    kept: sql.id(`first_${account}`, `kept_${at}`),
  }));
}

interface TableRow {
  readonly schema: string;
  readonly name: string;
  /** The names as JSON. */
  readonly columns: string;
}

const sqliteTables = sql<TableRow>`
  select 'main' as schema, t.name as name, json_group_array(c.name) as columns
  from main.sqlite_schema t, pragma_table_info(t.name) c
  where t.type = 'table' and (t.name not glob 'sqlite_*' or t.name = 'sqlite_sequence')
  group by t.name`;

const postgresTables = (schema: string) => sql<TableRow>`
  select n.nspname as schema, t.relname as name, json_agg(c.attname)::text as columns
  from pg_namespace n
    join pg_class t on t.relnamespace = n.oid and t.relkind = 'r'
    join pg_attribute c on c.attrelid = t.oid and c.attnum > 0
      and not c.attisdropped and c.attgenerated = ''
  where n.nspname = ${schema}
  group by n.nspname, t.relname`;
