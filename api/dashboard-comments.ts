// Operations on the comments that viewers of embedded dashboards write.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { field } from "../core/schema/traits.ts";
import { anyDeployment, Id, LookupName, nullish, strictObject, Timestamp } from "./schemas.ts";

const area = "embed";
const base = "/api/v1/embed/dashboard/{publicId}/comments";
const one = `${base}/{commentId}` as const;
const permission = {
  action: "EmbedDashboardRead",
  scope: { ...anyDeployment, workbook: "any", dashboard: "any" },
} as const;
const byPublicId = strictObject({ publicId: LookupName });
const byId = strictObject({ publicId: LookupName, commentId: Id });

/** The purpose of comments, for every description. */
const rules =
  "Needs the token of an embed session with an embed tenant that may view the dashboard, and the setting `embedding.enableDashboardComments` of the app configuration. Users see only the comments of their embed tenant.";

/** A user whom comments name. */
const CommentUser = strictObject({
  id: Id,
  name: field(Type.String(), { doc: "Display name, or the external ID of a user without one." }),
  picture: Type.Optional(Type.String()),
});

const Text = field(Type.String({ minLength: 1, maxLength: limits.commentCharacters }), {
  doc: "Text of the comment.",
});
const WidgetId = field(Type.String({ minLength: 1, maxLength: 128 }), {
  doc: "ID of the widget that the thread is about. The page shows its title with the thread.",
});
const Mentions = field(Type.Array(Id, { maxItems: limits.commentMentions }), {
  doc: "IDs of the users whom the comment mentions.",
});

const members = {
  id: Id,
  body: Text,
  author: Type.Optional(
    field(CommentUser, { doc: "Who wrote it. Omitted when the user was deleted." }),
  ),
  mentions: Mentions,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

/** A comment: the first of a thread, or a reply. */
const Comment = strictObject({
  ...members,
  threadId: Type.Optional(
    field(Id, { doc: "ID of the first comment of the thread. Omitted for the first comment." }),
  ),
  widgetId: Type.Optional(WidgetId),
  resolvedAt: Type.Optional(field(Timestamp, { doc: "When the thread was resolved, in UTC." })),
  resolvedBy: Type.Optional(field(CommentUser, { doc: "Who resolved the thread." })),
});

/** A thread: its first comment with the replies. */
const Thread = strictObject({
  ...Comment.properties,
  replies: field(
    Type.Array(
      strictObject({
        ...members,
        threadId: field(Id, { doc: "ID of the first comment of the thread." }),
      }),
    ),
    { doc: "Replies, the oldest first." },
  ),
});

/** List the comments on a dashboard. */
export const listDashboardComments = defineOperation({
  id: "listDashboardComments",
  area,
  method: "GET",
  path: base,
  summary: "List the comments on a dashboard",
  description: `Returns the threads with their replies, the newest thread first. ${rules}`,
  source: "public",
  effect: "read",
  permission,
  crossOrigin: true,
  params: byPublicId,
  query: strictObject({
    mentionsMe: Type.Optional(
      Type.Boolean({
        description: "Returns only threads with a comment that mentions the user of the session.",
      }),
    ),
    resolved: Type.Optional(
      Type.Boolean({ description: "Returns only threads that are resolved, or only open ones." }),
    ),
  }),
  answer: Thread,
  list: "cursor",
  errorCodes: ["not_found"],
});

/** Comment on a dashboard. */
export const createDashboardComment = defineOperation({
  id: "createDashboardComment",
  area,
  method: "POST",
  path: base,
  summary: "Comment on a dashboard",
  description: `Starts a thread, or replies to the one of \`threadId\`. ${rules}`,
  source: "public",
  effect: "write",
  permission,
  crossOrigin: true,
  params: byPublicId,
  body: strictObject({
    body: Text,
    threadId: nullish(field(Id, { doc: "ID of the first comment of the thread to reply to." })),
    widgetId: nullish(WidgetId),
    mentions: nullish(Mentions),
  }),
  answer: Comment,
  errorCodes: ["not_found", "limit_reached"],
});

/** Update a comment. */
export const updateDashboardComment = defineOperation({
  id: "updateDashboardComment",
  area,
  method: "PATCH",
  path: one,
  summary: "Update a comment on a dashboard",
  description: `Changes the text or the mentions of a comment that the caller wrote. ${rules}`,
  source: "public",
  effect: "write",
  permission,
  crossOrigin: true,
  params: byId,
  body: strictObject({ body: nullish(Text), mentions: nullish(Mentions) }),
  answer: Comment,
  errorCodes: ["not_found"],
});

/** Delete a comment. */
export const deleteDashboardComment = defineOperation({
  id: "deleteDashboardComment",
  area,
  method: "DELETE",
  path: one,
  summary: "Delete a comment on a dashboard",
  description: `Deletes a comment that the caller wrote; the first comment of a thread with its replies. ${rules}`,
  source: "public",
  effect: "write",
  permission,
  crossOrigin: true,
  params: byId,
  errorCodes: ["not_found"],
});

/** Resolve a thread. */
export const resolveDashboardComment = defineOperation({
  id: "resolveDashboardComment",
  area,
  method: "POST",
  path: `${one}/resolve`,
  summary: "Resolve a thread of comments on a dashboard",
  description: `Marks the thread of the comment as resolved; \`resolved: false\` opens it again. Resolving a resolved thread changes nothing. ${rules}`,
  source: "public",
  effect: "write",
  permission,
  crossOrigin: true,
  repeatable: true,
  params: byId,
  body: strictObject({
    resolved: nullish(
      field(Type.Boolean(), { doc: "Whether the thread is resolved. Defaults to `true`." }),
    ),
  }),
  bodyOptional: true,
  answer: Comment,
  errorCodes: ["not_found"],
});

/** List the users whom comments can mention. */
export const listMentionableUsers = defineOperation({
  id: "listMentionableUsers",
  area,
  method: "GET",
  path: "/api/v1/embed/dashboard/{publicId}/mentionable-users",
  summary: "List the users whom comments can mention",
  description: `Returns the users of the session's embed tenant, newest first. ${rules}`,
  source: "public",
  effect: "read",
  permission,
  crossOrigin: true,
  params: byPublicId,
  query: strictObject({
    search: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  }),
  answer: CommentUser,
  list: "cursor",
  errorCodes: ["not_found"],
});
