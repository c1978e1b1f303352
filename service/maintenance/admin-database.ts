// A database as its operator comes to it, beside the servers that use it.
import { Failure } from "../../core/errors.ts";
import type { Database, Stores } from "../store/stores.ts";
import { openStores } from "../store/open.ts";

/** The stores of a database, and the database itself. Fails as {@link openStores} does, and with `usage` for a folder. */
export async function openAdminDatabase(
  url: string,
): Promise<{ stores: Stores; database: Database }> {
  const stores = await openStores(url, { application: "svc-admin" });
  if (stores.database) return { stores, database: stores.database };
  throw new Failure("usage", "the address of the database must begin with postgres://");
}

/** Fails with `locked` while a server is connected to the database. */
export async function requireNoConnectedServers(database: Database): Promise<void> {
  const servers = await database.query(
    "select pid from pg_stat_activity where datname = current_database() and application_name = 'svc'",
    [],
  );
  if (servers.length === 0) return;
  throw new Failure("locked", `servers use the database, over ${servers.length} connections`, {
    remedy: "Stop every server of the database first.",
  });
}
