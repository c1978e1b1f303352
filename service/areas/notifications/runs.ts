// Runs of notifications in the store. Only conditional updates claim a time of a schedule and lease a run.
import { chunksOf } from "../../../core/chunks.ts";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { insertAuditEntry } from "../../store/audit-entries.ts";
import { toFlag, toJson, toTimestamp } from "../../store/codec.ts";
import { deleteRows } from "../../store/in-batches.ts";
import { deadlineIsOver } from "../../store/deadlines.ts";
import type { LeaseHolders } from "../../store/lease-holders.ts";
import type { Db, Row } from "../../store/schema.ts";
import { inTransaction } from "../../store/transaction.ts";
import type { mailFingerprints } from "./mail-fingerprints.ts";
import { nextRun } from "./next-run.ts";

/** A run in the store. */
export type RunRow = Row<"notification_runs">;

/** The context in which a server sends. */
export interface RunQueueContext {
  readonly db: Db;
  readonly now: Date;
  /** The reason why nothing is sent; undefined if mail is sent. */
  readonly unsentReason: string | undefined;
}

const isActive = (db: Db) =>
  db.selectFrom("notifications").where("is_enabled", "=", 1).where("notification_enabled", "=", 1);

/**
 * Adds the runs of the notifications that are due: one run for each, regardless of how many scheduled times have
 * passed. Neither a second server nor a clock that was set back adds a duplicate.
 */
export async function queueDueRuns(on: RunQueueContext): Promise<void> {
  const { db, now } = on;
  await planRuns(on);
  const due = await isActive(db)
    .select(["id", "cron_expression", "timezone", "next_run_at"])
    .where("next_run_at", "<=", toTimestamp(now))
    .orderBy("next_run_at")
    .limit(limits.notificationsPerBatch)
    .execute();
  for (const notification of due) {
    const { id, next_run_at: slot } = notification;
    if (slot === null) continue;
    await inTransaction(db, async (tx) => {
      const claimed = await tx
        .updateTable("notifications")
        .set({ next_run_at: nextRun(notification, now) })
        .where("id", "=", id)
        .where("next_run_at", "=", slot)
        .returning("id")
        .executeTakeFirst();
      if (claimed) await addRun({ ...on, db: tx }, { id, trigger: "schedule", slot });
    });
  }
}

/** Plans the next run of notifications that have none, such as notifications of an earlier version. */
async function planRuns({ db, now }: RunQueueContext): Promise<void> {
  const unplanned = await isActive(db)
    .select(["id", "cron_expression", "timezone"])
    .where("next_run_at", "is", null)
    .limit(limits.notificationsPerBatch)
    .execute();
  for (const notification of unplanned) {
    const next_run_at = nextRun(notification, now);
    if (next_run_at === null) continue;
    await db
      .updateTable("notifications")
      .set({ next_run_at })
      .where("id", "=", notification.id)
      .where("next_run_at", "is", null)
      .execute();
  }
}

/** Plans all later runs again, after the clock was set back and when a server starts, which may know other time zones. */
export async function replanRuns(db: Db, now: Date): Promise<void> {
  await db
    .updateTable("notifications")
    .set({ next_run_at: null })
    .where("next_run_at", ">", toTimestamp(now))
    .execute();
}

/** A run to add. */
export interface NewRun {
  /** The notification. */
  readonly id: number;
  readonly trigger: RunRow["trigger_name"];
  /** The scheduled time, or the time of the request. */
  readonly slot: string;
  /**
   * For a run that replaces others: the fingerprint of each recipient's mail, and the mails that were already
   * delivered.
   */
  readonly repeats?: {
    readonly fingerprintOf: Awaited<ReturnType<typeof mailFingerprints>>;
    readonly delivered: DeliveredMails;
  };
}

/** The fingerprints of mails by the ID of the user who has them. */
type DeliveredMails = ReadonlyMap<number, string>;

/**
 * Adds a run with a delivery to each recipient. Returns the number of deliveries; undefined if the run already exists.
 */
export async function addRun(
  { db, now, unsentReason }: RunQueueContext,
  { id, trigger, slot, repeats }: NewRun,
): Promise<number | undefined> {
  const at = toTimestamp(now);
  const run = await db
    .insertInto("notification_runs")
    .values({
      notification_id: id,
      trigger_name: trigger,
      scheduled_at: slot,
      status: unsentReason === undefined ? "running" : "ended",
      claims: 0,
      next_attempt_at: at,
      created_at: at,
    })
    .onConflict((on) => on.columns(["notification_id", "trigger_name", "scheduled_at"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (run === undefined) return undefined;
  const recipients = await db
    .selectFrom("recipients")
    .innerJoin("users", "users.id", "recipients.user_id")
    .select(["users.id", "users.email", "users.external_id", "users.is_deactivated"])
    .select(["recipients.unsubscribed_at", "recipients.user_groups"])
    .select(["recipients.security_context", "recipients.user_attributes"])
    .select("recipients.names_of_tenant")
    .where("recipients.notification_id", "=", id)
    .orderBy("recipients.id")
    .execute();
  const deliveries = recipients.map((recipient) => {
    const fingerprint = repeats?.fingerprintOf(recipient) ?? null;
    const isDelivered =
      fingerprint !== null && repeats?.delivered.get(recipient.id) === fingerprint;
    const otherReason = unsentReason ?? skippedReason(recipient);
    const reason = isDelivered ? "an earlier request sent it" : otherReason;
    return {
      run_id: run.id,
      notification_id: id,
      user_id: recipient.id,
      email: recipient.email ?? recipient.external_id ?? "",
      status: reason === undefined ? ("pending" as const) : ("skipped" as const),
      attempts: 0,
      next_attempt_at: at,
      error_text: reason ?? null,
      fingerprint,
      was_sent_before: toFlag(isDelivered),
    };
  });
  for (const values of chunksOf(deliveries, 1000)) {
    await db.insertInto("notification_deliveries").values(values).execute();
  }
  return deliveries.filter(({ status }) => status === "pending").length;
}

/** Returns the reason why a recipient gets no mail; undefined if it gets one. */
export function skippedReason({
  is_deactivated,
  unsubscribed_at,
}: {
  readonly is_deactivated: number;
  readonly unsubscribed_at: string | null;
}): string | undefined {
  if (is_deactivated === 1) return "the user is deactivated";
  return unsubscribed_at === null ? undefined : "the recipient unsubscribed";
}

/**
 * Ends the run of an earlier request if only later retries are left, which the new run will make. Returns the users
 * who have its mail, with the fingerprints. Throws `conflict` while it is being sent.
 */
export async function replaceManualRun(
  tx: Db,
  notification: Pick<Row<"notifications">, "id" | "deployment_id">,
  now: Date,
): Promise<DeliveredMails> {
  const unended = (db: Db) =>
    db
      .selectFrom("notification_runs")
      .select("id")
      .where("notification_id", "=", notification.id)
      .where("trigger_name", "=", "manual")
      .where("status", "=", "running");
  const replaced = await tx
    .updateTable("notification_runs")
    .set({ status: "ended" })
    .where("id", "in", unended(tx))
    .where("leased_until", "is", null)
    .where("next_attempt_at", ">", toTimestamp(now))
    .returningAll()
    .execute();
  if (await unended(tx).limit(1).executeTakeFirst()) {
    throw new Failure("conflict", "the notification is being sent; look at its deliveries");
  }
  const delivered = new Map<number, string>();
  for (const run of replaced) {
    for (const [id, fingerprint] of await deliveredBy(tx, run)) delivered.set(id, fingerprint);
    await tx
      .updateTable("notification_deliveries")
      .set({ status: "skipped", error_text: "a later request sends it again" })
      .where("run_id", "=", run.id)
      .where("status", "=", "pending")
      .execute();
    await auditRun(tx, { run, notification, now });
  }
  return delivered;
}

/** Returns the users who have the mail of a run, or of a run that it replaced, with the fingerprints. */
async function deliveredBy(
  tx: Db,
  { id }: RunRow,
): Promise<readonly (readonly [number, string])[]> {
  const rows = await tx
    .selectFrom("notification_deliveries")
    .select(["user_id", "fingerprint"])
    .where("run_id", "=", id)
    .where((eb) => eb.or([eb("status", "=", "sent"), eb("was_sent_before", "=", 1)]))
    .execute();
  return rows.flatMap(({ user_id, fingerprint }) =>
    fingerprint === null ? [] : [[user_id, fingerprint] as const],
  );
}

/** The longest pause between two attempts of a delivery, in milliseconds. */
export const longestRetryMs = limits.deliveryRetryMs * 2 ** limits.deliveryAttempts;

/**
 * Claims the run that waits longest, unless another server did; undefined if none is due. The lease of a server that no longer
 * runs does not count.
 */
export async function claimRun(
  db: Db,
  now: Date,
  holders: LeaseHolders,
): Promise<RunRow | "taken" | undefined> {
  const leaseIsOver = deadlineIsOver("leased_until", { now, longestMs: limits.deliveryLeaseMs });
  const due = await db
    .selectFrom("notification_runs")
    .select(["id", "claims"])
    .where("status", "=", "running")
    .where(deadlineIsOver("next_attempt_at", { now, longestMs: longestRetryMs }))
    .where((eb) => eb.or([leaseIsOver, holders.isGone("leased_by")]))
    .orderBy("next_attempt_at")
    .limit(1)
    .executeTakeFirst();
  if (due === undefined) return undefined;
  const leasedBy = (await holders.ownNumber()) ?? null;
  const claimed = await inTransaction(db, (tx) =>
    tx
      .updateTable("notification_runs")
      .set({ claims: due.claims + 1, leased_until: leaseEnd(now), leased_by: leasedBy })
      .where("id", "=", due.id)
      .where("claims", "=", due.claims)
      .where("status", "=", "running")
      .returningAll()
      .executeTakeFirst(),
  );
  return claimed ?? "taken";
}

const leaseEnd = (now: Date): string => toTimestamp(now.getTime() + limits.deliveryLeaseMs);

/** Renews the lease of a claimed run. Throws `aborted` if another server has it, or it was deleted. */
export async function keepRun(db: Db, { id, claims }: RunRow, now: Date): Promise<void> {
  const kept = await db
    .updateTable("notification_runs")
    .set({ leased_until: leaseEnd(now) })
    .where("id", "=", id)
    .where("claims", "=", claims)
    .returning("id")
    .executeTakeFirst();
  if (!kept) throw new Failure("aborted", "another server sends this notification");
}

/** Ends a run, or releases it until its next attempt. */
export async function finishRun(
  tx: Db,
  { id, claims }: RunRow,
  nextAttemptAt: string | undefined,
): Promise<void> {
  await tx
    .updateTable("notification_runs")
    .set({
      leased_until: null,
      ...(nextAttemptAt === undefined
        ? { status: "ended" as const }
        : { next_attempt_at: nextAttemptAt }),
    })
    .where("id", "=", id)
    .where("claims", "=", claims)
    .execute();
}

/** Records the end of a run in the audit log, without changed values of the notification. */
export async function auditRun(
  tx: Db,
  {
    run,
    notification,
    now,
  }: {
    readonly run: RunRow;
    readonly notification: Pick<Row<"notifications">, "id" | "deployment_id">;
    readonly now: Date;
  },
): Promise<void> {
  const counts = await tx
    .selectFrom("notification_deliveries")
    .select((eb) => ["status", eb.fn.countAll<number | string>().as("count")])
    .where("run_id", "=", run.id)
    .groupBy("status")
    .execute();
  const after = {
    scheduledAt: run.scheduled_at,
    trigger: run.trigger_name,
    ...Object.fromEntries(counts.map(({ status, count }) => [status, Number(count)])),
  };
  const entry = {
    created_at: toTimestamp(now),
    event_name: "deliverNotification",
    user_id: null,
    username: null,
    user_email: null,
    credential: "service",
    key_name: null,
    object_type: "notification-deliveries",
    object_ids: toJson([String(notification.id)]),
    deployment_id: notification.deployment_id,
    before_values: null,
    after_values: toJson(after),
  };
  await insertAuditEntry(tx, entry);
}

/** Deletes at most `most` runs past the retention time of deliveries, and returns their number. */
export async function sweepRuns(tx: Db, now: Date, most: number): Promise<number> {
  const over = tx
    .selectFrom("notification_runs")
    .select("id")
    .where("created_at", "<", toTimestamp(now.getTime() - limits.deliveriesKeptMs))
    .limit(most);
  return deleteRows(tx, "notification_runs", over);
}
