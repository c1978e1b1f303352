// `svc notifications`: the notifications of a deployment and their recipients.
import {
  addRecipients,
  createNotification,
  deleteNotification,
  getNotification,
  listNotifications,
  listRecipients,
  removeRecipients,
  updateNotification,
} from "../../api/notifications.ts";
import { type Area, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/deployment-argument.ts";

const lookups = { deploymentId: deploymentLookup };

/** The area. */
export const notifications: Area = {
  name: "notifications",
  description: "List, create, change and delete notifications and their recipients.",
  commands: [
    command("list", listNotifications, {
      lookups,
      columns: {
        ID: "id",
        DASHBOARD: "dashboardId",
        SCHEDULE: "humanReadableSchedule",
        "TIME ZONE": "timezone",
        ENABLED: "isEnabled",
      },
    }),
    command("get", getNotification, { lookups }),
    command("create", createNotification, { lookups, arguments: ["scheduleType"] }),
    command("update", updateNotification, { lookups }),
    command("delete", deleteNotification, { lookups }),
    command("recipients list", listRecipients, { lookups }),
    command("recipients add", addRecipients, { lookups }),
    command("recipients remove", removeRecipients, { lookups }),
  ],
};
