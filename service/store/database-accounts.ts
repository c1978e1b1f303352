// Finds the accounts of a database before a single account is opened in it.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { type Database, defaultSchema, type Stores } from "./stores.ts";

/**
 * Throws `refused` if a database contains accounts only in schemas other than the default one, next to which a single
 * account would be created. Does nothing on SQLite.
 */
export async function refuseDatabaseOfAccounts({ database }: Stores): Promise<void> {
  if (database === undefined) return;
  const names = await accountSchemas(database);
  if (names.length === 0 || names.includes(defaultSchema)) return;
  const shown = names.slice(0, limits.diagnosticsShown).join(", ");
  throw new Failure("refused", `the database contains the schemas of other accounts: ${shown}`, {
    remedy:
      "Pass their accounts file with --accounts FILE, or name the schema of the account with --schema.",
  });
}

/** Returns the schemas that contain an account, without schemas that a restore replaced. */
async function accountSchemas(database: Database): Promise<readonly string[]> {
  const found = await database.query(
    `select schemaname as name from pg_tables
      where tablename = 'account' and schemaname ~ '^svc(_[^_]|$)' order by 1`,
    [],
  );
  return (found as readonly { name: string }[]).map(({ name }) => name);
}
