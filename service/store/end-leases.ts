// Ends the leases of mail runs that a server of an account had when it was killed, so that the next one goes on at once.
// Other work waits for its lease: the wait is the pause between attempts, of which there are few.
import { toTimestamp } from "./codec.ts";
import type { Db } from "./schema.ts";
import { inTransaction } from "./transaction.ts";

/** Ends the leases, and makes the job of mails due. Only for an account that no other server has open, as on SQLite. */
export async function endLeases(db: Db, now: Date): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx
      .updateTable("notification_runs")
      .set({ leased_until: null })
      .where("leased_until", "is not", null)
      .execute();
    await tx
      .updateTable("jobs")
      .set({ leased_until: null, run_at: toTimestamp(now) })
      .where("name", "=", "deliveries")
      .where("leased_until", "is not", null)
      .execute();
  });
}
