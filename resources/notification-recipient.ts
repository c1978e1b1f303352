// NotificationRecipient: one of the account's own users who receives a notification.
import { Type, type Static } from "typebox";
import { addRecipients, removeRecipients } from "../api/notifications.ts";
import { Id } from "../api/schemas.ts";
import { defineKind, defineObserve } from "../core/kind.ts";
import { field } from "../core/traits.ts";
import { lowercase } from "./codec.ts";
import {
  recipientReads,
  batchByNotification,
  notificationFields,
  notificationIds,
  recipientId,
  recipientsIn,
  removeRecipientsInput,
} from "./notification-recipient.codec.ts";
import { statusSchema } from "./status-schema.ts";

const spec = Type.Object({
  ...notificationFields,
  user: field(Type.String({ maxLength: 254, format: "email", pattern: `^${lowercase}+$` }), {
    doc: "Email of the user, in lower case. The user has to exist.",
    onChange: "replace",
  }),
});

/** There or not; a thousand to a call. */
export const notificationRecipient = defineKind(
  {
    name: "NotificationRecipient",
    plural: "notification-recipients",
    doc: "One of the account's own users who receives a notification. For external users there is `NotificationEmbedRecipient`.",
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
    examples: [
      {
        title: "The administrator receives it",
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
  (way) => ({
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
      way.batched(
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
      way.batched(removeRecipients, batchByNotification, (subjects) =>
        removeRecipientsInput(subjects, "USER"),
      ),
    ],
  }),
);
