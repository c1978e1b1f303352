// Comments on embedded dashboards: threads with replies, which only users of one embed tenant see.
import type {
  createDashboardComment,
  listDashboardComments,
  updateDashboardComment,
} from "../../../api/dashboard-comments.ts";
import { Failure, invariant } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { provisioner } from "../../../core/text/provisioner.ts";
import { countRows } from "../../store/keyset.ts";
import { fromJson, toJson, toTimestamp } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { contains, listContains } from "../../store/sql-conditions.ts";
import { readAppConfig } from "../app/app-config.ts";
import { fieldError } from "../shared/field-error.ts";
import { type Call, omitNullish } from "../shared/operation-handler.ts";
import { readVisibleDashboard } from "./access.ts";

/** The author of a comment, and the dashboard. */
export interface Commenter {
  readonly dashboardId: number;
  readonly tenantId: number;
  readonly userId: number;
}

/**
 * Returns the author of a comment. Throws `not_found` if the session may not view the dashboard, and `forbidden` if
 * comments are disabled or the caller has no session with an embed tenant.
 */
export async function requireCommenter(
  call: Pick<Call, "db" | "principal">,
  publicId: string,
): Promise<Commenter> {
  const { db, principal } = call;
  const { id: dashboardId } = await readVisibleDashboard(call, publicId);
  const { embedding } = await readAppConfig(db);
  if (embedding?.enableDashboardComments !== true) {
    throw new Failure(
      "forbidden",
      "comments on dashboards are disabled; an administrator can enable them in the app configuration",
    );
  }
  const tenantId = principal.session?.tenantId;
  if (tenantId !== undefined) return { dashboardId, tenantId, userId: principal.userId };
  throw new Failure(
    "forbidden",
    "comments belong to users of an embed tenant; use the token of an embed session that names one",
  );
}

/** Selects the comments that start a thread. */
export function selectThreads(db: Db, { dashboardId, tenantId }: Commenter) {
  return selectComments(db, { dashboardId, tenantId }).where("thread_id", "is", null);
}

/** Selects the threads that a list asks for. */
export function selectListed(
  db: Db,
  by: Commenter,
  { mentionsMe, resolved }: RequestOf<typeof listDashboardComments>["query"],
) {
  let found = selectThreads(db, by);
  if (resolved !== undefined) found = found.where("resolved_at", resolved ? "is not" : "is", null);
  if (mentionsMe !== true) return found;
  const mentioned = selectComments(db, by)
    .clearSelect()
    .select((eb) => eb.fn.coalesce("thread_id", "id").as("thread"))
    .where(listContains("mentions", by.userId));
  return found.where("id", "in", mentioned);
}

function selectComments(db: Db, { dashboardId, tenantId }: Omit<Commenter, "userId">) {
  return db
    .selectFrom("dashboard_comments")
    .selectAll()
    .where("dashboard_id", "=", dashboardId)
    .where("embed_tenant_id", "=", tenantId);
}

type CommentRow = Row<"dashboard_comments">;

/** Converts threads to their API form, with their replies. Reads the replies and the users of all in one query each. */
export async function showThreads(db: Db, threads: readonly CommentRow[]) {
  const ids = threads.map(({ id }) => id);
  const replies =
    ids.length === 0
      ? []
      : await db
          .selectFrom("dashboard_comments")
          .selectAll()
          .where("thread_id", "in", ids)
          .execute();
  const users = await usersOf(db, [...threads, ...replies]);
  const byThread = Map.groupBy(
    replies.toSorted((one, other) => one.id - other.id),
    ({ thread_id: id }) => id,
  );
  return threads.map((row) => ({
    ...commentForm(row, users),
    replies: (byThread.get(row.id) ?? []).map((reply) => ({
      ...commentMembers(reply, users),
      threadId: row.id,
    })),
  }));
}

async function showComment(db: Db, row: CommentRow) {
  return commentForm(row, await usersOf(db, [row]));
}

type Users = ReadonlyMap<number, ReturnType<typeof showCommentUser>>;

function commentForm(row: CommentRow, users: Users) {
  return {
    ...commentMembers(row, users),
    ...omitNullish({
      threadId: row.thread_id,
      widgetId: row.widget_id,
      resolvedAt: row.resolved_at,
      resolvedBy: users.get(row.resolved_by ?? 0),
    }),
  };
}

function commentMembers(row: CommentRow, users: Users) {
  return {
    id: row.id,
    body: row.body,
    ...omitNullish({ author: users.get(row.user_id ?? 0) }),
    mentions: fromJson(row.mentions) as number[],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The columns that show a user to other users. */
const shownColumns = ["id", "username", "display_name", "picture"] as const;

async function usersOf(db: Db, rows: readonly CommentRow[]): Promise<Users> {
  const ids = [
    ...new Set(rows.flatMap((row) => [row.user_id ?? [], row.resolved_by ?? []].flat())),
  ];
  if (ids.length === 0) return new Map();
  const found = await db.selectFrom("users").select(shownColumns).where("id", "in", ids).execute();
  return new Map(found.map((user) => [user.id, showCommentUser(user)]));
}

/** Converts a user to the members that other users of the embed tenant see. */
export function showCommentUser(user: Pick<Row<"users">, (typeof shownColumns)[number]>) {
  const { id, username, display_name: name, picture } = user;
  return { id, name: name ?? username, ...omitNullish({ picture }) };
}

/** Selects the people of the embed tenant. */
const mentionable = (db: Db, tenantId: number) =>
  db
    .selectFrom("users")
    .where("embed_tenant_id", "=", tenantId)
    .where("external_id", "!=", provisioner)
    .where("is_deactivated", "=", 0);

/** Selects the users of the embed tenant whose name contains `search`. */
export function selectMentionable(db: Db, tenantId: number, search: string | undefined) {
  const users = mentionable(db, tenantId).select(shownColumns);
  if (search === undefined) return users;
  return users.where((eb) =>
    eb.or([contains("display_name", search), contains("username", search)]),
  );
}

type CreateBody = RequestOf<typeof createDashboardComment>["body"];

/** Inserts a comment. Throws `limit_reached` for too many threads of a dashboard, or replies of a thread. */
export async function addComment(
  db: Db,
  by: Commenter,
  { body, now }: { body: CreateBody; now: Date },
) {
  const { threadId, widgetId, mentions } = body;
  if (threadId != null) await requireThread(db, by, threadId);
  if (threadId != null && widgetId != null) {
    throw fieldError("widgetId", ["invalid", "only the first comment of a thread names a widget"]);
  }
  await requireCapacity(db, by, threadId ?? null);
  await requireMentionable(db, by, mentions ?? []);
  const at = toTimestamp(now);
  const row = await db
    .insertInto("dashboard_comments")
    .values({
      dashboard_id: by.dashboardId,
      embed_tenant_id: by.tenantId,
      thread_id: threadId ?? null,
      user_id: by.userId,
      widget_id: widgetId ?? null,
      body: body.body,
      mentions: toJson([...new Set(mentions)]),
      created_at: at,
      updated_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return showComment(db, row);
}

async function requireThread(db: Db, by: Commenter, threadId: number): Promise<void> {
  const row = await selectThreads(db, by).where("id", "=", threadId).executeTakeFirst();
  if (row) return;
  throw fieldError("threadId", ["invalid", `the dashboard has no thread ${threadId}`]);
}

async function requireCapacity(db: Db, by: Commenter, threadId: number | null): Promise<void> {
  const inThread = selectComments(db, by).where(
    "thread_id",
    threadId === null ? "is" : "=",
    threadId,
  );
  const count = await countRows(inThread);
  const [most, what] =
    threadId === null
      ? [limits.commentThreads, "threads of an embed tenant on a dashboard"]
      : [limits.commentReplies, "replies in a thread"];
  if (count < most) return;
  throw new Failure("limit_reached", `there can be at most ${most} ${what}`, {
    remedy: threadId === null ? "Delete threads that are resolved." : "Start another thread.",
  });
}

async function requireMentionable(
  db: Db,
  { tenantId }: Commenter,
  mentions: readonly number[],
): Promise<void> {
  if (mentions.length === 0) return;
  const found = await mentionable(db, tenantId).select("id").where("id", "in", mentions).execute();
  const known = new Set(found.map(({ id }) => id));
  const missing = mentions.filter((id) => !known.has(id));
  if (missing.length === 0) return;
  throw fieldError("mentions", [
    "invalid",
    `the embed tenant has no users with the IDs ${missing.join(", ")}`,
  ]);
}

/** Updates the given members of a comment. Throws `forbidden` if another user wrote it. */
export async function changeComment(
  db: Db,
  by: Commenter,
  {
    id,
    body,
    now,
  }: { id: number; body: RequestOf<typeof updateDashboardComment>["body"]; now: Date },
) {
  await requireOwn(db, by, id);
  await requireMentionable(db, by, body.mentions ?? []);
  const changes = omitNullish({
    body: body.body,
    mentions: body.mentions == null ? null : toJson([...new Set(body.mentions)]),
  });
  const row = await db
    .updateTable("dashboard_comments")
    .set({ ...changes, updated_at: toTimestamp(now) })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return showComment(db, row);
}

/** Deletes a comment, with the replies if it starts a thread. Throws `forbidden` if another user wrote it. */
export async function dropComment(db: Db, by: Commenter, id: number): Promise<void> {
  await requireOwn(db, by, id);
  await db.deleteFrom("dashboard_comments").where("id", "=", id).execute();
}

/** Resolves the thread of a comment, or opens it again. */
export async function resolveThread(
  db: Db,
  by: Commenter,
  { id, resolved, now }: { id: number; resolved: boolean; now: Date },
) {
  const comment = await readComment(db, by, id);
  const thread =
    comment.thread_id === null ? comment : await readComment(db, by, comment.thread_id);
  if ((thread.resolved_at !== null) === resolved) return showComment(db, thread);
  const row = await db
    .updateTable("dashboard_comments")
    .set({
      resolved_at: resolved ? toTimestamp(now) : null,
      resolved_by: resolved ? by.userId : null,
    })
    .where("id", "=", thread.id)
    .returningAll()
    .executeTakeFirst();
  invariant(row, "the thread was deleted in its own transaction");
  return showComment(db, row);
}

async function requireOwn(db: Db, by: Commenter, id: number): Promise<void> {
  const { user_id: author } = await readComment(db, by, id);
  if (author === by.userId) return;
  throw new Failure("forbidden", "another user wrote the comment; only its author can change it");
}

async function readComment(db: Db, by: Commenter, id: number): Promise<CommentRow> {
  const row = await selectComments(db, by).where("id", "=", id).executeTakeFirst();
  if (row) return row;
  throw new Failure("not_found", `the dashboard has no comment ${id}`);
}
