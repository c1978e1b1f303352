// Opens a database of another state than inventories. Its driver is loaded only then.
import type { Secret } from "../../core/secret.ts";
import type { Database, DatabaseUse } from "./postgres-database.ts";

/** Returns a database, which connects on first use. Fails with `usage` for an address that is no URL. */
export async function openDatabase(url: Secret, use: DatabaseUse): Promise<Database> {
  const { Database: Pooled } = await import("./postgres-database.ts");
  return new Pooled(url, use);
}
