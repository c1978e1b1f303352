// Options that select the storage of a server: a folder or a database.
import { Failure } from "../../core/errors.ts";
import { isPostgres } from "../store/stores.ts";

/** Help for `--data` in commands on one account. */
export const dataHelp = "data folder of one account, which contains account.db";

/** Help for `--database`. */
export const databaseHelp = "PostgreSQL database instead; prefer SVC_DATABASE_URL";

/** Values of the storage options. */
export interface StorageFlags {
  data?: string;
  database?: string;
}

/** A data folder, possibly `:memory:`, or the URL of a database. */
export type StorageLocation = { readonly folder: string } | { readonly database: string };

/**
 * Returns the storage that the options and the environment select. The URL of a database may contain a password and is
 * never printed. Fails with `usage` for no storage, for two, and for an invalid value.
 */
export function storageLocation({ data, database: given }: StorageFlags): StorageLocation {
  const database = given ?? process.env["SVC_DATABASE_URL"];
  if ((data === undefined) === (database === undefined)) {
    throw new Failure("usage", "select one storage: a folder or a database", {
      remedy: "Pass either --data DIR or --database URL; SVC_DATABASE_URL counts as --database.",
    });
  }
  if (data === "") throw new Failure("usage", "--data must name a folder, or be :memory:");
  if (database !== undefined && !isPostgres(database)) {
    throw new Failure("usage", "the URL of the database must begin with postgres://");
  }
  if (data !== undefined && isPostgres(data)) {
    throw new Failure("usage", "--data must name a folder; pass a database as --database");
  }
  return database === undefined ? { folder: data ?? "" } : { database };
}

/** Returns the value of an option that a database requires. Fails with `usage` if it is missing. */
export function requireOption(value: string | undefined, option: string): string {
  if (value !== undefined) return value;
  throw new Failure("usage", `${option} is required with a database`);
}
