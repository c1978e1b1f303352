// NotificationRecipient: a user of the account who receives a notification.
import { Type, type Static } from "typebox";
import { addRecipients, removeRecipients } from "../api/notifications.ts";
import { Id } from "../api/schemas.ts";
import { defineKind, defineObserve } from "../core/kind/kind.ts";
import { field } from "../core/schema/traits.ts";
import {
  recipientReads,
  batchByNotification,
  notificationFields,
  notificationIds,
  recipientId,
  recipientsIn,
  removeRecipientsInput,
} from "./notification-recipient.codec.ts";
import { userCheck } from "./recipient-user-check.ts";
import { statusSchema } from "./status-schema.ts";
import { unicodeLowercasePattern } from "../core/text/text-patterns.ts";

const spec = Type.Object({
  ...notificationFields,
  user: field(Type.String({ maxLength: 254, format: "email", pattern: unicodeLowercasePattern }), {
    doc: "Email of the user, in lowercase. The user must exist.",
    onChange: "replace",
  }),
});

/** The NotificationRecipient resource type. One call subscribes up to 1,000 recipients. */
export const notificationRecipient = defineKind(
  {
    name: "NotificationRecipient",
    plural: "notification-recipients",
    doc: "A user of the account, named by email, who receives a notification. For external users, use `NotificationEmbedRecipient`.",
    shape: "link",
    key: ["deployment", "notification", "user"],
    scope: ["deployment", "notification"],
    spec,
    status: statusSchema({
      deploymentId: Id,
      notificationId: Id,
      userId: Id,
      username: Type.String(),
    }),
    check: userCheck,
    examples: [
      {
        title: "The administrator receives a weekly report",
        name: "weekly-sales-admin",
        spec: {
          deployment: "production",
          notification: "weekly-sales",
          user: "admin@svc.localhost",
        },
        variations: { user: "analyst@svc.localhost" },
      },
    ],
  },
  (bind) => ({
    observe: defineObserve<Static<typeof spec>>({
      cost: "perParent",
      needs: recipientReads,
      read: async (reader, scope) => {
        const { deployment = "", notification = "" } = scope;
        return (await recipientsIn(reader, scope)).flatMap(({ recipient, status }) => {
          const { type, userId, email, username } = recipient;
          if (type !== "USER" || userId == null || email == null) return [];
          return [
            {
              id: recipientId(status.notificationId, userId),
              spec: { deployment, notification, user: email.toLowerCase() },
              status: { ...status, userId, username: username ?? email },
            },
          ];
        });
      },
    }),
    create: [
      bind.batched(
        addRecipients,
        { ...batchByNotification, prerequisite: notificationIds },
        (subjects, place) => ({
          params: { ...place },
          body: {
            recipients: subjects.map(({ spec: { user } }) => ({
              type: "USER" as const,
              email: user,
            })),
          },
        }),
      ),
    ],
    update: [],
    delete: [
      bind.batched(removeRecipients, batchByNotification, (subjects) =>
        removeRecipientsInput(subjects, "USER"),
      ),
    ],
  }),
);
