// Area notifications: scheduled deliveries of published dashboards, and their recipients.
import {
  addRecipients,
  createNotification,
  deleteNotification,
  getNotification,
  listNotifications,
  listRecipients,
  removeRecipients,
  updateNotification,
} from "../../../api/notifications.ts";
import { handle, handleList, type OperationHandler } from "../operation-handler.ts";
import { pageOf } from "../pagination.ts";
import { toTimestamp } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import {
  changeNotification,
  dropNotification,
  insertNotification,
  readNotification,
  selectNotifications,
  showNotification,
} from "./notifications.ts";
import { selectRecipients, showRecipient, subscribe, unsubscribe } from "./recipients.ts";

/** The handlers of this area. */
export const notifications: readonly OperationHandler[] = [
  handleList(listNotifications, async (call) => {
    const found = await selectNotifications(call.db, call.params.deploymentId, call.query);
    return pageOf(call, keyset(found, "notifications.id"), showNotification);
  }),
  handle(createNotification, async ({ db, params, body, now }) =>
    showNotification(
      await insertNotification(db, params.deploymentId, { body, at: toTimestamp(now()) }),
    ),
  ),
  handle(getNotification, async ({ db, params }) =>
    showNotification(await readNotification(db, params)),
  ),
  handle(updateNotification, async ({ db, params, body }) =>
    showNotification(await changeNotification(db, params, body)),
  ),
  handle(deleteNotification, async ({ db, params }) => dropNotification(db, params)),
  handleList(listRecipients, async (call) => {
    const found = await selectRecipients(call.db, call.params);
    return pageOf(call, keyset(found, "recipients.id"), showRecipient);
  }),
  handle(addRecipients, async ({ db, params, body, account, now }) => {
    const { externalUserLimit } = await account();
    const place = { db, notification: params, externalUserLimit, at: toTimestamp(now()) };
    return subscribe(place, body.recipients);
  }),
  handle(removeRecipients, async ({ db, params, body }) =>
    unsubscribe(db, params, body.recipients),
  ),
];
