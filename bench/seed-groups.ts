// Writes many user groups directly into a store that no server uses, because creating them through the API takes a minute.
import { openStores } from "../service/store/open.ts";
import type { Db } from "../service/store/schema.ts";

const batchSize = 1000;

/** The name of group `at`. */
export function groupName(at: number): string {
  return `group-${String(at).padStart(6, "0")}`;
}

/** Puts `count` groups, in thousands, into the store at a data folder or database. */
export async function seedGroups(data: string, count: number): Promise<void> {
  const stores = await openStores(data);
  const store = await stores.open({});
  for (let from = 0; from < count; from += batchSize) await insert(store.db, from);
  await store.close();
  await stores.close();
}

async function insert(db: Db, from: number): Promise<void> {
  const created_at = new Date().toISOString();
  const rows = Array.from({ length: batchSize }, (_, at) => ({
    name: groupName(from + at),
    name_key: groupName(from + at).toLowerCase(),
    created_at,
  }));
  await db.transaction().execute((tx) => tx.insertInto("user_groups").values(rows).execute());
}
