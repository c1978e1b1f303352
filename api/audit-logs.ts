// Operations on the audit log: who changed what, and when.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { requires } from "../core/schema/member-rules.ts";
import { optionalForClient } from "../core/schema/traits.ts";
import { Id, strictObject, Timestamp } from "./schemas.ts";

const common = { area: "audit-logs" } as const;

const text = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }));

/** The event of users who sign in on the sign-in pages. It is not an operation. */
export const signInEvent = "signIn";

/**
 * The event of recipients who end their subscription, or begin it again, with the link in a mail. It is not an
 * operation.
 */
export const unsubscribeEvent = "unsubscribe";

const filters = {
  start: Type.Optional(
    Type.String({ format: "date-time", description: "Returns only changes from this time on." }),
  ),
  end: Type.Optional(
    Type.String({ format: "date-time", description: "Returns only changes before this time." }),
  ),
  search: text(
    "Case-insensitive substring of the event, the user, the API key or the ID of the object.",
  ),
  eventName: text(
    "Returns only changes by this operation, such as `updateUser`, or sign-ins: `signIn`.",
  ),
  userEmail: text(
    "Returns only changes by the user with this address, compared case-insensitively.",
  ),
  objectType: text("Returns only changes of objects of this type, such as `users`."),
  objectId: text("Returns only changes of the object with this ID. Requires `objectType`."),
  changed: Type.Optional(
    Type.Boolean({
      description:
        "If `true`, returns no calls after which the object was as before; if `false`, only those.",
    }),
  ),
};

const Values = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "Values that differ, as the service stores them, without secrets. Long texts and lists are shortened. Both are empty if the call changed nothing.",
});

const entry = {
  id: Id,
  createdAt: Timestamp,
  eventName: Type.String({
    description:
      "ID of the operation that made the change; `signIn` on the sign-in pages, and `unsubscribe` by the link in a mail.",
  }),
  userId: Type.Optional(Id),
  username: Type.Optional(Type.String()),
  userEmail: Type.Optional(Type.String({ description: "Email address of the user." })),
  credential: optionalForClient(
    Type.String({
      description:
        "Credential of the change: `key:` with the ID of an API key, `scim:` with that of a SCIM integration, `session:`, or `browser-session:`.",
    }),
  ),
  apiKeyName: Type.Optional(
    Type.String({ description: "Name of the API key or SCIM integration at that time." }),
  ),
  objectType: Type.String({
    description:
      "Type of the changed object, as in the path of its operations; parts of objects have types such as `user-group-members`.",
  }),
  objectIds: Type.Array(Type.String(), {
    description: `ID of the changed object, or its name; for what connects objects the IDs of both, such as \`5/9\`. A bulk call has an entry for each of the first ${limits.auditItems} objects of a type that it changes, and one with the IDs of the others, without values.`,
  }),
  deploymentId: Type.Optional(Id),
  before: Type.Optional(Values),
  after: Type.Optional(Values),
};

/** List the audit log. */
export const listAuditLogs = defineOperation({
  ...common,
  id: "listAuditLogs",
  method: "GET",
  path: "/api/v1/audit-logs",
  summary: "List changes",
  description:
    "Returns the changes of the account, newest first: who made them with which key, and the values before and after, without secrets. Sign-ins of users are entries too, but not those that fail.",
  source: "proposed",
  effect: "read",
  permission: { action: "AuditLogRead", scope: "account" },
  query: strictObject(filters, { rules: [requires("objectId", "objectType")] }),
  answer: strictObject(entry),
  list: "cursor",
});

/** Export the audit log as CSV. */
export const exportAuditLogs = defineOperation({
  ...common,
  id: "exportAuditLogs",
  method: "GET",
  path: "/api/v1/audit-logs/export",
  summary: "Export changes as CSV",
  description: `Returns the newest ${limits.auditExportEntries} changes that match, as CSV with a header line. Returns 413 if they are longer than ${limits.auditExportCharacters} characters: export shorter periods.`,
  source: "public",
  effect: "read",
  cost: 20,
  permission: { action: "AuditLogManage", scope: "account" },
  query: strictObject(filters, { rules: [requires("objectId", "objectType")] }),
  contentType: "text/csv",
  answer: Type.String({ description: "The changes as CSV." }),
  errorCodes: ["too_large"],
});
