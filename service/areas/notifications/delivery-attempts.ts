// Attempts of a delivery: decides when a failed one is repeated, and when the delivery has finally failed.
import { limits } from "../../../core/limits/limits.ts";
import { toShortText, toTimestamp } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";

/** How an attempt of a delivery ended. */
export type AttemptEnd =
  /** The reason describes what is missing in the mail. */
  | { readonly status: "sent"; readonly reason: string | undefined }
  | { readonly status: "skipped"; readonly reason: string }
  | { readonly status: "error"; readonly reason: string; readonly isFinal: boolean };

/** Records the end of an attempt. A failed one is repeated with growing delays, up to the limit. */
export async function recordAttempt(
  tx: Db,
  { id, attempts }: Pick<Row<"notification_deliveries">, "id" | "attempts">,
  { end, now }: { end: AttemptEnd; now: Date },
): Promise<void> {
  const isOver = end.status === "error" && (end.isFinal || attempts >= limits.deliveryAttempts);
  const wait = limits.deliveryRetryMs * 2 ** Math.max(0, attempts - 1);
  await tx
    .updateTable("notification_deliveries")
    .set({
      attempts,
      ...(end.status === "error"
        ? {
            status: isOver ? ("failed" as const) : ("pending" as const),
            error_text: toShortText(end.reason, limits.syncErrorLength),
            next_attempt_at: toTimestamp(now.getTime() + wait),
          }
        : {
            status: end.status,
            error_text:
              end.reason === undefined ? null : toShortText(end.reason, limits.syncErrorLength),
            sent_at: end.status === "sent" ? toTimestamp(now) : null,
          }),
    })
    .where("id", "=", id)
    .where("status", "=", "pending")
    .execute();
}
