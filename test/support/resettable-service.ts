// A service that is taken back to how it was begun: a draw of a property finds it fresh, and it was started only once.
import { sql } from "kysely";
import { startService, type TestService } from "./test-service.ts";

/** A service in memory that can be rewound. */
export interface ResettableService extends TestService {
  /** Puts every row back as it was when this was started; nothing else may be asked of it meanwhile. */
  reset(): Promise<void>;
}

/** Starts a service in memory and prepares it; to rewind it leads back to what it is then. Close it after the test. */
export async function startResettableService(
  prepare: (service: TestService) => Promise<void>,
): Promise<ResettableService> {
  const service = await startService({ data: ":memory:" });
  await prepare(service);
  const { db } = service;
  await sql`attach ':memory:' as first`.execute(db);
  const tables = await tablesOf(db);
  for (const { kept, table, columns } of tables) {
    await sql`create table ${kept} as select ${columns} from ${table}`.execute(db);
  }
  return {
    ...service,
    reset: () =>
      db.transaction().execute(async (turn) => {
        // A row may refer to one that comes back later.
        await sql`pragma defer_foreign_keys = on`.execute(turn);
        for (const { table } of tables) await sql`delete from ${table}`.execute(turn);
        for (const { kept, table, columns } of tables) {
          await sql`insert into ${table} (${columns}) select ${columns} from ${kept}`.execute(turn);
        }
      }),
  };
}

/** Every table with its columns, but for those that are computed, and where its first rows are kept. */
async function tablesOf(db: TestService["db"]) {
  const { rows } = await sql<{ name: string; columns: string }>`
    select t.name as name, json_group_array(c.name) as columns
    from main.sqlite_schema t, pragma_table_info(t.name) c
    where t.type = 'table' and (t.name not glob 'sqlite_*' or t.name = 'sqlite_sequence')
    group by t.name`.execute(db);
  return rows.map(({ name, columns }, at) => ({
    table: sql.id("main", name),
    columns: sql.join((JSON.parse(columns) as string[]).map((column) => sql.ref(column))),
    kept: sql.id("first", `kept_${at}`),
  }));
}
