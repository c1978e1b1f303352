// What notifications of a controller are about.

/** What a notification can be about. */
export const notificationTypes = [
  "failing",
  "drift",
  "held",
  "approval",
  "recovered",
  "removed",
] as const;

/** What a notification is about. */
export type NotificationType = (typeof notificationTypes)[number];
