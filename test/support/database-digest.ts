// A digest of everything in a store: equal before and after means that nothing was changed.
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { finishedBuilds, finishedSyncs } from "./finished-work.ts";
import type { Db } from "../../service/store/schema.ts";

const namesByDb = new WeakMap<Db, readonly string[]>();

/** The tables of a store. They do not change after its start, and to list them takes longer than to read them. */
async function tableNames(db: Db): Promise<readonly string[]> {
  const known = namesByDb.get(db);
  if (known !== undefined) return known;
  const tables = await db.introspection.getTables();
  const names = tables.map(({ name }) => name).toSorted();
  namesByDb.set(db, names);
  return names;
}

/** The digest of every row of every table. */
export async function databaseDigest(db: Db): Promise<string> {
  await finishedSyncs(db);
  await finishedBuilds(db);
  const names = await tableNames(db);
  const hash = createHash("sha256");
  for (const name of names) {
    const { rows } = await sql`select * from ${sql.table(name)} order by 1, 2`.execute(db);
    hash.update(JSON.stringify([name, rows]));
  }
  return hash.digest("hex");
}
