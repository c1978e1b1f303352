// Counts the writes of a store that only this process writes, so that results can be cached until the next write.
import type { Db } from "./schema.ts";

/** The count of an adapter; one adapter belongs to one open store. */
const counts = new WeakMap<object, { writes: number }>();

/** Registers the count of the store of an adapter. Only a store without other writers has one. */
export function setWriteCount(adapter: object, count: { writes: number }): void {
  counts.set(adapter, count);
}

/**
 * Returns the number of writes that committed reads may have seen so far. Undefined for a store with other writers, and
 * in a transaction, which sees its own writes.
 */
export function writeCount(db: Db): number | undefined {
  return db.isTransaction ? undefined : counts.get(db.getExecutor().adapter)?.writes;
}
