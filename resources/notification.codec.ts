// Converts notifications between specs and requests: cron expressions to the API's schedule types, names to IDs.
import { listNotifications } from "../api/notifications.ts";
import { listWorkbooks } from "../api/workbooks.ts";
import type { JsonObject } from "../core/json.ts";
import type { Prerequisite, Reader } from "../core/kind/kind.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { timeZoneName } from "../core/text/time-zones.ts";
import { workbookNamed, type WorkbookWithSlug, workbooksOf } from "./workbook.codec.ts";

/** A notification with the slug of the workbook whose dashboard it delivers. */
export type WorkbookNotification = AnswerOf<typeof listNotifications> & {
  readonly workbook: string;
};

/** Reads a deployment's notifications of workbooks with slugs; an empty list if the deployment does not exist. */
export async function notificationsOf(
  reader: Reader,
  deployment: string,
): Promise<readonly WorkbookNotification[]> {
  const found = await workbooksOf(reader, deployment);
  if (found === undefined) return [];
  const { deploymentId, workbooks } = found;
  const items = await reader.all(listNotifications, { params: { deploymentId } });
  return withWorkbooks(items)(workbooks);
}

const withWorkbooks = memoizePerObject((items: readonly AnswerOf<typeof listNotifications>[]) =>
  memoizePerObject((workbooks: readonly WorkbookWithSlug[]): readonly WorkbookNotification[] => {
    const slugs = new Map(
      workbooks.map(({ slug, publishedDashboard }) => [publishedDashboard?.id, slug]),
    );
    return items.flatMap((item) => {
      const workbook = slugs.get(item.dashboardId);
      return workbook === undefined ? [] : [{ ...item, workbook }];
    });
  }),
);

/** Returns the key fields of a notification, without its deployment. Servers return the time zone as it was written. */
export function keyFields(one: WorkbookNotification) {
  const { workbook, cronExpression: schedule, timezone, embedTenantName = "" } = one;
  const zone = timeZoneName(timezone) ?? timezone;
  return { workbook, schedule, timezone: zone, embedTenant: embedTenantName };
}

/** Looks up the IDs of the published dashboard that a spec names. */
export const dashboardIds = {
  operation: listWorkbooks,
  dependsOn: ["deployment", "workbook"],
  read: async (reader: Reader, named: JsonObject) => {
    const one = await workbookNamed(reader, named);
    const dashboardId = one?.publishedDashboard?.id;
    return dashboardId && one ? { deploymentId: one.deploymentId, dashboardId } : undefined;
  },
  missingMessage:
    "the deployment or the workbook does not exist, or it has no published dashboard; declare its `dashboard`",
} satisfies Prerequisite<{ deploymentId: number; dashboardId: number }>;

/** Converts a cron expression to the schedule type that the product shows for it, or to `CUSTOM`. */
export function scheduleOf(cron: string) {
  const custom = { scheduleType: "CUSTOM" as const, customCron: cron };
  // The API returns leading zeros and lists in another notation, so these stay custom.
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
