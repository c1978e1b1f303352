// Conversions that both kinds of notification recipients share. A call contains up to 1,000 recipients of one notification.
import { Type } from "typebox";
import { getDeployments } from "../api/deployments.ts";
import { listNotifications, listRecipients } from "../api/notifications.ts";
import { listWorkbooks } from "../api/workbooks.ts";
import { nameOf } from "../core/kind/identity.ts";
import type { JsonObject } from "../core/json.ts";
import type { Prerequisite, Reader, ScopeKey, ObjectWrite } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { field } from "../core/schema/traits.ts";
import { severalNamed } from "./codec.ts";
import { notification } from "./notification.ts";
import { keyFields, notificationsOf, type WorkbookNotification } from "./notification.codec.ts";

/** The fields that identify the notification of a recipient. */
export const notificationFields = {
  deployment: field(Type.String({ minLength: 1, maxLength: 255 }), {
    doc: "Deployment of the notification.",
    refersTo: "Deployment",
    onChange: "replace",
  }),
  notification: field(Type.String({ minLength: 1, maxLength: 2048 }), {
    doc: "Notification to receive. As `external`, its `workbook/schedule/timezone`, and `/embedTenant` if it has one, with `%2F` for a slash and `%20` for a space in a part: `sales/0%209%20*%20*%201/Europe%2FBerlin`.",
    refersTo: "Notification",
    within: { deployment: "deployment" },
    onChange: "replace",
  }),
};

/** Operations that observing recipients calls. */
export const recipientReads = [
  getDeployments,
  listWorkbooks,
  listNotifications,
  listRecipients,
] as const;

/** Batches recipients by notification. */
export const batchByNotification = {
  groupBy: ["deployment", "notification"],
  max: limits.recipients,
};

/** IDs of a notification in request paths. */
export interface NotificationIds {
  readonly deploymentId: number;
  readonly id: number;
}

/** Looks up the IDs of the notification that a spec names. */
export const notificationIds = {
  operation: listNotifications,
  dependsOn: batchByNotification.groupBy,
  read: async (reader: Reader, { deployment, notification: name }: JsonObject) => {
    if (typeof deployment !== "string" || typeof name !== "string") return undefined;
    const found = await notificationNamed(reader, deployment, name);
    return found && { deploymentId: found.deploymentId, id: found.id };
  },
  missingMessage: "there is no such notification",
} satisfies Prerequisite<NotificationIds>;

const byName = memoizePerObject((all: readonly WorkbookNotification[]) =>
  Map.groupBy(all, (one) => nameOf(notification, keyFields(one))),
);

/**
 * Finds a notification by name; undefined if none has the name. Fails with `conflict`, listing the IDs, if several
 * notifications have the name.
 */
async function notificationNamed(
  reader: Reader,
  deployment: string,
  name: string,
): Promise<WorkbookNotification | undefined> {
  const found = byName(await notificationsOf(reader, deployment)).get(name) ?? [];
  if (found.length > 1) throw severalNamed("notifications", name, found);
  return found[0];
}

/** A recipient with the IDs of its notification. */
export interface ObservedRecipient {
  readonly recipient: AnswerOf<typeof listRecipients>;
  readonly status: { readonly deploymentId: number; readonly notificationId: number };
}

/** Reads the recipients of a notification; an empty list if the notification does not exist. */
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

/** Returns an ID that is unique across notifications, because a user can receive several. */
export function recipientId(notificationId: number, userId: number): string {
  return `${notificationId}/${userId}`;
}

/** Returns the request that removes recipients of one notification, by the user IDs in their status. */
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
