// Notifications as rows: made for a published dashboard, changed, filtered, and shown with their schedule in words.
import type { Static } from "typebox";
import type {
  createNotification,
  listNotifications,
  Notification,
  updateNotification,
} from "../../../api/notifications.ts";
import { Failure } from "../../../core/errors.ts";
import type { JsonValue } from "../../../core/json.ts";
import { limits } from "../../../core/limits.ts";
import type { RequestOf } from "../../../core/operation.ts";
import { omitNullish } from "../operation-handler.ts";
import { toFlag, fromJson, toShortJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { requireDeployment } from "../workbooks/workbooks.ts";
import { changedSchedule, checkTimezone, describeSchedule, newSchedule } from "./schedule.ts";

/** One notification, as a path names it. */
export interface NotificationKey {
  readonly deploymentId: number;
  readonly id: number;
}

type CreateBody = RequestOf<typeof createNotification>["body"];
type UpdateBody = RequestOf<typeof updateNotification>["body"];
type Filters = RequestOf<typeof listNotifications>["query"];
type ApiNotification = Static<typeof Notification>;

/** A notification as the API shows it. */
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
      filters: list<NonNullable<ApiNotification["filters"]>>(row.filters),
      timeGrains: list<NonNullable<ApiNotification["timeGrains"]>>(row.time_grains),
      memberSwitchers: list<NonNullable<ApiNotification["memberSwitchers"]>>(row.member_switchers),
    }),
  };
}

/** The row of one; `not_found` where the deployment has none of this id. */
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

/** The failure for a notification that is not in its deployment. */
export function notificationNotFound(id: number): Failure {
  return new Failure("not_found", `the deployment has no notification ${id}`);
}

/** Stores a notification without recipients. `not_found` for a dashboard that the deployment has not published. */
export async function insertNotification(
  db: Db,
  deploymentId: number,
  { body, at }: { body: CreateBody; at: string },
): Promise<Row<"notifications">> {
  await requireDeployment(db, deploymentId);
  const { type, cron } = newSchedule(body.scheduleType, body);
  const timezone = body.timezone ?? "UTC";
  checkTimezone(timezone);
  const [dashboard, other] = [body.dashboardId, body.dashboardPublicId].filter((id) => id != null);
  if (dashboard === undefined || other !== undefined) {
    throw new Failure(
      "invalid",
      "exactly one of dashboardId and dashboardPublicId has to be given",
    );
  }
  return db
    .insertInto("notifications")
    .values({
      deployment_id: deploymentId,
      dashboard_id: await publishedDashboardId(db, deploymentId, dashboard),
      schedule_type: type,
      cron_expression: cron,
      timezone,
      is_enabled: toFlag(true),
      notification_enabled: toFlag(body.notificationEnabled ?? true),
      notification_format: body.notificationFormat ?? "png",
      notification_ai_summary: toFlag(body.notificationAiSummary ?? false),
      ...listColumns(body),
      created_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The id of the deployment's published dashboard that either id names. */
async function publishedDashboardId(
  db: Db,
  deploymentId: number,
  named: number | string,
): Promise<number> {
  const column = typeof named === "number" ? "id" : "public_id";
  const found = await db
    .selectFrom("dashboards")
    .select("id")
    .where(column, "=", named)
    .where("deployment_id", "=", deploymentId)
    .where("status", "=", "published")
    .executeTakeFirst();
  if (found) return found.id;
  throw new Failure(
    "not_found",
    `the deployment has no published dashboard ${JSON.stringify(named)}`,
  );
}

/** Changes what is given and keeps the rest. */
export async function changeNotification(
  db: Db,
  named: NotificationKey,
  body: UpdateBody,
): Promise<Row<"notifications">> {
  const known = await readNotification(db, named);
  const before = { type: known.schedule_type, cron: known.cron_expression };
  const { type, cron } =
    body.scheduleType == null
      ? changedSchedule(before, body)
      : newSchedule(body.scheduleType, body);
  const timezone = body.timezone ?? known.timezone;
  checkTimezone(timezone);
  return db
    .updateTable("notifications")
    .set({
      schedule_type: type,
      cron_expression: cron,
      timezone,
      is_enabled: body.isEnabled == null ? known.is_enabled : toFlag(body.isEnabled),
      notification_enabled:
        body.notificationEnabled == null
          ? known.notification_enabled
          : toFlag(body.notificationEnabled),
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

/** The columns of the lists that are given; an empty one is none. */
function listColumns(body: Pick<UpdateBody, "filters" | "timeGrains" | "memberSwitchers">) {
  const column = (name: string, list: readonly unknown[]): string | null =>
    list.length === 0 ? null : toShortJson(list as JsonValue, { name, most: limits.freeFormBytes });
  const { filters, timeGrains, memberSwitchers } = body;
  return {
    ...(filters == null ? {} : { filters: column("filters", filters) }),
    ...(timeGrains == null ? {} : { time_grains: column("timeGrains", timeGrains) }),
    ...(memberSwitchers == null
      ? {}
      : { member_switchers: column("memberSwitchers", memberSwitchers) }),
  };
}

/** Deletes a notification with its subscriptions. */
export async function dropNotification(db: Db, named: NotificationKey): Promise<void> {
  const { id } = await readNotification(db, named);
  await db.deleteFrom("notifications").where("id", "=", id).execute();
}

/** The deployment's notifications that the filters leave; `not_found` for a dashboard that the deployment has not published. */
export async function selectNotifications(db: Db, deploymentId: number, filters: Filters) {
  await requireDeployment(db, deploymentId);
  refuseMixedFilters(filters);
  const dashboard = filters.dashboardId ?? filters.dashboardPublicId;
  let found = db
    .selectFrom("notifications")
    .selectAll("notifications")
    .where("notifications.deployment_id", "=", deploymentId);
  if (dashboard !== undefined) {
    const id = await publishedDashboardId(db, deploymentId, dashboard);
    found = found.where("notifications.dashboard_id", "=", id);
  }
  const subscribed = subscribedNotifications(db, filters);
  return subscribed ? found.where("notifications.id", "in", subscribed) : found;
}

/** The notifications that the recipient of the filters receives; undefined where they name none. */
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

function refuseMixedFilters(filters: Filters): void {
  const { dashboardId: id, dashboardPublicId, recipientUserId, recipientEmail } = filters;
  const { recipientEmbedTenantName, recipientExternalId } = filters;
  if (id !== undefined && dashboardPublicId !== undefined) {
    throw new Failure("invalid", "filter by one of dashboardId and dashboardPublicId, not by both");
  }
  if ((recipientEmbedTenantName === undefined) !== (recipientExternalId === undefined)) {
    throw new Failure(
      "invalid",
      "recipientEmbedTenantName and recipientExternalId go together; give both",
    );
  }
  const ways = [recipientUserId, recipientEmail, recipientExternalId];
  if (ways.filter((way) => way !== undefined).length > 1) {
    throw new Failure(
      "invalid",
      "name a recipient in one way: recipientUserId, recipientEmail, or recipientEmbedTenantName with recipientExternalId",
    );
  }
}
