// Notification rows: create, update, filter, and convert to the API form.
import type { Static } from "typebox";
import type {
  createNotification,
  listNotifications,
  Notification,
  updateNotification,
} from "../../../api/notifications.ts";
import { Failure, invariant } from "../../../core/errors.ts";
import type { JsonValue } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { checkFilterValues } from "../shared/filter-values.ts";
import { changedColumns, fromJson, toFlag, toShortJson, toTimestamp } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { checkTimezone } from "../shared/time-zone.ts";
import { requireDeployment } from "../../store/deployments.ts";
import { tenantId } from "../embed-tenants/tenants.ts";
import { publishedDashboard } from "../workbooks/dashboards.ts";
import { nextRun } from "./next-run.ts";
import { changedSchedule, describeSchedule, newSchedule } from "./schedule.ts";

/** A notification as identified by a path. */
export interface NotificationKey {
  readonly deploymentId: number;
  readonly id: number;
}

type CreateBody = RequestOf<typeof createNotification>["body"];
type UpdateBody = RequestOf<typeof updateNotification>["body"];
type Filters = RequestOf<typeof listNotifications>["query"];
type ApiNotification = Static<typeof Notification>;

/** Converts a notification to the API form. */
export function showNotification(row: Row<"notifications">): ApiNotification {
  const list = <T>(text: string | null): T | undefined =>
    text === null ? undefined : (fromJson(text) as T);
  return {
    id: row.id,
    dashboardId: row.dashboard_id,
    deploymentId: row.deployment_id,
    cronExpression: row.cron_expression,
    timezone: row.timezone,
    isEnabled: row.is_enabled === 1,
    humanReadableSchedule: describeSchedule({ type: row.schedule_type, cron: row.cron_expression }),
    notificationEnabled: row.notification_enabled === 1,
    notificationFormat: row.notification_format,
    notificationAiSummary: row.notification_ai_summary === 1,
    ...omitNullish({
      embedTenantName: row.embed_tenant_name,
      filters: list<NonNullable<ApiNotification["filters"]>>(row.filters),
      timeGrains: list<NonNullable<ApiNotification["timeGrains"]>>(row.time_grains),
      memberSwitchers: list<NonNullable<ApiNotification["memberSwitchers"]>>(row.member_switchers),
    }),
  };
}

/** Returns the row of a notification. Throws `not_found` if the deployment does not have it. */
export async function readNotification(
  db: Db,
  named: NotificationKey,
): Promise<Row<"notifications">> {
  const row = await db
    .selectFrom("notifications")
    .selectAll()
    .where("id", "=", named.id)
    .where("deployment_id", "=", named.deploymentId)
    .executeTakeFirst();
  if (row) return row;
  throw notificationNotFound(named.id);
}

/** Returns the error for a notification that is not in the deployment. */
export function notificationNotFound(id: number): Failure {
  return new Failure("not_found", `the deployment has no notification ${id}`);
}

/**
 * Inserts a notification without recipients. Throws `not_found` for a dashboard that the deployment has not published, and
 * for an embed tenant that does not exist.
 */
export async function insertNotification(
  db: Db,
  deploymentId: number,
  { body, now }: { body: CreateBody; now: Date },
): Promise<Row<"notifications">> {
  await requireDeployment(db, deploymentId);
  const { type, cron } = newSchedule(body.scheduleType, body);
  const timezone = body.timezone ?? "UTC";
  checkTimezone(timezone);
  const dashboard = body.dashboardId ?? body.dashboardPublicId;
  invariant(dashboard != null, "a notification without a dashboard");
  const tenant = body.embedTenantName ?? null;
  if (tenant !== null) await tenantId(db, tenant);
  return db
    .insertInto("notifications")
    .values({
      deployment_id: deploymentId,
      dashboard_id: (await publishedDashboard(db, deploymentId, dashboard)).id,
      schedule_type: type,
      cron_expression: cron,
      timezone,
      is_enabled: toFlag(true),
      notification_enabled: toFlag(body.notificationEnabled ?? true),
      notification_format: body.notificationFormat ?? "png",
      notification_ai_summary: toFlag(body.notificationAiSummary ?? false),
      embed_tenant_name: tenant,
      ...listColumns(body),
      created_at: toTimestamp(now),
      next_run_at:
        body.notificationEnabled === false
          ? null
          : nextRun({ cron_expression: cron, timezone }, now),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Updates the members that are set and keeps the others. Throws `not_found` for an embed tenant that does not exist.
 */
export async function changeNotification(
  db: Db,
  named: NotificationKey,
  { body, now }: { body: UpdateBody; now: Date },
): Promise<Row<"notifications">> {
  const known = await readNotification(db, named);
  const before = { type: known.schedule_type, cron: known.cron_expression };
  const { type, cron } =
    body.scheduleType == null
      ? changedSchedule(before, body)
      : newSchedule(body.scheduleType, body);
  const timezone = body.timezone ?? known.timezone;
  checkTimezone(timezone);
  const schedule = {
    cron_expression: cron,
    timezone,
    is_enabled: body.isEnabled == null ? known.is_enabled : toFlag(body.isEnabled),
    notification_enabled:
      body.notificationEnabled == null
        ? known.notification_enabled
        : toFlag(body.notificationEnabled),
  };
  const { embedTenantName: tenant = known.embed_tenant_name } = body;
  if (tenant !== null && tenant !== known.embed_tenant_name)
    await dropRecipientsOutside(db, known.id, await tenantId(db, tenant));
  return db
    .updateTable("notifications")
    .set({
      schedule_type: type,
      embed_tenant_name: tenant,
      ...schedule,
      ...plannedRun(known, schedule, now),
      notification_format: body.notificationFormat ?? known.notification_format,
      notification_ai_summary:
        body.notificationAiSummary == null
          ? known.notification_ai_summary
          : toFlag(body.notificationAiSummary),
      ...listColumns(body),
    })
    .where("id", "=", known.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function dropRecipientsOutside(db: Db, notification: number, tenant: number): Promise<void> {
  const users = db.selectFrom("users").select("id").where("embed_tenant_id", "=", tenant);
  await db
    .deleteFrom("recipients")
    .where("notification_id", "=", notification)
    .where("user_id", "not in", users)
    .execute();
}

type PlannedColumns = "cron_expression" | "timezone" | "is_enabled" | "notification_enabled";

/** Returns the next run of a changed schedule. One that does not change keeps a run that is due. */
function plannedRun(
  known: Row<"notifications">,
  changed: Pick<Row<"notifications">, PlannedColumns>,
  now: Date,
): Partial<Pick<Row<"notifications">, "next_run_at">> {
  if (Object.keys(changedColumns(known, changed)).length === 0) return {};
  const isActive = changed.is_enabled === 1 && changed.notification_enabled === 1;
  return { next_run_at: isActive ? nextRun(changed, now) : null };
}

/** Returns the columns of the lists that are set. An empty list is stored as null. */
function listColumns(body: Pick<UpdateBody, "filters" | "timeGrains" | "memberSwitchers">) {
  const column = (name: string, list: readonly unknown[]): string | null =>
    list.length === 0 ? null : toShortJson(list as JsonValue, { name, most: limits.freeFormBytes });
  const { filters, timeGrains, memberSwitchers } = body;
  checkFilterValues(filters);
  return {
    ...(filters == null ? {} : { filters: column("filters", filters) }),
    ...(timeGrains == null ? {} : { time_grains: column("timeGrains", timeGrains) }),
    ...(memberSwitchers == null
      ? {}
      : { member_switchers: column("memberSwitchers", memberSwitchers) }),
  };
}

/** Deletes a notification and its subscriptions. */
export async function dropNotification(db: Db, named: NotificationKey): Promise<void> {
  const { id } = await readNotification(db, named);
  await db.deleteFrom("notifications").where("id", "=", id).execute();
}

/**
 * Selects the deployment's notifications that match the filters. Throws `not_found` for a dashboard that the
 * deployment has not published.
 */
export async function selectNotifications(db: Db, deploymentId: number, filters: Filters) {
  await requireDeployment(db, deploymentId);
  const dashboard = filters.dashboardId ?? filters.dashboardPublicId;
  let found = db
    .selectFrom("notifications")
    .selectAll("notifications")
    .where("notifications.deployment_id", "=", deploymentId);
  if (dashboard !== undefined) {
    const { id } = await publishedDashboard(db, deploymentId, dashboard);
    found = found.where("notifications.dashboard_id", "=", id);
  }
  const subscribed = subscribedNotifications(db, filters);
  return subscribed ? found.where("notifications.id", "in", subscribed) : found;
}

/** Selects the notifications of the recipient in the filters; undefined if the filters name no recipient. */
function subscribedNotifications(db: Db, filters: Filters) {
  const { recipientUserId, recipientEmail, recipientEmbedTenantName, recipientExternalId } =
    filters;
  const all = db
    .selectFrom("recipients")
    .innerJoin("users", "users.id", "recipients.user_id")
    .select("recipients.notification_id");
  if (recipientUserId !== undefined) return all.where("users.id", "=", recipientUserId);
  if (recipientEmail !== undefined) {
    const email = recipientEmail.toLowerCase();
    return all.where((eb) =>
      eb.or([
        eb(eb.fn<string>("lower", ["users.email"]), "=", email),
        eb.and([eb("users.email", "is", null), eb("users.external_id", "=", email)]),
      ]),
    );
  }
  if (recipientExternalId === undefined) return undefined;
  return all
    .innerJoin("embed_tenants", "embed_tenants.id", "users.embed_tenant_id")
    .where("users.external_id", "=", recipientExternalId)
    .where("embed_tenants.name", "=", recipientEmbedTenantName ?? "");
}
