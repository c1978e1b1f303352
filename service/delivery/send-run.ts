// Sends one claimed run of a notification: draws the dashboard once for all recipients with the same rights, and mails each.
import pLimit from "p-limit";
import { Failure, isFailure } from "../../core/errors.ts";
import { canonical, type JsonObject, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Viewer } from "../areas/dashboard-exports/viewer.ts";
import { type AttemptEnd, recordAttempt } from "../areas/notifications/delivery-attempts.ts";
import {
  auditRun,
  finishRun,
  keepRun,
  type RunRow,
  skippedReason,
  longestRetryMs,
} from "../areas/notifications/runs.ts";
import type { MailLinks } from "../areas/notifications/mail-links.ts";
import { readDashboard } from "../areas/workbooks/dashboards.ts";
import { turnOf } from "../data-plane/queries.ts";
import type { QueryCaller } from "../query/access.ts";
import { fromJson } from "../store/codec.ts";
import { deadlineIsOver } from "../store/deadlines.ts";
import type { Db, Row } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";
import type { Controls } from "../../charts/config/controls.ts";
import { type DashboardSource, chartErrorsText, readPicture } from "./dashboard-data.ts";
import { mailContent, withUnsubscribeLink } from "./mail-content.ts";
import type { Mail, Mailer } from "./mailer.ts";
import { summarize } from "./summarize.ts";
import type { DeliveryTools } from "./tools.ts";
import { callerOf, pageOf } from "./viewer.ts";

/** The services that send runs. */
export interface SendParts extends DashboardSource, DeliveryTools {
  readonly mailer: Mailer;
  /** Undefined if the operator did not configure a public address. */
  readonly links: MailLinks | undefined;
}

/** A delivery that is due, with the current data of its recipient. */
type DueDelivery = Pick<Row<"notification_deliveries">, "id" | "email" | "attempts" | "user_id"> &
  Pick<
    Row<"recipients">,
    "user_groups" | "security_context" | "user_attributes" | "unsubscribed_at"
  > & {
    readonly names_of_tenant: number | null;
    readonly recipient_id: number | null;
    readonly is_deactivated: number;
  };

/** A run that is being sent. */
interface Sending {
  readonly parts: SendParts;
  readonly run: RunRow;
  readonly notification: Row<"notifications">;
  readonly signal: AbortSignal;
}

/**
 * Sends the due deliveries of a run. Throws `aborted` if this server stops or another server claims the run. The rest
 * is sent after the next start, or by that server.
 */
export async function sendRun(parts: SendParts, run: RunRow, signal: AbortSignal): Promise<void> {
  const { db, now } = parts;
  const notification = await db
    .selectFrom("notifications")
    .selectAll()
    .where("id", "=", run.notification_id)
    .executeTakeFirst();
  if (notification === undefined) return;
  const sending: Sending = { parts, run, notification, signal };
  for (;;) {
    const due = await dueDeliveries(db, run, now());
    if (due.length === 0) break;
    for (const group of await groupByCaller(sending, due)) await sendGroup(sending, group);
  }
  await inTransaction(db, async (tx) => {
    const next = await tx
      .selectFrom("notification_deliveries")
      .select((eb) => eb.fn.min<string | null>("next_attempt_at").as("at"))
      .where("run_id", "=", run.id)
      .where("status", "=", "pending")
      .executeTakeFirst();
    await finishRun(tx, run, next?.at ?? undefined);
    if (next?.at == null) await auditRun(tx, { run, notification, now: now() });
  });
}

async function dueDeliveries(db: Db, run: RunRow, now: Date): Promise<readonly DueDelivery[]> {
  return db
    .selectFrom("notification_deliveries as deliveries")
    .innerJoin("users", "users.id", "deliveries.user_id")
    .leftJoin("recipients", (join) =>
      join
        .onRef("recipients.notification_id", "=", "deliveries.notification_id")
        .onRef("recipients.user_id", "=", "deliveries.user_id"),
    )
    .select(["deliveries.id", "deliveries.email", "deliveries.attempts", "deliveries.user_id"])
    .select(["recipients.id as recipient_id", "users.is_deactivated"])
    .select(["recipients.user_groups", "recipients.security_context"])
    .select(["recipients.user_attributes", "recipients.unsubscribed_at"])
    .select("recipients.names_of_tenant")
    .where("deliveries.run_id", "=", run.id)
    .where("deliveries.status", "=", "pending")
    .where(deadlineIsOver("deliveries.next_attempt_at", { now, longestMs: longestRetryMs }))
    .orderBy("deliveries.id")
    .limit(limits.deliveriesPerBatch)
    .execute();
}

/** Recipients whose queries have the same results. */
interface CallerGroup {
  readonly caller: QueryCaller;
  readonly deliveries: DueDelivery[];
}

async function groupByCaller(
  sending: Sending,
  due: readonly DueDelivery[],
): Promise<readonly CallerGroup[]> {
  const { db } = sending.parts;
  const groups = new Map<string, CallerGroup>();
  for (const delivery of due) {
    if (delivery.attempts >= limits.deliveryAttempts) {
      const reason = "the server ended during each attempt";
      await record(sending, delivery, { status: "error", reason, isFinal: true });
      continue;
    }
    const reason =
      delivery.recipient_id === null ? "it is no recipient any more" : skippedReason(delivery);
    if (reason !== undefined) {
      await record(sending, delivery, { status: "skipped", reason });
      continue;
    }
    const caller = await callerOf(db, viewerOf(delivery));
    const key = canonical({
      ...caller,
      groups: caller.groups.toSorted(),
      roles: caller.roles.toSorted(),
      members: caller.members ? [...caller.members].toSorted() : null,
    });
    const group = groups.get(key) ?? { caller, deliveries: [] };
    groups.set(key, group);
    group.deliveries.push(delivery);
  }
  return [...groups.values()];
}

function viewerOf(delivery: DueDelivery): Viewer {
  const { user_id: userId, user_groups, security_context, user_attributes } = delivery;
  const attributes = (user_attributes === null ? [] : fromJson(user_attributes)) as readonly {
    readonly name: string;
    readonly value: JsonValue;
  }[];
  return {
    userId,
    ...(security_context !== null && { securityContext: fromJson(security_context) as JsonObject }),
    recipient: {
      catalogue: delivery.names_of_tenant === 1 ? "tenant" : "account",
      ...(user_groups !== null && { groups: fromJson(user_groups) as readonly string[] }),
      userAttributes: Object.fromEntries(attributes.map(({ name, value }) => [name, value])),
    },
  };
}

interface Drawn extends Pick<Mail, "subject" | "text" | "html" | "file"> {
  /** The errors of the charts; undefined if there are none. */
  readonly missing: string | undefined;
}

/** Draws the dashboard for a group, and mails it to each of its recipients. */
async function sendGroup(sending: Sending, { caller, deliveries }: CallerGroup): Promise<void> {
  const { parts, run, signal } = sending;
  await keepRun(parts.db, run, parts.now());
  const drawn = await draw(sending, caller);
  const inTurn = pLimit(limits.concurrentMails);
  const ends = await Promise.allSettled(
    deliveries.map((delivery) =>
      inTurn(async () => {
        if (signal.aborted) throw new Failure("aborted", "the server stops");
        await sendOne(sending, delivery, drawn);
      }),
    ),
  );
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
  // Record an attempt also after a bug, such as one in drawing. The scheduled job reports it.
  if (isFailure(drawn, "internal")) throw drawn.cause;
}

/** Returns the mail of a group, or the reason why the dashboard cannot be drawn. */
async function draw(sending: Sending, caller: QueryCaller): Promise<Drawn | Failure> {
  const { parts, notification, signal } = sending;
  const { notification_format: format, timezone } = notification;
  try {
    const dashboard = await readDashboard(parts.db, notification.dashboard_id);
    const turn = turnOf({});
    const link = pageOf(parts.links, caller, dashboard);
    const controls = controlsOf(notification);
    const view = {
      dashboard,
      caller,
      turn,
      timezone,
      link,
      hasLinks: true,
      controls,
      hasInitialValues: true,
    };
    const picture = await readPicture(parts, view, signal);
    const content = await parts.drawer.draw(picture, format, signal);
    const type = format === "png" ? "image/png" : "application/pdf";
    const summary = notification.notification_ai_summary === 1 ? summarize(picture) : [];
    return {
      ...mailContent(picture, { summary, hasPicture: format === "png" }),
      missing: chartErrorsText(picture),
      file: { name: `dashboard.${format}`, type, content },
    };
  } catch (error) {
    if (isFailure(error, "aborted")) throw error;
    if (error instanceof Failure) return error;
    const message = "the dashboard cannot be drawn because of an internal error";
    return new Failure("internal", message, { cause: error });
  }
}

function controlsOf({ filters, time_grains, member_switchers }: Row<"notifications">): Controls {
  const list = (text: string | null) => (text === null ? [] : fromJson(text));
  return {
    filters: list(filters) as Controls["filters"],
    timeGrains: list(time_grains) as Controls["timeGrains"],
    memberSwitchers: list(member_switchers) as Controls["memberSwitchers"],
  };
}

/** Counts the attempt first, so that a mail that crashes the server is not retried forever. */
async function sendOne(
  sending: Sending,
  delivery: DueDelivery,
  drawn: Drawn | Failure,
): Promise<void> {
  const { parts, run } = sending;
  const { id, email } = delivery;
  const attempts = delivery.attempts + 1;
  await inTransaction(parts.db, async (tx) => {
    await keepRun(tx, run, parts.now());
    await tx
      .updateTable("notification_deliveries")
      .set({ attempts })
      .where("id", "=", id)
      .where("status", "=", "pending")
      .execute();
  });
  const counted = { ...delivery, attempts };
  if (drawn instanceof Failure) {
    await record(sending, counted, { status: "error", reason: drawn.message, isFinal: false });
    return;
  }
  const link = parts.links?.unsubscribe({
    notificationId: run.notification_id,
    userId: delivery.user_id,
  });
  const { missing, ...content } = drawn;
  const mail = {
    ...(link === undefined ? content : withUnsubscribeLink(content, link)),
    to: email,
    id: `svc-${run.id}-${id}-${run.created_at.replace(/\D/gu, "")}`,
  };
  const problem = await parts.mailer.send(mail);
  const end = problem
    ? ({ status: "error", ...problem } as const)
    : ({ status: "sent", reason: missing } as const);
  await record(sending, counted, end);
}

async function record(
  { parts: { db, now } }: Sending,
  delivery: Pick<DueDelivery, "id" | "attempts">,
  end: AttemptEnd,
): Promise<void> {
  await inTransaction(db, (tx) => recordAttempt(tx, delivery, { end, now: now() }));
}
