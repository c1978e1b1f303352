// The deliveries of a notification: the mail of each recipient, or the reason why it was not sent.
import type { Static } from "typebox";
import type { NotificationDelivery } from "../../../api/notifications.ts";
import type { Db } from "../../store/schema.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { type NotificationKey, readNotification } from "./notifications.ts";

/** Selects the deliveries of a notification. Throws `not_found` if the deployment does not have it. */
export async function selectDeliveries(db: Db, named: NotificationKey) {
  const { id } = await readNotification(db, named);
  return db
    .selectFrom("notification_deliveries as deliveries")
    .innerJoin("notification_runs as runs", "runs.id", "deliveries.run_id")
    .select(["deliveries.id as id", "deliveries.user_id", "deliveries.email", "deliveries.status"])
    .select(["deliveries.attempts", "deliveries.error_text", "deliveries.next_attempt_at"])
    .select(["deliveries.sent_at", "runs.trigger_name", "runs.scheduled_at"])
    .where("deliveries.notification_id", "=", id);
}

/** A row of {@link selectDeliveries}. */
type DeliveryRow = Awaited<
  ReturnType<Awaited<ReturnType<typeof selectDeliveries>>["executeTakeFirstOrThrow"]>
>;

/** Converts a delivery to the API form. */
export function showDelivery(row: DeliveryRow): Static<typeof NotificationDelivery> {
  return {
    id: row.id,
    trigger: row.trigger_name,
    scheduledAt: row.scheduled_at,
    userId: row.user_id,
    email: row.email,
    status: row.status,
    attempts: row.attempts,
    ...omitNullish({
      error: row.error_text,
      sentAt: row.sent_at,
      nextAttemptAt: row.status === "pending" ? row.next_attempt_at : null,
    }),
  };
}
