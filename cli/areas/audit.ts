// `svc audit`: who changed what, and when.
import { exportAuditLogs, listAuditLogs } from "../../api/audit-logs.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { type Area, command, type Outcome, type RunContext } from "../operations/command.ts";

const flags = {
  eventName: { doc: "only changes by this operation, by its ID in the API, or sign-ins: signIn" },
  changed: { doc: "omit calls that changed nothing. --no-changed lists only those" },
} as const;

/** Commands that list and export the changes of the account. */
export const audit: Area = {
  name: "audit",
  description: "List and export the changes of the account.",
  commands: [
    command("list", listAuditLogs, {
      flags,
      columns: {
        TIME: "createdAt",
        USER: ({ userEmail, username }) => userEmail ?? username,
        KEY: ({ apiKeyName, credential }) => apiKeyName ?? credential,
        EVENT: "eventName",
        TYPE: "objectType",
        IDS: "objectIds",
        CHANGED: ({ before, after }) => Object.keys(after ?? before ?? {}),
      },
    }),
    command("export", exportAuditLogs, { flags, printsContent: true, run: exportCsv }),
  ],
};

/** Prints the CSV as the server sends it. */
async function exportCsv({ client, request, signal }: RunContext): Promise<Outcome> {
  const { method, path } = exportAuditLogs;
  const query: JsonObject = isObject(request.query) ? request.query : {};
  const { body } = await client.request(method, path, { query, signal });
  const text = typeof body === "string" ? body : "";
  return { answer: text, content: Buffer.from(text, "utf8") };
}
