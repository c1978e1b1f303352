// Provides a service that is started once and returns to its first state for each test.
import { type RawBuilder, sql } from "kysely";
import { accountSchema } from "../../service/server/accounts.ts";
import type { ServerOptions } from "../../service/server/server.ts";
import type { Db } from "../../service/store/schema.ts";
import { defaultSchema } from "../../service/store/stores.ts";
import { finishedBuilds, finishedSyncs } from "./finished-work.ts";
import { onPostgres } from "./test-database.ts";
import type { TestService } from "./test-service.ts";
import { memoryStore, type TestStore } from "./test-stores.ts";

/** A service that can be reset. */
export interface ResettableService extends TestService {
  /** Restores every row to its initial state. No one else may call the service meanwhile. */
  reset(): Promise<void>;
}

/** Starts a service, and prepares the state that it returns to: the empty one by default. Close it after the tests. */
export async function startResettableService(
  prepare: (service: TestService) => Promise<void> = async () => undefined,
  options: Partial<ServerOptions> = {},
  store: TestStore = memoryStore,
): Promise<ResettableService> {
  const service = await store.start(options);
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

/** Copies the rows of an account, and returns a function that restores them. */
async function keepRows(db: Db, schema: string): Promise<() => Promise<void>> {
  const copies = sql.id(`first_${schema}`);
  const create = onPostgres ? sql`create schema ${copies}` : sql`attach ':memory:' as ${copies}`;
  const tables = await tablesOf(db, schema);
  // Uses a transaction, so that a store in a file attaches the copies to the connection that writes.
  await db.transaction().execute(async (turn) => {
    await create.execute(turn);
    for (const { kept, table, columns } of tables) {
      await sql`create table ${kept} as select ${columns} from ${table}`.execute(turn);
    }
  });
  const restore = await (onPostgres
    ? restoreByFunction(db, schema, tables)
    : restoreChanged(db, tables));
  return async () => {
    await finishedSyncs(db);
    await finishedBuilds(db);
    await db.transaction().execute(restore);
  };
}

interface KeptTable {
  readonly table: RawBuilder<unknown>;
  readonly columns: RawBuilder<unknown>;
  readonly kept: RawBuilder<unknown>;
}

/** Restores every table with one call, because each of hundreds of statements would cost a round trip. */
async function restoreByFunction(
  db: Db,
  schema: string,
  tables: readonly KeptTable[],
): Promise<(turn: Db) => Promise<void>> {
  const name = sql.id(`first_${schema}`, "restore");
  const statements = [
    // A row may refer to one that is restored later.
    sql`set local session_replication_role = replica`,
    ...tables.map(({ table }) => sql`delete from ${table}`),
    ...tables.map(
      ({ table, columns, kept }) =>
        sql`insert into ${table} (${columns}) overriding system value select ${columns} from ${kept}`,
    ),
  ];
  const body = sql`begin ${sql.join(statements, sql`; `)}; end`;
  await sql`create function ${name}() returns void language plpgsql as $restore$ ${body} $restore$`.execute(
    db,
  );
  return async (turn) => void (await sql`select ${name}()`.execute(turn));
}

/** Restores the tables that differ from their copies. A case changes only a few of them. */
function restoreChanged(db: Db, tables: readonly KeptTable[]): (turn: Db) => Promise<void> {
  const differences = tables.map(({ table, columns, kept }, at) => {
    const [now, first] = [table, kept].map((from) => sql`select ${columns} from ${from}`);
    const [count, firstCount] = [table, kept].map((from) => sql`(select count(*) from ${from})`);
    return sql`select ${sql.lit(at)} as at where ${count} <> ${firstCount} or exists (${now} except ${first})`;
  });
  // Compiles the statements once, because this takes longer than executing them.
  const findChanged = sql<{ at: number }>`${sql.join(differences, sql` union all `)}`.compile(db);
  const statements = tables.map(({ table, columns, kept }) => ({
    empty: sql`delete from ${table}`.compile(db),
    fill: sql`insert into ${table} (${columns}) select ${columns} from ${kept}`.compile(db),
  }));
  return async (turn) => {
    // A row may refer to one that is restored later.
    await sql`pragma defer_foreign_keys = on`.execute(turn);
    // Deleting a row may change tables that did not differ.
    for (;;) {
      const { rows } = await turn.executeQuery(findChanged);
      const changed = statements.filter((_, index) => rows.some(({ at }) => at === index));
      if (changed.length === 0) return;
      for (const { empty } of changed) await turn.executeQuery(empty);
      for (const { fill } of changed) await turn.executeQuery(fill);
    }
  };
}

/** Returns every table with its columns, except computed ones, and the place of the copy of its rows. */
async function tablesOf(db: Db, account: string): Promise<readonly KeptTable[]> {
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
