// Limits how often devices poll. The state is in the store, so that it applies to all servers.
import { limits } from "../../core/limits/limits.ts";
import { secretHash } from "../security/secret-hash.ts";
import { toTimestamp } from "../store/codec.ts";
import { isDeadlineOver } from "../store/deadlines.ts";
import type { Db } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";

/** Counts a poll of a device. Returns false if it came too early; the device must then wait longer each time. */
export function claimPoll(db: Db, deviceCode: string, now: Date): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const row = await tx
      .selectFrom("oauth_records")
      .select(["id", "poll_at", "poll_seconds"])
      .where("model", "=", "DeviceCode")
      .where("key_hash", "=", secretHash(deviceCode))
      .executeTakeFirst();
    if (!row) return true;
    const longestMs = limits.devicePollMaxSeconds * 1000;
    const isEarly = !isDeadlineOver(row.poll_at, { now, longestMs });
    const added = isEarly ? limits.devicePollSeconds : 0;
    const seconds = Math.min(row.poll_seconds + added, limits.devicePollMaxSeconds);
    await tx
      .updateTable("oauth_records")
      .set({ poll_seconds: seconds, poll_at: toTimestamp(now.getTime() + seconds * 1000) })
      .where("id", "=", row.id)
      .execute();
    return !isEarly;
  });
}
