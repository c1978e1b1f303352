// Computes a digest of everything in a store, to test that nothing changed.
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { finishedBuilds, finishedSyncs } from "./finished-work.ts";
import type { Db } from "../../service/store/schema.ts";
import { onPostgres } from "./test-database.ts";

const namesByDb = new WeakMap<Db, readonly string[]>();

/**
 * Returns the tables of a store. They are cached, because they do not change after its start and listing them takes
 * longer than reading them.
 */
async function tableNames(db: Db): Promise<readonly string[]> {
  const known = namesByDb.get(db);
  if (known !== undefined) return known;
  const tables = await db.introspection.getTables();
  const names = tables.map(({ name }) => name).toSorted();
  namesByDb.set(db, names);
  return names;
}

/** The last digest, and the number of rows that the connection had changed by then. */
const digestsByDb = new WeakMap<Db, { readonly changes: number; readonly digest: string }>();

/**
 * Returns the number of rows that the writing connection has changed since it was opened, including triggers and
 * cascades; undefined on PostgreSQL, which has many connections.
 */
async function changedRows(db: Db): Promise<number | undefined> {
  if (onPostgres) return undefined;
  // A transaction uses the connection that writes.
  const { rows } = await db
    .transaction()
    .execute((turn) => sql<{ changes: number }>`select total_changes() as changes`.execute(turn));
  return rows[0]?.changes;
}

/** Returns the digest of every row of every table. */
export async function databaseDigest(db: Db): Promise<string> {
  await finishedSyncs(db);
  await finishedBuilds(db);
  const changes = await changedRows(db);
  const known = digestsByDb.get(db);
  if (known !== undefined && known.changes === changes) return known.digest;
  const digest = await readDigest(db);
  if (changes !== undefined) digestsByDb.set(db, { changes, digest });
  return digest;
}

async function readDigest(db: Db): Promise<string> {
  const names = await tableNames(db);
  const hash = createHash("sha256");
  for (const name of names) {
    const { rows } = await sql`select * from ${sql.table(name)} order by 1, 2`.execute(db);
    hash.update(JSON.stringify([name, rows]));
  }
  return hash.digest("hex");
}
