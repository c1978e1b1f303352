// Splits lists into batches that one journal append or call can hold.
import { limits } from "../../core/limits/limits.ts";

/** Splits `items` in order; a batch is bounded in count and in characters as JSON, unless its first item alone is longer. */
export function boundedBatches<T>(items: readonly T[], sized: (item: T) => unknown): T[][] {
  const batches: T[][] = [];
  let left = 0;
  for (const item of items) {
    const size = (JSON.stringify(sized(item)) as string | undefined)?.length ?? 0;
    left -= size;
    const last = batches.at(-1);
    if (last !== undefined && left >= 0 && last.length < limits.journalBatchRecords) {
      last.push(item);
      continue;
    }
    batches.push([item]);
    left = limits.journalBatchCharacters - size;
  }
  return batches;
}
