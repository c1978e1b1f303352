// Area embed: sessions of signed embedding, and the dashboards that they view.
import {
  endEmbedSession,
  exchangeSession,
  generateSession,
  listEmbedSessions,
  revokeSession,
} from "../../../api/embed.ts";
import {
  getEmbedAccess,
  getEmbeddedDashboard,
  getLinkedDashboard,
  listEmbedAccess,
  listEmbedTenantWorkbooks,
  setEmbedAccess,
} from "../../../api/embed-dashboards.ts";
import {
  createDashboardComment,
  deleteDashboardComment,
  listDashboardComments,
  listMentionableUsers,
  resolveDashboardComment,
  updateDashboardComment,
} from "../../../api/dashboard-comments.ts";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { identify } from "../../security/principal.ts";
import { embeddingDisabledReason } from "../../security/embed-access.ts";
import { keyset } from "../../store/keyset.ts";
import { requireDeployment } from "../../store/deployments.ts";
import { tenantId } from "../embed-tenants/tenants.ts";
import {
  type Call,
  handle,
  handleList,
  handleThenFinish,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { pageOf, pageOfBatch } from "../shared/pagination.ts";
import { selectWorkbooks, showWorkbooks } from "../workbooks/workbooks.ts";
import {
  addComment,
  changeComment,
  type Commenter,
  dropComment,
  requireCommenter,
  resolveThread,
  selectMentionable,
  selectListed,
  showCommentUser,
  showThreads,
} from "./comments.ts";
import {
  accessOfEach,
  readLinkedDashboard,
  openDashboard,
  selectAccessible,
  setAccess,
  showAccess,
  viewDashboard,
} from "./access.ts";
import { requirePermission } from "../../security/require-permission.ts";
import { consumeSession } from "./exchange.ts";
import { endSession, revoke, selectRequestedSessions, showSession } from "./live-sessions.ts";
import { createSession } from "./create-session.ts";

const sessions: readonly OperationHandler[] = [
  handle(generateSession, async ({ db, body, now, principal }) => {
    // The session has all permissions of an internal user, or of its roles, which the key may lack.
    if ((body.internalId ?? body.roles) != null && principal.limits.actions) {
      requirePermission(principal, "All", []);
    }
    const credential = principal.limits;
    return { sessionId: await createSession(db, body, { now: now(), credential }) };
  }),
  handleThenFinish(
    exchangeSession,
    async ({ db, body, now, account }) => {
      const { embeddingEnabled } = await account();
      if (embeddingEnabled) return consumeSession(db, body.sessionId, now());
      throw new Failure("forbidden", embeddingDisabledReason);
    },
    async (claims, call) => {
      const token = await call.tokens.issueEmbedToken(claims);
      const { dashboardPublicId: publicId } = call.body;
      const principal = publicId && (await identify(call.db, call, token));
      const dashboard = principal && (await openDashboard({ ...call, principal }, publicId));
      return { token, ...(dashboard && { dashboard }) };
    },
  ),
  handle(revokeSession, async ({ db, body, now, principal }) =>
    revoke(db, body.sessionId, { rights: principal, now: now() }),
  ),
  handleList(listEmbedSessions, async (call) => {
    const { db, query, principal, now } = call;
    const reach = principal.limits.deployments;
    const found = selectRequestedSessions(db, query, { now: now(), reach });
    return pageOf(call, keyset(found, "embed_sessions.id"), showSession);
  }),
  handle(endEmbedSession, async ({ db, params, now, principal }) =>
    endSession(db, params.id, { rights: principal, now: now() }),
  ),
];

const access: readonly OperationHandler[] = [
  handle(getEmbeddedDashboard, (call) => viewDashboard(call, call.params.publicId)),
  handle(getLinkedDashboard, async (call) => ({
    publicId: await readLinkedDashboard(call, call.params),
  })),
  handle(getEmbedAccess, async ({ db, params }) => showAccess(db, params)),
  handleList(listEmbedAccess, async (call) => {
    const { db, params } = call;
    await requireDeployment(db, params.deploymentId);
    // A workbook can have access of many tenants.
    const source = {
      ...keyset(selectWorkbooks(db, params.deploymentId), "workbooks.id"),
      rowsPerQuery: 10,
    };
    return pageOfBatch(call, source, (rows) =>
      accessOfEach(
        db,
        rows.map(({ id }) => id),
      ),
    );
  }),
  handle(setEmbedAccess, async ({ db, params, body }) => {
    await setAccess(db, params, body);
    return showAccess(db, params);
  }),
  handleList(listEmbedTenantWorkbooks, async (call) => {
    const { db, params, query } = call;
    await requireDeployment(db, params.deploymentId);
    const tenant = await tenantId(db, params.embedTenantName);
    const source = query.accessSource;
    const found = selectAccessible(db, params.deploymentId, { tenant, source });
    return pageOfBatch(call, keyset(found, "workbooks.id"), (rows) => showWorkbooks(db, rows));
  }),
];

const comments: readonly OperationHandler[] = [
  handleList(listDashboardComments, async (call) => {
    const threads = selectListed(call.db, await commenterOf(call), call.query);
    const source = {
      ...keyset(threads, "dashboard_comments.id"),
      rowsPerQuery: limits.commentThreadsPerQuery,
    };
    return pageOfBatch(call, source, (rows) => showThreads(call.db, rows));
  }),
  handle(createDashboardComment, async (call) => {
    const { db, body, now } = call;
    return addComment(db, await commenterOf(call), { body, now: now() });
  }),
  handle(updateDashboardComment, async (call) => {
    const { db, params, body, now } = call;
    const change = { id: params.commentId, body, now: now() };
    return changeComment(db, await commenterOf(call), change);
  }),
  handle(deleteDashboardComment, async (call) =>
    dropComment(call.db, await commenterOf(call), call.params.commentId),
  ),
  handle(resolveDashboardComment, async (call) => {
    const { db, params, body, now } = call;
    const change = { id: params.commentId, resolved: body?.resolved ?? true, now: now() };
    return resolveThread(db, await commenterOf(call), change);
  }),
  handleList(listMentionableUsers, async (call) => {
    const { tenantId: tenant } = await commenterOf(call);
    const found = selectMentionable(call.db, tenant, call.query.search);
    return pageOf(call, keyset(found, "users.id"), showCommentUser);
  }),
];

/** The handlers of this area. */
export const embed: readonly OperationHandler[] = [...sessions, ...access, ...comments];

function commenterOf(
  call: Pick<Call, "db" | "principal"> & { readonly params: { readonly publicId: string } },
): Promise<Commenter> {
  return requireCommenter(call, call.params.publicId);
}
