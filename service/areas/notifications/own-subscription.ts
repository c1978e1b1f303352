// The subscription of one recipient, which the link in its mails ends or starts again.
import { unsubscribeEvent } from "../../../api/audit-logs.ts";
import { insertAuditEntry } from "../../store/audit-entries.ts";
import { toJson, toTimestamp } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";

/** A recipient of a notification. */
export interface SubscriptionKey {
  readonly notificationId: number;
  readonly userId: number;
}

/** The members of a subscription that its recipient sees. */
export interface OwnSubscription {
  readonly workbook: string;
  readonly isSubscribed: boolean;
}

/** Returns the subscription; undefined if the notification or its recipient was removed. */
export async function readOwnSubscription(
  db: Db,
  { notificationId, userId }: SubscriptionKey,
): Promise<OwnSubscription | undefined> {
  const row = await db
    .selectFrom("recipients")
    .innerJoin("notifications", "notifications.id", "recipients.notification_id")
    .innerJoin("dashboards", "dashboards.id", "notifications.dashboard_id")
    .innerJoin("workbooks", "workbooks.id", "dashboards.workbook_id")
    .select(["workbooks.name", "recipients.unsubscribed_at"])
    .where("recipients.notification_id", "=", notificationId)
    .where("recipients.user_id", "=", userId)
    .executeTakeFirst();
  return row && { workbook: row.name, isSubscribed: row.unsubscribed_at === null };
}

/**
 * Ends the subscription, or starts it again. If it already has that state, nothing changes and the audit log gets no
 * entry.
 */
export async function setOwnSubscription(
  tx: Db,
  { notificationId, userId }: SubscriptionKey,
  { isSubscribed, now }: { readonly isSubscribed: boolean; readonly now: Date },
): Promise<void> {
  const changed = await tx
    .updateTable("recipients")
    .set({ unsubscribed_at: isSubscribed ? null : toTimestamp(now) })
    .where("notification_id", "=", notificationId)
    .where("user_id", "=", userId)
    .where("unsubscribed_at", isSubscribed ? "is not" : "is", null)
    .returning("id")
    .executeTakeFirst();
  if (changed === undefined) return;
  const user = await tx
    .selectFrom("users")
    .select(["username", "email"])
    .where("id", "=", userId)
    .executeTakeFirstOrThrow();
  const { deployment_id } = await tx
    .selectFrom("notifications")
    .select("deployment_id")
    .where("id", "=", notificationId)
    .executeTakeFirstOrThrow();
  const entry = {
    created_at: toTimestamp(now),
    event_name: unsubscribeEvent,
    user_id: userId,
    username: user.username,
    user_email: user.email,
    credential: "mail",
    key_name: null,
    object_type: "notification-recipients",
    object_ids: toJson([`${notificationId}/${userId}`]),
    deployment_id,
    before_values: toJson({ isSubscribed: !isSubscribed }),
    after_values: toJson({ isSubscribed }),
  };
  await insertAuditEntry(tx, entry);
}
