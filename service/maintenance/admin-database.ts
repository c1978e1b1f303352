// Access to a database for the commands of its operator, while servers run.
import { Failure } from "../../core/errors.ts";
import type { Database, Stores } from "../store/stores.ts";
import { openStores } from "../store/open.ts";

/** Opens the stores of a database. Throws as {@link openStores} does, and `usage` for a folder. */
export async function openAdminDatabase(
  url: string,
): Promise<{ stores: Stores; database: Database }> {
  const stores = await openStores(url, { application: "svc-admin" });
  if (stores.database) return { stores, database: stores.database };
  throw new Failure("usage", "the address of the database must begin with postgres://");
}

/** Throws `locked` while a server is connected to the database. */
export async function requireNoConnectedServers(database: Database): Promise<void> {
  const servers = await database.query(
    "select pid from pg_stat_activity where datname = current_database() and application_name = 'svc'",
    [],
  );
  if (servers.length === 0) return;
  throw new Failure("locked", `${servers.length} connections of running servers use the database`, {
    remedy: "Stop all servers of the database first.",
  });
}
