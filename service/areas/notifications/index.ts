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
import { behave, behaveList, type Behaviour } from "../../area.ts";
import { pageOf } from "../../paging.ts";
import { moment } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import {
  changeNotification,
  dropNotification,
  insertNotification,
  notificationOf,
  selectNotifications,
  showNotification,
} from "./notifications.ts";
import { selectRecipients, showRecipient, subscribe, unsubscribe } from "./recipients.ts";

/** What the operations of the area do. */
export const notifications: readonly Behaviour[] = [
  behaveList(listNotifications, async (call) => {
    const found = await selectNotifications(call.db, call.params.deploymentId, call.query);
    return pageOf(call, keyset(found, "notifications.id"), showNotification);
  }),
  behave(createNotification, async ({ db, params, body, now }) =>
    showNotification(
      await insertNotification(db, params.deploymentId, { body, at: moment(now()) }),
    ),
  ),
  behave(getNotification, async ({ db, params }) =>
    showNotification(await notificationOf(db, params)),
  ),
  behave(updateNotification, async ({ db, params, body }) =>
    showNotification(await changeNotification(db, params, body)),
  ),
  behave(deleteNotification, async ({ db, params }) => dropNotification(db, params)),
  behaveList(listRecipients, async (call) => {
    const found = await selectRecipients(call.db, call.params);
    return pageOf(call, keyset(found, "recipients.id"), showRecipient);
  }),
  behave(addRecipients, async ({ db, params, body, account, now }) => {
    const { externalUserLimit } = await account();
    const place = { db, notification: params, externalUserLimit, at: moment(now()) };
    return subscribe(place, body.recipients);
  }),
  behave(removeRecipients, async ({ db, params, body }) =>
    unsubscribe(db, params, body.recipients),
  ),
];
