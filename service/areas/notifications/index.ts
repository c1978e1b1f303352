// Area notifications: scheduled deliveries of published dashboards, and their recipients.
import {
  addRecipients,
  createNotification,
  deleteNotification,
  getNotification,
  listDeliveries,
  listNotifications,
  listRecipients,
  removeRecipients,
  sendNotification,
  updateNotification,
} from "../../../api/notifications.ts";
import {
  handle,
  handleList,
  handleThenFinish,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { pageOf } from "../shared/pagination.ts";
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
import { selectDeliveries, showDelivery } from "./show-deliveries.ts";
import { mailFingerprints } from "./mail-fingerprints.ts";
import { addRun, replaceManualRun } from "./runs.ts";
import { selectRecipients, showRecipient, subscribe, unsubscribe } from "./recipients.ts";

/** The handlers of this area. */
export const notifications: readonly OperationHandler[] = [
  handleList(listNotifications, async (call) => {
    const found = await selectNotifications(call.db, call.params.deploymentId, call.query);
    return pageOf(call, keyset(found, "notifications.id"), showNotification);
  }),
  handle(createNotification, async ({ db, params, body, now }) =>
    showNotification(await insertNotification(db, params.deploymentId, { body, now: now() })),
  ),
  handle(getNotification, async ({ db, params }) =>
    showNotification(await readNotification(db, params)),
  ),
  handle(updateNotification, async ({ db, params, body, now }) =>
    showNotification(await changeNotification(db, params, { body, now: now() })),
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
  handleThenFinish(
    sendNotification,
    async ({ db, params, now, deliveries: { unsentReason } }) => {
      const notification = await readNotification(db, params);
      const { id } = notification;
      const on = { db, now: now(), unsentReason };
      const delivered = await replaceManualRun(db, notification, on.now);
      const repeats = { delivered, fingerprintOf: await mailFingerprints(db, notification) };
      const slot = toTimestamp(on.now);
      const count = await addRun(on, { id, trigger: "manual", slot, repeats });
      return { scheduledAt: slot, deliveries: count ?? 0 };
    },
    async (answer, { deliveries }) => {
      deliveries.wake();
      return answer;
    },
  ),
  handleList(listDeliveries, async (call) => {
    const found = await selectDeliveries(call.db, call.params);
    return pageOf(call, keyset(found, "deliveries.id"), showDelivery);
  }),
];
