// Names of users and groups in lower case, folded by JavaScript, because databases fold characters beyond ASCII
// differently.
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

interface Named {
  users: NamedTable;
  user_groups: NamedTable;
}

interface NamedTable {
  id: number;
  name: string;
  username: string;
  name_key: string | null;
}

/** Rows of one query. */
const batchSize = 1000;

/** Adds the columns, fills them, and replaces the indexes of the databases' own lower case. */
export function nameKeys(): Migration {
  return {
    async up(db: Kysely<Named>): Promise<void> {
      await addKeys(db, "users", "username");
      await addKeys(db, "user_groups", "name");
      await db.schema.dropIndex("users_by_lower_username").execute();
      await db.schema.dropIndex("user_groups_by_lower_name").execute();
      await sql`create index own_users_by_name_key on users (name_key) where is_external = 0`.execute(
        db,
      );
      await db.schema
        .createIndex("user_groups_by_name_key")
        .on("user_groups")
        .columns(["tenant_scope", "name_key"])
        .execute();
    },
  };
}

async function addKeys(
  db: Kysely<Named>,
  table: keyof Named,
  column: "name" | "username",
): Promise<void> {
  await db.schema.alterTable(table).addColumn("name_key", "text").execute();
  await sql`update ${sql.table(table)} set name_key = lower(${sql.ref(column)})`.execute(db);
  for (let after = 0; ;) {
    const rows = await db
      .selectFrom(table)
      .select(["id", "name_key", `${column} as named`])
      .where("id", ">", after)
      .orderBy("id")
      .limit(batchSize)
      .execute();
    for (const { id, named, name_key: key } of rows) {
      const folded = named.toLowerCase();
      if (folded === key) continue;
      await db.updateTable(table).set({ name_key: folded }).where("id", "=", id).execute();
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchSize) return;
    after = last.id;
  }
}
