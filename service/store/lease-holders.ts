// Tells whether the server that leased a row still runs, so that the work of a killed server goes on at once.
import { type RawBuilder, sql, type SqlBool } from "kysely";

/** The servers of a store that lease rows. */
export interface LeaseHolders {
  /** Returns the number of this server, for a lease. Undefined if others cannot see whether it runs; then a lease lasts to its end. */
  ownNumber(): Promise<number | undefined>;
  /** True for rows whose number in `column` is that of a server that no longer runs. */
  isGone(column: string): RawBuilder<SqlBool>;
  close(): Promise<void>;
}

/** For stores that one server has at a time. Its start ends all leases. */
export const singleLeaseHolder: LeaseHolders = {
  ownNumber: () => Promise.resolve(undefined),
  isGone: () => sql<SqlBool>`1 = 0`,
  close: () => Promise.resolve(),
};
