// A server with a notification to subscribe to, and readers of who receives it; nothing of the project is imported here.
import type { Answer, Item } from "./server.ts";
import { startWorld, type World } from "./world.ts";

/** The three lists that every answer has. */
export interface Lists {
  readonly createdRecipients: readonly Item[];
  readonly updatedRecipients: readonly Item[];
  readonly unchangedRecipients: readonly Item[];
}

/** A world with one notification. */
export interface NotificationWorld extends World {
  /** `/api/v1/deployments/{id}/notifications`. */
  readonly base: string;
  readonly notificationId: number;
  readonly dashboard: { readonly id: number; readonly publicId: string };
  /** Sends a request for recipients. */
  add(recipients: readonly unknown[]): Promise<Answer>;
  /** As `add`, for a request that has to succeed. */
  added(recipients: readonly unknown[]): Promise<Lists>;
  /** Everybody who receives the notification, newest first. */
  recipients(): Promise<readonly Item[]>;
  /** Another notification of the same dashboard. */
  notification(): Promise<number>;
}

/** Starts it. */
export async function startNotificationWorld(
  options: readonly string[] = [],
): Promise<NotificationWorld> {
  const world = await startWorld(options);
  const deployment = `/api/v1/deployments/${world.deploymentId}`;
  const workbookId = await world.create(`${deployment}/workbooks`, { name: "Sales" });
  const published = await world.call("POST", `${deployment}/workbooks/${workbookId}/publish`, {
    body: { workbookId, config: { title: "Sales" } },
  });
  if (published.status !== 200) throw new Error(`publishing: ${published.body.error}`);
  const dashboard = published.json as { id: number; publicId: string };
  const base = `${deployment}/notifications`;
  const notification = () =>
    world.create(base, { dashboardId: dashboard.id, scheduleType: "DAILY", hour: 9 });
  const notificationId = await notification();
  const add: NotificationWorld["add"] = (recipients) =>
    world.call("POST", `${base}/${notificationId}/recipients`, { body: { recipients } });
  return {
    ...world,
    base,
    notificationId,
    dashboard,
    add,
    added: async (recipients) => {
      const answer = await add(recipients);
      if (answer.status !== 200) throw new Error(`adding: ${answer.status} ${answer.body.error}`);
      return answer.json as Lists;
    },
    recipients: () => world.items(`${base}/${notificationId}/recipients?first=1000`),
    notification,
  };
}
