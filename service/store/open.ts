// Opens the stores of a server with the driver of their database.
import { isPostgres, type Stores, type StoreOptions } from "./stores.ts";

/**
 * Opens the stores at `place`: a folder, `:memory:`, or `postgres://...`. Throws `usage` for an invalid URL or a
 * database that cannot hold every text, and `unavailable` if the database does not answer.
 */
export async function openStores(place: string, use: StoreOptions = {}): Promise<Stores> {
  // Load only the required driver.
  if (isPostgres(place)) return (await import("./postgres.ts")).openPostgres(place, use);
  const { openSqlite } = await import("./sqlite.ts");
  return {
    database: undefined,
    open: ({ folder = place, onLocked }) =>
      openSqlite(folder, { onStatement: use.onStatement, onLocked }),
    close: async () => undefined,
  };
}
