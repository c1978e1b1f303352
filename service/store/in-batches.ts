// Deletes rows in bounded batches, each in a separate transaction, so that other writers never wait long.
import { limits } from "../../core/limits/limits.ts";
import type { Db } from "./schema.ts";
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
