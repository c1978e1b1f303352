// Notifications between wish and wire: cron expressions as the API's types of schedule, and notifications found by name.
import { listNotifications } from "../api/notifications.ts";
import { listWorkbooks } from "../api/workbooks.ts";
import { Failure } from "../core/errors.ts";
import { nameOf } from "../core/identity.ts";
import type { JsonObject } from "../core/json.ts";
import type { Prerequisite, Kind, Reader } from "../core/kind.ts";
import type { AnswerOf } from "../core/operation.ts";
import { workbooksOf } from "./workbook.codec.ts";

/** A notification with the slug of the workbook whose dashboard it delivers. */
export type WorkbookNotification = AnswerOf<typeof listNotifications> & {
  readonly workbook: string;
};

/** The deployment's notifications of workbooks that have slugs; none where there is no such deployment. */
export async function notificationsOf(
  reader: Reader,
  deployment: string,
): Promise<readonly WorkbookNotification[]> {
  const found = await workbooksOf(reader, deployment);
  if (found === undefined) return [];
  const { deploymentId, workbooks } = found;
  const slugs = new Map(
    workbooks.map(({ slug, publishedDashboard }) => [publishedDashboard?.id, slug]),
  );
  const items = await reader.all(listNotifications, { params: { deploymentId } });
  return items.flatMap((item) => {
    const workbook = slugs.get(item.dashboardId);
    return workbook === undefined ? [] : [{ ...item, workbook }];
  });
}

/** The part of a notification's wish that names it. */
export function keyFields(
  deployment: string,
  { workbook, cronExpression, timezone }: WorkbookNotification,
) {
  return { deployment, workbook, schedule: cronExpression, timezone };
}

/** Where the published dashboard of a wish lies. */
export const dashboardIds = {
  operation: listWorkbooks,
  dependsOn: ["deployment", "workbook"],
  read: async (reader: Reader, { deployment, workbook }: JsonObject) => {
    if (typeof deployment !== "string") return undefined;
    const found = await workbooksOf(reader, deployment);
    const one = found?.workbooks.find(({ slug }) => slug === workbook);
    const dashboardId = one?.publishedDashboard?.id;
    return found === undefined || dashboardId === undefined
      ? undefined
      : { deploymentId: found.deploymentId, dashboardId };
  },
  missingMessage: "the workbook has no published dashboard to notify of: give it a `dashboard`",
} satisfies Prerequisite<{ deploymentId: number; dashboardId: number }>;

/**
 * The notification that others call `name`; undefined where there is none. Fails with `conflict`, naming the ids, where
 * several are called so, since nothing tells which is meant.
 */
export async function notificationNamed(
  reader: Reader,
  kind: Kind,
  { deployment, name }: { deployment: string; name: string },
): Promise<WorkbookNotification | undefined> {
  const all = await notificationsOf(reader, deployment);
  const called = all.filter((one) => nameOf(kind, keyFields(deployment, one)) === name);
  if (called.length <= 1) return called[0];
  const ids = called.map(({ id }) => id).join(", ");
  throw new Failure("conflict", `${called.length} notifications are called ${name}: ids ${ids}`, {
    remedy: "Remove all but one of them on the server.",
  });
}

/** A cron expression as the type of schedule that the product shows for it, or as a custom one. */
export function scheduleOf(cron: string) {
  const custom = { scheduleType: "CUSTOM" as const, customCron: cron };
  // A leading zero or a list would come back spelt otherwise.
  const plain = /^(0|[1-9]\d?) (0|[1-9]\d?|\*) ([1-9]\d?|\*) \* ([0-6]|\*)$/.exec(cron);
  if (plain === null) return custom;
  const [, minutes, hours, day, weekday] = plain;
  const [minute, hour] = [Number(minutes), Number(hours)];
  const isDaily = day === "*" && weekday === "*";
  if (isDaily && hours === "*") return { scheduleType: "HOURLY" as const, minute };
  if (hours === "*") return custom;
  if (isDaily) return { scheduleType: "DAILY" as const, minute, hour };
  if (day === "*") {
    return { scheduleType: "WEEKLY" as const, minute, hour, dayOfWeek: Number(weekday) };
  }
  if (weekday !== "*") return custom;
  return { scheduleType: "MONTHLY" as const, minute, hour, dayOfMonth: Number(day) };
}
