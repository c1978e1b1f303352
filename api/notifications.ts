// Area notifications: scheduled deliveries of published dashboards, and who receives them.
import { Type } from "typebox";
import { limits } from "../core/limits.ts";
import { defineOperation } from "../core/operation.ts";
import { field, oneOf, undemanded } from "../core/traits.ts";
import {
  AttributeValue,
  closed,
  deploymentAdmins,
  EmbedTenantName,
  ExternalId,
  GroupNames,
  Id,
  maybe,
  SoughtName,
} from "./schemas.ts";

const base = "/api/v1/deployments/{deploymentId}/notifications";
const one = `${base}/{id}` as const;
const common = {
  area: "notifications",
  ...deploymentAdmins,
} as const;
const byDeployment = closed({ deploymentId: Id });
const byId = closed({ deploymentId: Id, id: Id });

/** How often a notification is sent. */
export const ScheduleType = oneOf(["HOURLY", "DAILY", "WEEKLY", "MONTHLY", "CUSTOM"]);

const Email = Type.String({ maxLength: 254, format: "email" });
const PublicId = Type.String({ minLength: 1, maxLength: 255 });
const FreeForm = Type.Record(Type.String(), Type.Unknown());

/** A filter of the dashboard while it is rendered. */
export const NotificationFilter = closed({
  member: Type.String({ maxLength: 255, pattern: "^[^.\\s]+\\.[^.\\s]+$" }),
  operator: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  value: Type.Optional(Type.Unknown({ description: "What the member is compared with." })),
  caseSensitive: Type.Optional(Type.Boolean()),
  startInclusive: Type.Optional(Type.Boolean()),
  endInclusive: Type.Optional(Type.Boolean()),
});

/** What a delivery looks like. */
export const NotificationFormat = oneOf(["png", "pdf"]);

const settings = {
  minute: maybe(Type.Integer({ minimum: 0, maximum: 59 })),
  hour: maybe(Type.Integer({ minimum: 0, maximum: 23 })),
  dayOfWeek: maybe(Type.Integer({ minimum: 0, maximum: 6 })),
  dayOfMonth: maybe(Type.Integer({ minimum: 1, maximum: 31 })),
  customCron: maybe(Type.String({ minLength: 1, maxLength: 255 })),
  timezone: maybe(Type.String({ minLength: 1, maxLength: 64 })),
  notificationEnabled: maybe(Type.Boolean()),
  notificationFormat: maybe(NotificationFormat),
  notificationAiSummary: maybe(Type.Boolean()),
  filters: maybe(Type.Array(NotificationFilter, { maxItems: limits.notificationFilters })),
  timeGrains: maybe(Type.Array(FreeForm, { maxItems: limits.notificationFilters })),
  memberSwitchers: maybe(Type.Array(FreeForm, { maxItems: limits.notificationFilters })),
};

/** A notification as the API shows it. */
export const Notification = closed({
  id: Id,
  dashboardId: Id,
  deploymentId: Id,
  cronExpression: Type.String(),
  timezone: Type.String(),
  isEnabled: undemanded(Type.Boolean()),
  humanReadableSchedule: undemanded(Type.String()),
  notificationEnabled: undemanded(Type.Boolean()),
  notificationFormat: undemanded(NotificationFormat),
  notificationAiSummary: undemanded(Type.Boolean()),
  filters: Type.Optional(Type.Array(NotificationFilter)),
  timeGrains: Type.Optional(Type.Array(FreeForm)),
  memberSwitchers: Type.Optional(Type.Array(FreeForm)),
});

/** List notifications. */
export const listNotifications = defineOperation({
  ...common,
  id: "listNotifications",
  method: "GET",
  path: base,
  summary: "List notifications",
  description:
    "Newest first; of one dashboard, by either id, and of one recipient, where these are given.",
  source: "public",
  effect: "read",
  params: byDeployment,
  query: closed({
    dashboardId: Type.Optional(Id),
    dashboardPublicId: Type.Optional(PublicId),
    recipientUserId: Type.Optional(Id),
    recipientEmail: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
    recipientEmbedTenantName: Type.Optional(SoughtName),
    recipientExternalId: Type.Optional(ExternalId),
  }),
  answer: Notification,
  list: "cursor",
  page: { unasked: limits.notificationPage, max: limits.notificationPageMax },
  fails: ["not_found"],
});

/** Create a notification. */
export const createNotification = defineOperation({
  ...common,
  id: "createNotification",
  method: "POST",
  path: base,
  summary: "Create a notification",
  description:
    "For one published dashboard, named by exactly one of its ids; it starts without recipients. Minute and hour are 0 unless given, the time zone is UTC; a member that the schedule type has no use for is refused.",
  source: "public",
  effect: "write",
  params: byDeployment,
  body: closed({
    scheduleType: ScheduleType,
    dashboardId: maybe(Id),
    dashboardPublicId: maybe(PublicId),
    ...settings,
  }),
  answer: Notification,
  fails: ["not_found"],
});

/** Get a notification. */
export const getNotification = defineOperation({
  ...common,
  id: "getNotification",
  method: "GET",
  path: one,
  summary: "Get a notification",
  description: "One notification.",
  source: "public",
  effect: "read",
  params: byId,
  answer: Notification,
  fails: ["not_found"],
});

/** Update a notification. */
export const updateNotification = defineOperation({
  ...common,
  id: "updateNotification",
  method: "PUT",
  path: one,
  summary: "Update a notification",
  description:
    "Omitted members are kept. A `scheduleType` makes a new schedule; without it, members of the one there is change.",
  source: "public",
  effect: "write",
  params: byId,
  body: closed({
    scheduleType: maybe(ScheduleType),
    isEnabled: maybe(Type.Boolean()),
    ...settings,
  }),
  answer: Notification,
  fails: ["not_found"],
});

/** Delete a notification. */
export const deleteNotification = defineOperation({
  ...common,
  id: "deleteNotification",
  method: "DELETE",
  path: one,
  summary: "Delete a notification",
  description: "Its subscriptions go with it; the recipients themselves stay.",
  source: "public",
  effect: "write",
  params: byId,
  fails: ["not_found"],
});

const RecipientType = field(oneOf(["USER", "EMBED_USER", "SLACK"]), {
  doc: "Kind of recipient; `SLACK` is not supported.",
});

/** Whom to subscribe; the rules between the members are the behaviour's. */
export const NotificationRecipientInput = closed({
  type: RecipientType,
  userId: maybe(Id),
  email: maybe(Email),
  embedTenantName: maybe(EmbedTenantName),
  externalId: maybe(ExternalId),
  groups: maybe(GroupNames),
  securityContext: maybe(FreeForm),
  userAttributes: maybe(
    Type.Array(closed({ name: SoughtName, value: Type.Optional(AttributeValue) }), {
      maxItems: limits.definitions,
    }),
  ),
  channelId: maybe(Type.String({ minLength: 1, maxLength: 255 })),
  channelName: maybe(Type.String({ minLength: 1, maxLength: 255 })),
});

/** A recipient as the API shows it. */
export const NotificationRecipient = closed({
  type: RecipientType,
  userId: maybe(Id),
  username: maybe(Type.String()),
  email: maybe(Type.String()),
  embedUserId: maybe(Id),
  embedTenantName: maybe(Type.String()),
  externalId: maybe(Type.String()),
  channelId: maybe(Type.String()),
  channelName: maybe(Type.String()),
});

/** List a notification's recipients. */
export const listRecipients = defineOperation({
  ...common,
  id: "listRecipients",
  method: "GET",
  path: `${one}/recipients`,
  summary: "List a notification's recipients",
  description: "The notification's recipients, newest first.",
  source: "public",
  effect: "read",
  params: byId,
  answer: NotificationRecipient,
  list: "cursor",
  fails: ["not_found"],
});

/** Subscribe recipients to a notification. */
export const addRecipients = defineOperation({
  ...common,
  id: "addRecipients",
  method: "POST",
  path: `${one}/recipients`,
  summary: "Subscribe recipients to a notification",
  description:
    "Every recipient has to resolve to an email address, else nothing is written. Embed users and their tenants are made where they are missing. What is said of a recipient who is there already replaces what was; what is left out is kept.",
  source: "specification",
  effect: "write",
  repeatable: true,
  params: byId,
  body: closed({
    recipients: Type.Array(NotificationRecipientInput, {
      minItems: 1,
      maxItems: limits.recipients,
    }),
  }),
  answer: closed({
    createdRecipients: Type.Array(NotificationRecipient),
    updatedRecipients: Type.Array(NotificationRecipient),
    unchangedRecipients: Type.Array(NotificationRecipient),
  }),
  fails: ["not_found", "limit_reached"],
});

/** Unsubscribe recipients from a notification. */
export const removeRecipients = defineOperation({
  ...common,
  id: "removeRecipients",
  method: "DELETE",
  path: `${one}/recipients`,
  summary: "Unsubscribe recipients from a notification",
  description:
    "`id` is the user's, the embed user's or the channel's. Who is no recipient is passed over.",
  source: "public",
  effect: "write",
  params: byId,
  body: closed({
    recipients: Type.Array(
      closed({
        type: RecipientType,
        id: Type.Union([Id, Type.String({ minLength: 1, maxLength: 255 })], {
          description: "Id of the user, the embed user or the channel.",
        }),
        embedTenantName: maybe(SoughtName),
      }),
      { minItems: 1, maxItems: limits.recipients },
    ),
  }),
  fails: ["not_found"],
});
