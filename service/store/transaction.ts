// One write, one transaction; and what a database's own refusals mean to callers.
import { sql } from "kysely";
import { Failure } from "../../core/errors.ts";
import type { Db } from "./schema.ts";

/**
 * Runs `work` in a transaction that is undone when it throws. `work` awaits nothing but the store: on SQLite everybody else
 * waits for it. A uniqueness rule of the database that two writers ran into is a `conflict`.
 */
export async function inTransaction<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().execute(work);
  } catch (error) {
    throw storeFailure(error);
  }
}

/** Runs a part of a transaction that is undone alone when it throws; the error is passed on. */
export async function inSavepoint<T>(tx: Db, work: () => Promise<T>): Promise<T> {
  await sql`savepoint part`.execute(tx);
  try {
    const result = await work();
    await sql`release savepoint part`.execute(tx);
    return result;
  } catch (error) {
    await sql`rollback to savepoint part`.execute(tx);
    await sql`release savepoint part`.execute(tx);
    throw error;
  }
}

/** A database's error as a failure where it is one that callers can act on; anything else as it is. */
export function storeFailure(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error) || !("code" in error)) return error;
  const code = String(error.code);
  if (code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY") {
    return new Failure("conflict", "somebody else has just written the same; try again", {
      cause: error,
    });
  }
  if (/^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)/.test(code)) {
    return new Failure("unavailable", "the store cannot be written or read now", {
      cause: error,
      retryAfter: 1,
    });
  }
  return error;
}
