// Recipients between wish and wire: found by the notification that a wish names, a thousand to a call.
import { Type } from "typebox";
import { getDeployments } from "../api/deployments.ts";
import { listNotifications, listRecipients } from "../api/notifications.ts";
import { listWorkbooks } from "../api/workbooks.ts";
import type { JsonObject } from "../core/json.ts";
import type { Prerequisite, Reader, ScopeKey, ObjectWrite } from "../core/kind.ts";
import { limits } from "../core/limits.ts";
import type { AnswerOf } from "../core/operation.ts";
import { field } from "../core/traits.ts";
import { notification } from "./notification.ts";
import { notificationNamed } from "./notification.codec.ts";

/** The fields of a recipient that say what is received. */
export const notificationFields = {
  deployment: field(Type.String({ minLength: 1, maxLength: 255 }), {
    doc: "The deployment of the notification.",
    refersTo: "Deployment",
    onChange: "replace",
  }),
  notification: field(Type.String({ minLength: 1, maxLength: 2048 }), {
    doc: "The notification that is received.",
    refersTo: "Notification",
    within: { deployment: "deployment" },
    onChange: "replace",
  }),
};

/** What observing recipients reads. */
export const recipientReads = [
  getDeployments,
  listWorkbooks,
  listNotifications,
  listRecipients,
] as const;

/** How recipients share calls. */
export const batchByNotification = {
  groupBy: ["deployment", "notification"],
  max: limits.recipients,
};

/** A notification's place on the wire. */
export interface NotificationIds {
  readonly deploymentId: number;
  readonly id: number;
}

/** Where the notification of a wish lies. */
export const notificationIds = {
  operation: listNotifications,
  dependsOn: batchByNotification.groupBy,
  read: async (reader: Reader, { deployment, notification: name }: JsonObject) => {
    if (typeof deployment !== "string" || typeof name !== "string") return undefined;
    const found = await notificationNamed(reader, notification, { deployment, name });
    return found && { deploymentId: found.deploymentId, id: found.id };
  },
  missingMessage: "there is no such notification",
} satisfies Prerequisite<NotificationIds>;

/** A recipient with where it was seen. */
export interface ObservedRecipient {
  readonly recipient: AnswerOf<typeof listRecipients>;
  readonly status: { readonly deploymentId: number; readonly notificationId: number };
}

/** The recipients of a notification; none where there is no such notification. */
export async function recipientsIn(
  reader: Reader,
  scope: ScopeKey,
): Promise<readonly ObservedRecipient[]> {
  const place = await notificationIds.read(reader, scope);
  if (place === undefined) return [];
  const status = { deploymentId: place.deploymentId, notificationId: place.id };
  const items = await reader.all(listRecipients, { params: place });
  return items.map((recipient) => ({ recipient, status }));
}

/** Unique among the recipients of all notifications, as a user receives several. */
export function recipientId(notificationId: number, userId: number): string {
  return `${notificationId}/${userId}`;
}

/** The input that removes recipients of one notification, each by the user in its status. */
export function removeRecipientsInput(
  subjects: readonly ObjectWrite<unknown>[],
  type: "USER" | "EMBED_USER",
) {
  const { deploymentId, notificationId } = subjects[0]?.live?.status ?? {};
  const recipients = subjects.map(({ live }) => ({ type, id: Number(live?.status["userId"]) }));
  return {
    params: { deploymentId: Number(deploymentId), id: Number(notificationId) },
    body: { recipients },
  };
}
