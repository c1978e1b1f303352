// Checks that the server sends notifications by mail: a server without a mail server skips every delivery.
import { getDeployments } from "../../api/deployments.ts";
import { listDeliveries, listNotifications, listRecipients } from "../../api/notifications.ts";
import type { ReadOnlyClient } from "../../client/types.ts";
import { isFailure } from "../../core/errors.ts";
import type { Finding } from "./finding.ts";

/** How many deployments it reads, how many notifications of each, and how many deliveries of each. */
const most = { deployments: 10, notifications: 5, deliveries: 100 };
const check = "mail";

/** Returns a finding about the newest deliveries; none without deliveries, or without the permission to read them. */
export async function checkMail(reader: ReadOnlyClient): Promise<readonly Finding[]> {
  try {
    const runs = await newestRuns(reader);
    const [unsent] = runs.filter(({ error }) => error !== undefined);
    if (runs.length === 0) return [];
    if (unsent === undefined) {
      return [{ check, status: "ok", message: "the newest notifications were sent" }];
    }
    const { deployment, notification, error } = unsent;
    return [
      {
        check,
        status: "warning",
        message: `notification ${notification} of the deployment ${deployment} was not sent to a recipient: ${error}`,
        remedy: `Run svc notifications deliveries list ${deployment} ${notification} for all recipients.`,
      },
    ];
  } catch (error) {
    // Only administrators read notifications, and other servers may not have deliveries.
    if (isFailure(error)) return [];
    throw error;
  }
}

/** Returns the newest run of each notification, with the error of a recipient that should have got it. */
async function newestRuns(reader: ReadOnlyClient) {
  const { items: deployments } = await reader.page(getDeployments, {
    query: { first: most.deployments },
  });
  const found = [];
  for (const { id: deploymentId, name } of deployments) {
    const { items } = await reader.page(listNotifications, {
      params: { deploymentId },
      query: { first: most.notifications },
    });
    for (const { id } of items) {
      const params = { deploymentId, id };
      const { items: newest } = await reader.page(listDeliveries, {
        params,
        query: { first: most.deliveries },
      });
      const [first] = newest;
      if (first === undefined) continue;
      const run = newest.filter(({ scheduledAt }) => scheduledAt === first.scheduledAt);
      const unsent = run.filter(({ status }) => status === "skipped" || status === "failed");
      const subscribed = unsent.length === 0 ? new Set() : await subscribers(reader, params);
      const missed = unsent.find(({ userId }) => subscribed.has(userId));
      const error = missed && (missed.error ?? missed.status);
      found.push({ deployment: name, notification: id, error });
    }
  }
  return found;
}

/** Returns the users who receive a notification. Those who were removed or unsubscribed get nothing, and should not. */
async function subscribers(
  reader: ReadOnlyClient,
  params: { readonly deploymentId: number; readonly id: number },
): Promise<ReadonlySet<unknown>> {
  const recipients = await reader.all(listRecipients, { params });
  return new Set(
    recipients.flatMap(({ userId, embedUserId, unsubscribedAt }) =>
      unsubscribedAt === undefined ? [userId ?? embedUserId] : [],
    ),
  );
}
