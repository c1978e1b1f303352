// What can be wished of a Notification, and what the service reports of it.
import { Type, type Static } from "typebox";
import { NotificationFilter, NotificationFormat } from "../api/notifications.ts";
import { Id } from "../api/schemas.ts";
import { WorkbookSlug } from "../api/workbooks.ts";
import { limits } from "../core/limits.ts";
import { field } from "../core/traits.ts";
import { deploymentField } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

const Values = Type.Record(Type.String(), Type.Unknown());
const listMax = { maxItems: limits.notificationFilters };

/** Five fields, one space between them, names in capitals: the one spelling that the API answers with. */
const Cron = Type.String({
  maxLength: 255,
  pattern: "^[0-9*,/-]+ [0-9*,/-]+ [0-9*,/-]+ [0-9A-Z*,/-]+ [0-9A-Z*,/-]+$",
});

/** The API takes no bare offsets. */
const Zone = { minLength: 1, maxLength: 64, pattern: "^[A-Za-z]", format: "time-zone" };

/** The wish. */
export const spec = Type.Object({
  deployment: deploymentField,
  workbook: field(WorkbookSlug, {
    doc: "The workbook whose published dashboard is delivered.",
    refersTo: "Workbook",
    cascadeDelete: true,
    within: { deployment: "deployment" },
    onChange: "replace",
  }),
  schedule: field(Cron, {
    doc: "When it is sent, as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday).",
  }),
  timezone: Type.Optional(
    field(Type.String({ ...Zone, default: "UTC" }), {
      doc: "Time zone of the schedule, as the IANA database calls it.",
      whenOmitted: "default",
    }),
  ),
  isEnabled: Type.Optional(field(Type.Boolean(), { doc: "It runs at all.", neverCleared: true })),
  notificationEnabled: Type.Optional(
    field(Type.Boolean(), { doc: "Its runs are delivered to recipients.", neverCleared: true }),
  ),
  notificationFormat: Type.Optional(
    field(NotificationFormat, { doc: "What is delivered.", neverCleared: true }),
  ),
  notificationAiSummary: Type.Optional(
    field(Type.Boolean(), { doc: "A written summary comes with it.", neverCleared: true }),
  ),
  filters: Type.Optional(
    field(Type.Array(field(NotificationFilter, { doc: "A filter of a dashboard." }), listMax), {
      doc: "Filters of the dashboard while it is rendered.",
    }),
  ),
  timeGrains: Type.Optional(
    field(Type.Array(Values, listMax), { doc: "Time grains, as the product exports them." }),
  ),
  memberSwitchers: Type.Optional(
    field(Type.Array(Values, listMax), { doc: "Member switchers, as the product exports them." }),
  ),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** What the service reports. */
export const status = statusSchema({
  id: Id,
  deploymentId: Id,
  dashboardId: Id,
  humanReadableSchedule: Type.String(),
});
