// Opens the stores of a server by the driver of the database that they are on.
import { isPostgres, type Stores, type StoreOptions } from "./stores.ts";

/**
 * The stores at `place`: a folder, `:memory:`, or `postgres://...`. Fails
 * with `usage` for a URL that is none, or a database that cannot hold every text; `unavailable` where it does not answer.
 */
export async function openStores(place: string, use: StoreOptions = {}): Promise<Stores> {
  // Whoever serves one database does not load the driver of the other.
  if (isPostgres(place)) return (await import("./postgres.ts")).openPostgres(place, use);
  const { openSqlite } = await import("./sqlite.ts");
  return {
    database: undefined,
    open: ({ folder = place }) => openSqlite(folder, use.onStatement),
    close: async () => undefined,
  };
}
