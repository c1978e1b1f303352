// Runs one write for each item of a bulk request. If an item fails, only that item is rolled back and reported.
import { statusOf } from "../../../api/problems.ts";
import { Failure } from "../../../core/errors.ts";
import { inSavepoint } from "../../store/transaction.ts";
import type { Db } from "../../store/schema.ts";

/** An item that was not written, by its position in the request. */
export interface FailedItem {
  readonly index: number;
  readonly error: { readonly status: number; readonly message: string };
}

/** Runs `write` for the items in order. Returns the results and the failures. */
export async function writeInBulk<Item, Written>(
  db: Db,
  items: readonly Item[],
  write: (item: Item) => Promise<Written>,
): Promise<{ succeeded: Written[]; failed: FailedItem[] }> {
  const succeeded: Written[] = [];
  const failed: FailedItem[] = [];
  for (const [index, item] of items.entries()) {
    try {
      succeeded.push(await inSavepoint(db, () => write(item)));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failed.push({ index, error: { status: statusOf(error.code), message: error.message } });
    }
  }
  return { succeeded, failed };
}
