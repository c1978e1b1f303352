// Deletes rows in bounded batches, each in a separate transaction, so that other writers never wait long.
import type { SelectQueryBuilder } from "kysely";
import { limits } from "../../core/limits/limits.ts";
import { toTimestamp } from "./codec.ts";
import type { Db, Tables } from "./schema.ts";
import { inTransaction } from "./transaction.ts";

/** Deletes at most `most` rows and returns their number. */
export type DeleteBatch = (tx: Db, most: number) => Promise<number>;

/** Runs `batch` until it deletes fewer rows than the maximum, or `signal` aborts. */
export async function deleteInBatches(
  db: Db,
  signal: AbortSignal | undefined,
  batch: DeleteBatch,
): Promise<void> {
  for (;;) {
    if (signal?.aborted === true) return;
    const count = await inTransaction(db, (tx) => batch(tx, limits.expiredRowsPerWrite));
    if (count < limits.expiredRowsPerWrite) return;
  }
}

type IdQuery<Id> = SelectQueryBuilder<Tables, keyof Tables, { id: Id }>;

/** Deletes the rows of a table whose ids a query selects, and returns their number. */
export async function deleteRows(
  tx: Db,
  table: keyof Tables,
  ids: IdQuery<number | string>,
): Promise<number> {
  const { numDeletedRows } = await tx
    // The statement has the same form for all tables and both types of ids.
    .deleteFrom(table as "users")
    .where("id", "in", ids as IdQuery<number>)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Returns a function that deletes at most `most` rows of a table past their `expires_at`, the oldest first. */
export function deleteExpired(table: TableThatExpires) {
  return async (tx: Db, now: Date, most: number): Promise<number> => {
    const over = tx
      .selectFrom(table)
      .select("id")
      .where("expires_at", "<", toTimestamp(now))
      .orderBy("expires_at")
      .limit(most);
    return deleteRows(tx, table, over);
  };
}

type TableThatExpires =
  | "browser_sessions"
  | "dashboard_exports"
  | "embed_sessions"
  | "environment_tokens"
  | "oauth_records"
  | "password_links"
  | "uploads";
