// Checks that the server sends notifications by mail: a server without a mail server skips every delivery.
import { getDeployments } from "../../api/deployments.ts";
import { listDeliveries, listNotifications } from "../../api/notifications.ts";
import type { ReadOnlyClient } from "../../client/types.ts";
import { isFailure } from "../../core/errors.ts";
import type { Finding } from "./finding.ts";

/** How many deployments it reads, and how many notifications of each. */
const most = { deployments: 10, notifications: 5 };
const check = "mail";

/** Returns a finding about the newest deliveries; none without deliveries, or without the permission to read them. */
export async function checkMail(reader: ReadOnlyClient): Promise<readonly Finding[]> {
  try {
    const deliveries = await newestDeliveries(reader);
    const [first] = deliveries.filter(({ status }) => status === "skipped" || status === "failed");
    if (deliveries.length === 0) return [];
    if (first === undefined) {
      return [{ check, status: "ok", message: "the newest notifications were sent" }];
    }
    const { deployment, notification, error = first.status } = first;
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

async function newestDeliveries(reader: ReadOnlyClient) {
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
      const { items: newest } = await reader.page(listDeliveries, { params, query: { first: 1 } });
      for (const { status, error } of newest) {
        found.push({ deployment: name, notification: id, status, error });
      }
    }
  }
  return found;
}
