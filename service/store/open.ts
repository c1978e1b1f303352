// Opens an account's store wherever it lies: a folder or memory on SQLite, a schema of a PostgreSQL database.
import type { DialectName } from "./migrate.ts";
import type { Db } from "./schema.ts";
import type { OnStatement } from "./timing.ts";

/** An open store: one account's tables, up to date. */
export interface OpenStore {
  readonly db: Db;
  /** The database beneath it; only what differs between the two may ask. */
  readonly dialect: DialectName;
  /** The schema it lies in, on PostgreSQL. */
  readonly schema?: string;
  /** Runs work while no other server of the database runs such; where there can be others, on PostgreSQL. */
  readonly alone?: (work: () => Promise<void>) => Promise<void>;
  /** Closes the database and lets go of its folder. */
  close(): Promise<void>;
}

/** The schema of a PostgreSQL database that an account lies in when nothing is said. */
export const defaultSchema = "svc";

/** True for a place that is a PostgreSQL database. Its URL may hold a password: never print one. */
export function isPostgres(place: string): boolean {
  return /^postgres(?:ql)?:/i.test(place);
}

/** How a store is opened. */
export interface StoreOptions {
  /** Left out it is the default one. */
  readonly schema?: string;
  /** Is told the time of every statement. */
  readonly onStatement?: OnStatement | undefined;
}

/**
 * Opens the store at `place`: a folder, made where it is missing, `:memory:`, or `postgres://...`, there in the schema of
 * this name, made where it is missing. Fails with `usage` for a URL or schema that is none, `locked` for a folder in use,
 * `corrupt` for a database that is not ours, `unavailable` where there is none to be had.
 */
export async function openStore(
  place: string,
  { schema = defaultSchema, onStatement }: StoreOptions = {},
): Promise<OpenStore> {
  // Whoever serves one database does not load the driver of the other.
  if (isPostgres(place))
    return (await import("./postgres.ts")).openPostgres(place, schema, onStatement);
  return (await import("./sqlite.ts")).openSqlite(place, onStatement);
}
