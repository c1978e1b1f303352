// `svc notifications`: the notifications of a deployment and their recipients.
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
} from "../../api/notifications.ts";
import { InvalidArgumentError } from "commander";
import { isId } from "../shared/lookup/lookup.ts";
import { type Area, command, type ExtraValues } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";
import { dashboardLookup } from "./lookups.ts";

const lookups = { deploymentId: deploymentLookup };
const ofDashboard = { ...lookups, dashboardId: dashboardLookup };

/** Commands that list, create, change, send and delete notifications and their recipients. */
export const notifications: Area = {
  name: "notifications",
  description: "List, create, change, send and delete notifications and their recipients.",
  groups: {
    deliveries: "attempts to send a notification, and their results",
    recipients: "who receives a notification",
  },
  commands: [
    command("list", listNotifications, {
      lookups: ofDashboard,
      columns: {
        ID: "id",
        DASHBOARD: "dashboardId",
        SCHEDULE: "humanReadableSchedule",
        "TIME ZONE": "timezone",
        ENABLED: "isEnabled",
      },
    }),
    command("get", getNotification, { lookups }),
    command("create", createNotification, {
      lookups: ofDashboard,
      arguments: ["scheduleType"],
    }),
    command("update", updateNotification, { lookups }),
    command("delete", deleteNotification, { lookups }),
    command("send", sendNotification, {
      description:
        "Send a notification to every recipient now, whatever its schedule says. `svc notifications deliveries list` shows the outcome.",
      lookups,
    }),
    command("deliveries list", listDeliveries, {
      lookups,
      columns: {
        SCHEDULED: "scheduledAt",
        EMAIL: "email",
        STATUS: "status",
        ATTEMPTS: "attempts",
        SENT: "sentAt",
        ERROR: "error",
      },
    }),
    command("recipients list", listRecipients, { lookups }),
    command("recipients add", addRecipients, {
      lookups,
      takesData: true,
      extraOptions: [
        { syntax: "--email <emails...>", doc: "emails of users of the account" },
        { syntax: "--user-id <ids...>", doc: "IDs of users of the account", parse: idsOf },
      ],
      complete: addedUsers,
    }),
    command("recipients remove", removeRecipients, {
      lookups,
      takesData: true,
      extraOptions: [
        { syntax: "--user-id <ids...>", doc: "IDs of users of the account", parse: idsOf },
        { syntax: "--embed-user-id <ids...>", doc: "IDs of embed users", parse: idsOf },
      ],
      complete: removedUsers,
    }),
  ],
};

function idsOf(text: string, before: unknown): readonly number[] {
  if (!isId(text)) throw new InvalidArgumentError("Use a whole number.");
  return [...((before as readonly number[] | undefined) ?? []), Number(text)];
}

/** Returns the recipients of the flags; none leaves them to `--data`. */
async function addedUsers({ options }: ExtraValues) {
  const { email = [], userId = [] } = options as Readonly<Record<string, readonly unknown[]>>;
  return recipientsOf([
    ...email.map((one) => ({ type: "USER", email: one })),
    ...userId.map((one) => ({ type: "USER", userId: one })),
  ]);
}

async function removedUsers({ options }: ExtraValues) {
  const { userId = [], embedUserId = [] } = options as Readonly<Record<string, readonly unknown[]>>;
  return recipientsOf([
    ...userId.map((id) => ({ type: "USER", id })),
    ...embedUserId.map((id) => ({ type: "EMBED_USER", id })),
  ]);
}

function recipientsOf(recipients: readonly object[]) {
  return recipients.length === 0 ? {} : { body: { recipients } };
}
