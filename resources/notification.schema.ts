// Spec and status schemas of Notification.
import { Type, type Static } from "typebox";
import {
  MemberSwitcher,
  NotificationFilter,
  NotificationFormat,
  TimeGrain,
} from "../api/notifications.ts";
import { Id } from "../api/schemas.ts";
import { WorkbookSlug } from "../api/workbooks.ts";
import { limits } from "../core/limits/limits.ts";
import { field } from "../core/schema/traits.ts";
import { deploymentField } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";
import {
  cronPattern,
  optionalEmbedTenantNamePattern,
  timeZonePattern,
} from "../core/text/text-patterns.ts";

const listMax = { maxItems: limits.notificationFilters };

/** Five fields separated by single spaces, names in uppercase: the notation that the API returns. */
const Cron = Type.String({ maxLength: 255, pattern: cronPattern, format: "cron" });

/** An IANA time zone. The API does not accept plain offsets. */
const Zone = { minLength: 1, maxLength: 64, pattern: timeZonePattern, format: "time-zone" };

/** The spec schema. */
export const spec = Type.Object({
  deployment: deploymentField,
  workbook: field(WorkbookSlug, {
    doc: "Workbook whose published dashboard is delivered.",
    refersTo: "Workbook",
    cascadeDelete: true,
    within: { deployment: "deployment" },
    onChange: "replace",
  }),
  embedTenant: Type.Optional(
    field(Type.String({ default: "", maxLength: 36, pattern: optionalEmbedTenantNamePattern }), {
      doc: "Embed tenant whose users are the only recipients. Without it, or if it is empty, the recipients may be any. A change deletes the subscriptions of recipients who are not its users.",
      refersTo: "EmbedTenant",
      cascadeDelete: true,
      whenOmitted: "default",
    }),
  ),
  schedule: field(Cron, {
    doc: "Schedule as a cron expression: minute (0-59), hour (0-23), day of the month (1-31), month (1-12 or JAN-DEC), day of the week (0-7 or SUN-SAT, 0 and 7 are Sunday), such as `0 9 * * 1`.",
  }),
  timezone: Type.Optional(
    field(Type.String({ ...Zone, default: "UTC" }), {
      doc: "IANA time zone of the schedule.",
      whenOmitted: "default",
    }),
  ),
  isEnabled: Type.Optional(
    field(Type.Boolean(), { doc: "Whether the schedule is active.", neverCleared: true }),
  ),
  notificationEnabled: Type.Optional(
    field(Type.Boolean(), {
      doc: "Whether each run is delivered to the recipients.",
      neverCleared: true,
    }),
  ),
  notificationFormat: Type.Optional(
    field(NotificationFormat, { doc: "File format of the delivery.", neverCleared: true }),
  ),
  notificationAiSummary: Type.Optional(
    field(Type.Boolean(), {
      doc: "Whether the mail starts with a generated summary of the numbers. The service that is included computes it, without a language model.",
      neverCleared: true,
    }),
  ),
  filters: Type.Optional(
    field(Type.Array(field(NotificationFilter, { doc: "A dashboard filter." }), listMax), {
      doc: "Filters applied to the dashboard when it is rendered.",
    }),
  ),
  timeGrains: Type.Optional(
    field(Type.Array(field(TimeGrain, { doc: "A time grain." }), listMax), {
      doc: "Granularities of time dimensions when the dashboard is rendered; without `member`, of all.",
    }),
  ),
  memberSwitchers: Type.Optional(
    field(Type.Array(field(MemberSwitcher, { doc: "A member switcher." }), listMax), {
      doc: "Members that replace others when the dashboard is rendered.",
    }),
  ),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** The status schema. */
export const status = statusSchema({
  id: Id,
  deploymentId: Id,
  dashboardId: Id,
  humanReadableSchedule: Type.String(),
});
