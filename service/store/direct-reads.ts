// Direct reads of a store that answers synchronously, without a connection of Kysely and without waiting.
import type { CompiledQuery } from "kysely";
import type { Db } from "./schema.ts";

/** Returns the committed rows of a query; undefined for a statement that does not only read. */
export type DirectRead = <Row>(query: CompiledQuery<Row>) => Row[] | undefined;

/** The direct reads of an adapter; one adapter belongs to one open store. */
const reads = new WeakMap<object, DirectRead>();

/** Registers the direct reads of the store of an adapter. */
export function setDirectRead(adapter: object, read: DirectRead): void {
  reads.set(adapter, read);
}

/** Returns the direct reads of a store; undefined if it has none, and in a transaction, which sees its own writes. */
export function directRead(db: Db): DirectRead | undefined {
  return db.isTransaction ? undefined : reads.get(db.getExecutor().adapter);
}
