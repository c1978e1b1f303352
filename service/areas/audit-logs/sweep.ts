// Deletes entries of the audit log that are too old or exceed the maximum number, in bounded batches.
import { limits } from "../../../core/limits/limits.ts";
import { toTimestamp } from "../../store/codec.ts";
import { deleteRows } from "../../store/in-batches.ts";
import type { Db } from "../../store/schema.ts";

/** Deletes at most `most` entries and returns their number: the oldest ones first. */
export async function sweepAuditLogs(tx: Db, now: Date, most: number): Promise<number> {
  const newest = await tx
    .selectFrom("audit_logs")
    .select((eb) => eb.fn.max("id").as("id"))
    .executeTakeFirst();
  const kept = (newest?.id ?? 0) - limits.auditEntries;
  const over = tx
    .selectFrom("audit_logs")
    .select("id")
    .where((eb) =>
      eb.or([
        eb("created_at", "<", toTimestamp(now.getTime() - limits.auditMs)),
        eb("id", "<=", kept),
      ]),
    )
    .orderBy("id")
    .limit(most);
  return deleteRows(tx, "audit_logs", over);
}
