// A digest of everything in a store: equal before and after means that nothing was changed.
import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../service/store/schema.ts";

/** The digest of every row of every table. */
export async function databaseDigest(db: Db): Promise<string> {
  const tables = await db.introspection.getTables();
  const names = tables.map(({ name }) => name).toSorted();
  const hash = createHash("sha256");
  for (const name of names) {
    const { rows } = await sql`select * from ${sql.table(name)} order by 1, 2`.execute(db);
    hash.update(JSON.stringify([name, rows]));
  }
  return hash.digest("hex");
}
