// Area notifications: scheduled deliveries of published dashboards, and who receives them.
import { Type } from "typebox";
import { limits } from "../core/limits.ts";
import { defineOperation } from "../core/operation.ts";
import { field, oneOf, optionalForClient } from "../core/traits.ts";
import {
  AttributeValue,
  strictObject,
  deploymentAdmins,
  EmbedTenantName,
  ExternalId,
  GroupNames,
  Id,
  nullish,
  LookupName,
} from "./schemas.ts";

const base = "/api/v1/deployments/{deploymentId}/notifications";
const one = `${base}/{id}` as const;
const common = {
  area: "notifications",
  ...deploymentAdmins,
} as const;
const byDeployment = strictObject({ deploymentId: Id });
const byId = strictObject({ deploymentId: Id, id: Id });

/** How often a notification is sent. */
export const ScheduleType = oneOf(["HOURLY", "DAILY", "WEEKLY", "MONTHLY", "CUSTOM"]);

const Email = Type.String({ maxLength: 254, format: "email" });
const PublicId = Type.String({ minLength: 1, maxLength: 255 });
const FreeForm = Type.Record(Type.String(), Type.Unknown());

/** A filter of the dashboard while it is rendered. */
export const NotificationFilter = strictObject({
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
  minute: nullish(Type.Integer({ minimum: 0, maximum: 59 })),
  hour: nullish(Type.Integer({ minimum: 0, maximum: 23 })),
  dayOfWeek: nullish(Type.Integer({ minimum: 0, maximum: 6 })),
  dayOfMonth: nullish(Type.Integer({ minimum: 1, maximum: 31 })),
  customCron: nullish(Type.String({ minLength: 1, maxLength: 255 })),
  timezone: nullish(Type.String({ minLength: 1, maxLength: 64 })),
  notificationEnabled: nullish(Type.Boolean()),
  notificationFormat: nullish(NotificationFormat),
  notificationAiSummary: nullish(Type.Boolean()),
  filters: nullish(Type.Array(NotificationFilter, { maxItems: limits.notificationFilters })),
  timeGrains: nullish(Type.Array(FreeForm, { maxItems: limits.notificationFilters })),
  memberSwitchers: nullish(Type.Array(FreeForm, { maxItems: limits.notificationFilters })),
};

/** A notification as the API shows it. */
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
  query: strictObject({
    dashboardId: Type.Optional(Id),
    dashboardPublicId: Type.Optional(PublicId),
    recipientUserId: Type.Optional(Id),
    recipientEmail: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
    recipientEmbedTenantName: Type.Optional(LookupName),
    recipientExternalId: Type.Optional(ExternalId),
  }),
  answer: Notification,
  list: "cursor",
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
    "For one published dashboard, named by exactly one of its ids; it starts without recipients. Minute and hour are 0 unless given, the time zone is UTC; a member that the schedule type has no use for is refused.",
  source: "public",
  effect: "write",
  params: byDeployment,
  body: strictObject({
    scheduleType: ScheduleType,
    dashboardId: nullish(Id),
    dashboardPublicId: nullish(PublicId),
    ...settings,
  }),
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
  description: "One notification.",
  source: "public",
  effect: "read",
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
    "Omitted members are kept. A `scheduleType` makes a new schedule; without it, members of the one there is change.",
  source: "public",
  effect: "write",
  params: byId,
  body: strictObject({
    scheduleType: nullish(ScheduleType),
    isEnabled: nullish(Type.Boolean()),
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
  description: "Its subscriptions go with it; the recipients themselves stay.",
  source: "public",
  effect: "write",
  params: byId,
  errorCodes: ["not_found"],
});

const RecipientType = field(oneOf(["USER", "EMBED_USER", "SLACK"]), {
  doc: "Kind of recipient; `SLACK` is not supported.",
});

/** Whom to subscribe; the rules between the members are the behaviour's. */
export const NotificationRecipientInput = strictObject({
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
});

/** A recipient as the API shows it. */
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
    "Every recipient has to resolve to an email address, else nothing is written. Embed users and their tenants are made where they are missing. What is said of a recipient who is there already replaces what was; what is left out is kept.",
  source: "specification",
  effect: "write",
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
    "`id` is the user's, the embed user's or the channel's. Who is no recipient is passed over.",
  source: "public",
  effect: "write",
  params: byId,
  body: strictObject({
    recipients: Type.Array(
      strictObject({
        type: RecipientType,
        id: Type.Union([Id, Type.String({ minLength: 1, maxLength: 255 })], {
          description: "Id of the user, the embed user or the channel.",
        }),
        embedTenantName: nullish(LookupName),
      }),
      { minItems: 1, maxItems: limits.recipients },
    ),
  }),
  errorCodes: ["not_found"],
});
