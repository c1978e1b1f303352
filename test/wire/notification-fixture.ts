// Starts a server with a notification and reads its recipients, without importing code of the project.
import type { ApiResponse, ListItem } from "./server-process.ts";
import { startWireFixture, type WireFixture } from "./fixture.ts";

/** The three lists that every answer has. */
export interface RecipientLists {
  readonly createdRecipients: readonly ListItem[];
  readonly updatedRecipients: readonly ListItem[];
  readonly unchangedRecipients: readonly ListItem[];
}

/** A service with one notification. */
export interface NotificationFixture extends WireFixture {
  /** `/api/v1/deployments/{id}/notifications`. */
  readonly base: string;
  readonly notificationId: number;
  readonly dashboard: { readonly id: number; readonly publicId: string };
  /** Sends a request for recipients. */
  addRecipients(recipients: readonly unknown[]): Promise<ApiResponse>;
  /** Like `addRecipients`, for a request that must succeed. */
  addRecipientsOk(recipients: readonly unknown[]): Promise<RecipientLists>;
  /** Returns all recipients of the notification, newest first. */
  listRecipients(): Promise<readonly ListItem[]>;
  /** Creates another notification of the same dashboard. */
  createNotification(): Promise<number>;
}

/** Starts the service. */
export async function startNotificationFixture(
  options: readonly string[] = [],
): Promise<NotificationFixture> {
  const fixture = await startWireFixture(options);
  const deployment = `/api/v1/deployments/${fixture.deploymentId}`;
  const workbookId = await fixture.create(`${deployment}/workbooks`, { name: "Sales" });
  const published = await fixture.call("POST", `${deployment}/workbooks/${workbookId}/publish`, {
    body: { workbookId, config: { title: "Sales" } },
  });
  if (published.status !== 200) throw new Error(`publishing: ${published.body.error}`);
  const dashboard = published.json as { id: number; publicId: string };
  const base = `${deployment}/notifications`;
  const notification = () =>
    fixture.create(base, { dashboardId: dashboard.id, scheduleType: "DAILY", hour: 9 });
  const notificationId = await notification();
  const add: NotificationFixture["addRecipients"] = (recipients) =>
    fixture.call("POST", `${base}/${notificationId}/recipients`, { body: { recipients } });
  return {
    ...fixture,
    base,
    notificationId,
    dashboard,
    addRecipients: add,
    addRecipientsOk: async (recipients) => {
      const answer = await add(recipients);
      if (answer.status !== 200) throw new Error(`adding: ${answer.status} ${answer.body.error}`);
      return answer.json as RecipientLists;
    },
    listRecipients: () => fixture.items(`${base}/${notificationId}/recipients?first=1000`),
    createNotification: notification,
  };
}
