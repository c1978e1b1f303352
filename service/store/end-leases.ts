// Ends the leases of work that a server of an account had when it was killed, so that the next one goes on at once.
import { toTimestamp } from "./codec.ts";
import type { Db } from "./schema.ts";
import { inTransaction } from "./transaction.ts";

const tables = ["builds", "sync_runs", "notification_runs", "dashboard_exports", "jobs"] as const;

/** Ends all leases, and makes all scheduled jobs due. Only for an account that no other server has open, as on SQLite. */
export async function endLeases(db: Db, now: Date): Promise<void> {
  await inTransaction(db, async (tx) => {
    const ended = [];
    for (const table of tables) {
      const change = tx.updateTable(table).set({ leased_until: null });
      ended.push(await change.where("leased_until", "is not", null).executeTakeFirst());
    }
    if (ended.every(({ numUpdatedRows }) => numUpdatedRows === 0n)) return;
    await tx
      .updateTable("jobs")
      .set({ run_at: toTimestamp(now) })
      .where("failed_at", "is", null)
      .execute();
  });
}
