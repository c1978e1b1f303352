// Where a server keeps everything, as the options say it: a folder or a database.
import { Failure } from "../../core/errors.ts";
import { isPostgres } from "../store/stores.ts";

/** What `--data` means to whoever looks after one account. */
export const dataHelp = "data folder of one account, the one that holds account.db";

/** What `--database` means beside it. */
export const databaseHelp = "PostgreSQL database instead; better told in SVC_DATABASE_URL";

/** The options that name the place. */
export interface StorageFlags {
  data?: string;
  database?: string;
}

/** A data folder, which may be `:memory:`, or the address of a database. */
export type StorageLocation = { readonly folder: string } | { readonly database: string };

/**
 * The one place that the options and the environment name. The address of a database may hold a password: it is never shown.
 * Fails with `usage` for none, for two, and for what is neither.
 */
export function storageLocation({ data, database: given }: StorageFlags): StorageLocation {
  const database = given ?? process.env["SVC_DATABASE_URL"];
  if ((data === undefined) === (database === undefined)) {
    throw new Failure("usage", "a server keeps everything in a folder or in a database", {
      remedy: "Say one of --data DIR and --database URL; SVC_DATABASE_URL counts as the latter.",
    });
  }
  if (data === "") throw new Failure("usage", "--data must name a folder, or be :memory:");
  if (database !== undefined && !isPostgres(database)) {
    throw new Failure("usage", "the address of the database must begin with postgres://");
  }
  if (data !== undefined && isPostgres(data)) {
    throw new Failure("usage", "--data must name a folder; a database goes to --database");
  }
  return database === undefined ? { folder: data ?? "" } : { database };
}

/** The value of an option that a database needs. Fails with `usage` where it was not given. */
export function requireOption(value: string | undefined, option: string): string {
  if (value !== undefined) return value;
  throw new Failure("usage", `with a database ${option} has to be said`);
}
