// Operations on notifications (scheduled deliveries of published dashboards) and their recipients.
import { type Static, Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { exactlyOne, notBoth, requires } from "../core/schema/member-rules.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { documentedRule, field, oneOf, optionalForClient } from "../core/schema/traits.ts";
import {
  AttributeValue,
  strictObject,
  deploymentScope,
  EmbedTenantName,
  ExternalId,
  GroupNames,
  Id,
  nullish,
  LookupName,
  Timestamp,
  TimeZone,
} from "./schemas.ts";
import { memberPattern } from "../core/text/text-patterns.ts";

const base = "/api/v1/deployments/{deploymentId}/notifications";
const one = `${base}/{id}` as const;
const common = { area: "notifications" } as const;
const byDeployment = strictObject({ deploymentId: Id });
const byId = strictObject({ deploymentId: Id, id: Id });

/** Type of a notification's schedule. */
export const ScheduleType = oneOf(["HOURLY", "DAILY", "WEEKLY", "MONTHLY", "CUSTOM"]);

const none = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { type: "null" }]));
const some = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { not: { type: "null" } }]));

/** The members of a schedule. */
export const scheduleMembers = ["minute", "hour", "dayOfWeek", "dayOfMonth", "customCron"] as const;

/** The name of a member of a schedule. */
export type ScheduleMember = (typeof scheduleMembers)[number];

/** The members that a schedule of each type uses. */
export const scheduleMembersByType: Readonly<
  Record<Static<typeof ScheduleType>, readonly ScheduleMember[]>
> = {
  HOURLY: ["minute"],
  DAILY: ["minute", "hour"],
  WEEKLY: ["minute", "hour", "dayOfWeek"],
  MONTHLY: ["minute", "hour", "dayOfMonth"],
  CUSTOM: ["customCron"],
};

/** The members of a schedule without a default. */
export const requiredScheduleMembers: readonly ScheduleMember[] = [
  "dayOfWeek",
  "dayOfMonth",
  "customCron",
];

const scheduleRule = {
  anyOf: Object.entries(scheduleMembersByType).map(([type, used]) => {
    const required = used.filter((name) => requiredScheduleMembers.includes(name));
    return {
      required,
      properties: {
        scheduleType: { const: type },
        ...some(...required),
        ...none(...scheduleMembers.filter((name) => !used.includes(name))),
      },
    };
  }),
};

const Email = Type.String({ maxLength: 254, format: "email" });
const PublicId = Type.String({ minLength: 1, maxLength: 255 });
const FreeForm = Type.Record(Type.String(), Type.Unknown());

/** A filter applied to the dashboard when it is rendered. */
export const NotificationFilter = strictObject({
  member: Type.String({ maxLength: 255, pattern: memberPattern }),
  operator: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  value: Type.Optional(Type.Unknown({ description: "Value that the member is compared with." })),
  caseSensitive: Type.Optional(Type.Boolean()),
  startInclusive: Type.Optional(Type.Boolean()),
  endInclusive: Type.Optional(Type.Boolean()),
});

const Member = Type.String({ maxLength: 255, pattern: memberPattern });

/** A granularity of time dimensions when the dashboard is rendered. */
export const TimeGrain = strictObject({
  member: Type.Optional(Member),
  grain: Type.String({
    minLength: 1,
    maxLength: 255,
    description: "Granularity, such as `week`, or a name that the data model defines.",
  }),
});

/** A member that replaces another one when the dashboard is rendered. */
export const MemberSwitcher = strictObject({
  from: field(Member, { doc: "Member of the charts." }),
  to: field(Member, { doc: "Member in its place." }),
});

/** File format of a delivery. */
export const NotificationFormat = oneOf(["png", "pdf"]);

const settings = {
  minute: nullish(Type.Integer({ minimum: 0, maximum: 59 })),
  hour: nullish(Type.Integer({ minimum: 0, maximum: 23 })),
  dayOfWeek: nullish(Type.Integer({ minimum: 0, maximum: 6 })),
  dayOfMonth: nullish(Type.Integer({ minimum: 1, maximum: 31 })),
  customCron: nullish(Type.String({ minLength: 1, maxLength: 255 })),
  timezone: nullish(TimeZone),
  notificationEnabled: nullish(Type.Boolean()),
  notificationFormat: nullish(NotificationFormat),
  notificationAiSummary: nullish(Type.Boolean()),
  filters: nullish(Type.Array(NotificationFilter, { maxItems: limits.notificationFilters })),
  timeGrains: nullish(Type.Array(TimeGrain, { maxItems: limits.notificationFilters })),
  memberSwitchers: nullish(Type.Array(MemberSwitcher, { maxItems: limits.notificationFilters })),
};

/** A notification in responses. */
export const Notification = strictObject({
  id: Id,
  dashboardId: Id,
  deploymentId: Id,
  cronExpression: Type.String(),
  timezone: Type.String(),
  isEnabled: optionalForClient(Type.Boolean()),
  humanReadableSchedule: optionalForClient(Type.String()),
  notificationEnabled: optionalForClient(Type.Boolean()),
  notificationFormat: optionalForClient(NotificationFormat),
  notificationAiSummary: optionalForClient(Type.Boolean()),
  embedTenantName: Type.Optional(
    Type.String({ description: "Embed tenant that all recipients are users of." }),
  ),
  filters: Type.Optional(Type.Array(NotificationFilter)),
  timeGrains: Type.Optional(Type.Array(TimeGrain)),
  memberSwitchers: Type.Optional(Type.Array(MemberSwitcher)),
});

/** List notifications. */
export const listNotifications = defineOperation({
  ...common,
  id: "listNotifications",
  method: "GET",
  path: base,
  summary: "List notifications",
  description:
    "Returns notifications, newest first. The query can select a dashboard, by `dashboardId` or `dashboardPublicId`, and a recipient.",
  source: "public",
  effect: "read",
  permission: { action: "NotificationsRead", scope: deploymentScope },
  params: byDeployment,
  query: strictObject(
    {
      dashboardId: Type.Optional(Id),
      dashboardPublicId: Type.Optional(PublicId),
      recipientUserId: Type.Optional(Id),
      recipientEmail: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
      recipientEmbedTenantName: Type.Optional(LookupName),
      recipientExternalId: Type.Optional(ExternalId),
    },
    {
      rules: [
        notBoth("dashboardId", "dashboardPublicId"),
        requires("recipientEmbedTenantName", "recipientExternalId"),
        requires("recipientExternalId", "recipientEmbedTenantName"),
        notBoth("recipientUserId", "recipientEmail"),
        notBoth("recipientUserId", "recipientExternalId"),
        notBoth("recipientEmail", "recipientExternalId"),
      ],
    },
  ),
  answer: Notification,
  list: "cursor",
  selectable: true,
  page: { defaultSize: limits.notificationPage, max: limits.notificationPageMax },
  errorCodes: ["not_found"],
});

/** Create a notification. */
export const createNotification = defineOperation({
  ...common,
  id: "createNotification",
  method: "POST",
  path: base,
  summary: "Create a notification",
  description:
    "Creates a notification without recipients for a published dashboard. The request contains exactly one of `dashboardId` and `dashboardPublicId`. `minute` and `hour` default to 0, `timezone` to UTC. Returns 400 for a schedule member that `scheduleType` does not use.",
  source: "public",
  effect: "write",
  permission: { action: "NotificationsManage", scope: deploymentScope },
  params: byDeployment,
  body: documentedRule(
    strictObject(
      {
        scheduleType: ScheduleType,
        dashboardId: nullish(Id),
        dashboardPublicId: nullish(PublicId),
        embedTenantName: nullish(
          field(EmbedTenantName, {
            doc: "Embed tenant that all recipients must be users of (a proposed addition). The notification is deleted with it.",
          }),
        ),
        ...settings,
      },
      { rules: [exactlyOne("dashboardId", "dashboardPublicId")] },
    ),
    scheduleRule,
  ),
  answer: Notification,
  errorCodes: ["not_found"],
});

/** Get a notification. */
export const getNotification = defineOperation({
  ...common,
  id: "getNotification",
  method: "GET",
  path: one,
  summary: "Get a notification",
  description: "Returns one notification.",
  source: "public",
  effect: "read",
  permission: { action: "NotificationsRead", scope: deploymentScope },
  params: byId,
  answer: Notification,
  errorCodes: ["not_found"],
});

/** Update a notification. */
export const updateNotification = defineOperation({
  ...common,
  id: "updateNotification",
  method: "PUT",
  path: one,
  summary: "Update a notification",
  description:
    "Omitted members are kept. With `scheduleType`, the schedule is replaced; without it, only the given schedule members change. With `embedTenantName`, the subscriptions of recipients who are not users of that embed tenant are deleted.",
  source: "public",
  effect: "write",
  permission: { action: "NotificationsManage", scope: deploymentScope },
  params: byId,
  body: strictObject({
    scheduleType: nullish(ScheduleType),
    isEnabled: nullish(Type.Boolean()),
    embedTenantName: nullish(
      field(EmbedTenantName, {
        doc: "Embed tenant that all recipients must be users of (a proposed addition); `null` for any recipients.",
      }),
    ),
    ...settings,
  }),
  answer: Notification,
  errorCodes: ["not_found"],
});

/** Delete a notification. */
export const deleteNotification = defineOperation({
  ...common,
  id: "deleteNotification",
  method: "DELETE",
  path: one,
  summary: "Delete a notification",
  description: "Deletes the notification and its subscriptions. The recipients' users are kept.",
  source: "public",
  effect: "write",
  permission: { action: "NotificationsManage", scope: deploymentScope },
  params: byId,
  errorCodes: ["not_found"],
});

const RecipientType = field(oneOf(["USER", "EMBED_USER", "SLACK"]), {
  doc: "Type of recipient. `SLACK` is not supported.",
});

/** A user by ID or by email, or an embed user by tenant and external ID. */
const recipientRule = {
  oneOf: [
    ["userId", "email"],
    ["email", "userId"],
  ]
    .map(([given = "", other = ""]) => ({
      required: [given],
      properties: {
        type: { const: "USER" },
        ...some(given),
        ...none(other, "embedTenantName", "externalId", "groups", "securityContext"),
        ...none("userAttributes", "channelId", "channelName"),
      },
    }))
    .concat({
      required: ["embedTenantName", "externalId"],
      properties: {
        type: { const: "EMBED_USER" },
        ...some("embedTenantName", "externalId"),
        ...none("userId", "channelId", "channelName"),
      },
    }),
};

/** A recipient to subscribe. The service checks the rules between members. */
export const NotificationRecipientInput = documentedRule(
  strictObject({
    type: RecipientType,
    userId: nullish(Id),
    email: nullish(Email),
    embedTenantName: nullish(EmbedTenantName),
    externalId: nullish(ExternalId),
    groups: nullish(GroupNames),
    securityContext: nullish(FreeForm),
    userAttributes: nullish(
      Type.Array(strictObject({ name: LookupName, value: Type.Optional(AttributeValue) }), {
        maxItems: limits.definitions,
      }),
    ),
    channelId: nullish(Type.String({ minLength: 1, maxLength: 255 })),
    channelName: nullish(Type.String({ minLength: 1, maxLength: 255 })),
  }),
  recipientRule,
);

/** A recipient in responses. */
export const NotificationRecipient = strictObject({
  type: RecipientType,
  userId: nullish(Id),
  username: nullish(Type.String()),
  email: nullish(Type.String()),
  embedUserId: nullish(Id),
  embedTenantName: nullish(Type.String()),
  externalId: nullish(Type.String()),
  channelId: nullish(Type.String()),
  channelName: nullish(Type.String()),
  unsubscribedAt: Type.Optional(
    field(Timestamp, {
      doc: "When the recipient unsubscribed with the link in a mail. Nothing is sent to it until it subscribes there again, or is removed and added.",
    }),
  ),
});

/** List a notification's recipients. */
export const listRecipients = defineOperation({
  ...common,
  id: "listRecipients",
  method: "GET",
  path: `${one}/recipients`,
  summary: "List a notification's recipients",
  description: "Returns the notification's recipients, newest first.",
  source: "public",
  effect: "read",
  permission: { action: "NotificationsRead", scope: deploymentScope },
  params: byId,
  answer: NotificationRecipient,
  list: "cursor",
  errorCodes: ["not_found"],
});

/** Subscribe recipients to a notification. */
export const addRecipients = defineOperation({
  ...common,
  id: "addRecipients",
  method: "POST",
  path: `${one}/recipients`,
  summary: "Subscribe recipients to a notification",
  description:
    "Each recipient must resolve to an email address; otherwise the call changes nothing. Missing embed users and embed tenants are created. For an existing recipient, given members replace the stored ones and omitted members are kept.",
  source: "specification",
  effect: "write",
  permission: { action: "NotificationsManage", scope: deploymentScope },
  repeatable: true,
  params: byId,
  body: strictObject({
    recipients: Type.Array(NotificationRecipientInput, {
      minItems: 1,
      maxItems: limits.recipients,
    }),
  }),
  answer: strictObject({
    createdRecipients: Type.Array(NotificationRecipient),
    updatedRecipients: Type.Array(NotificationRecipient),
    unchangedRecipients: Type.Array(NotificationRecipient),
  }),
  errorCodes: ["not_found", "limit_reached"],
});

/** Unsubscribe recipients from a notification. */
export const removeRecipients = defineOperation({
  ...common,
  id: "removeRecipients",
  method: "DELETE",
  path: `${one}/recipients`,
  summary: "Unsubscribe recipients from a notification",
  description:
    "`id` is the ID of the user, embed user or channel. IDs that are not recipients are ignored.",
  source: "public",
  effect: "write",
  permission: { action: "NotificationsManage", scope: deploymentScope },
  params: byId,
  body: strictObject({
    recipients: Type.Array(
      strictObject({
        type: RecipientType,
        id: Type.Union([Id, Type.String({ minLength: 1, maxLength: 255 })], {
          description: "ID of the user, embed user or channel.",
        }),
        embedTenantName: nullish(LookupName),
      }),
      { minItems: 1, maxItems: limits.recipients },
    ),
  }),
  errorCodes: ["not_found"],
});

/** Send a notification now. */
export const sendNotification = defineOperation({
  ...common,
  id: "sendNotification",
  method: "POST",
  path: `${one}/send`,
  summary: "Send a notification now",
  description:
    "Delivers the dashboard to every recipient, whatever the schedule says. `listDeliveries` shows the outcome. Returns 409 while an earlier request is being sent; once only repeated attempts are left of that, this request replaces them, and those that failed, and skips the recipients who have its mail, unless the dashboard, its reports, the data model, the notification or the recipient changed since.",
  source: "proposed",
  effect: "write",
  cost: 100,
  permission: { action: "NotificationsManage", scope: deploymentScope },
  params: byId,
  status: 202,
  answer: strictObject({
    scheduledAt: field(Timestamp, { doc: "Time of the request, which the deliveries have too." }),
    deliveries: field(Type.Integer({ minimum: 0 }), {
      doc: "Number of mails to send; other deliveries are `skipped`.",
    }),
  }),
  errorCodes: ["not_found", "conflict"],
});

/** The delivery of one run of a notification to one recipient. */
export const NotificationDelivery = strictObject({
  id: Id,
  trigger: field(oneOf(["schedule", "manual"]), { doc: "What started the run." }),
  scheduledAt: field(Timestamp, { doc: "Time of the schedule, or of the request." }),
  userId: Id,
  email: Type.String(),
  status: field(oneOf(["pending", "sent", "failed", "skipped"]), { doc: "Outcome so far." }),
  attempts: field(Type.Integer({ minimum: 0 }), { doc: "Attempts so far." }),
  error: Type.Optional(
    Type.String({
      description:
        "Why the last attempt failed, why nothing was sent, or which charts have no numbers in the mail.",
    }),
  ),
  nextAttemptAt: Type.Optional(
    Type.String({ format: "date-time", description: "When it is tried again, in UTC." }),
  ),
  sentAt: Type.Optional(
    Type.String({ format: "date-time", description: "When the mail server took it, in UTC." }),
  ),
});

/** List the deliveries of a notification. */
export const listDeliveries = defineOperation({
  ...common,
  id: "listDeliveries",
  method: "GET",
  path: `${one}/deliveries`,
  summary: "List the deliveries of a notification",
  description: `Returns what was sent to each recipient, newest first. A failed attempt is repeated up to ${limits.deliveryAttempts} times, with growing delays. Deliveries are kept for ${limits.deliveriesKeptMs / 86_400_000} days.`,
  source: "proposed",
  effect: "read",
  permission: { action: "NotificationsRead", scope: deploymentScope },
  params: byId,
  answer: NotificationDelivery,
  list: "cursor",
  errorCodes: ["not_found"],
});
