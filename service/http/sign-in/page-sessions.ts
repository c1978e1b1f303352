// What the pages of viewers ask for with the cookie of the sign-in: a session for a dashboard, and the list of the home.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../../core/errors.ts";
import { isObject, parseObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { readAppConfig } from "../../areas/app/app-config.ts";
import { acceptedLanguages, workspaceTitle } from "../../areas/app/workspace-title.ts";
import { omitNullish } from "../../areas/shared/operation-handler.ts";
import { openDashboard } from "../../areas/embed/access.ts";
import { openPrivateSession } from "../../areas/embed/exchange.ts";
import { readViewerHome } from "../../areas/embed/viewer-home.ts";
import { readPublishedDashboard } from "../../areas/workbooks/dashboards.ts";
import type { BrowserSession } from "../../identity/browser-sessions.ts";
import { authorizeResource } from "../../security/authorize-call.ts";
import { identify, principalOfUser } from "../../security/principal.ts";
import { inTransaction } from "../../store/transaction.ts";
import { sendErrorResponse } from "../request/error-responses.ts";
import { admitRequests, type RequestAdmission } from "../request/request-admission.ts";
import { requestContextOf } from "../request/request-context.ts";
import type { Logger } from "pino";
import { requireOwnPage, userOf } from "./browser.ts";

/** Adds the routes. They answer JSON to scripts of this server's own pages. */
export function addPageSessions(
  app: FastifyInstance,
  { admission, log }: { readonly admission: RequestAdmission; readonly log: Logger },
): void {
  void app.register(async (scope) => {
    admitRequests(scope, admission);
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/json",
      { parseAs: "string", bodyLimit: limits.signInFormBytes },
      async (_: FastifyRequest, body: string) => parseObject(body),
    );
    scope.setErrorHandler((error, request, reply) =>
      sendErrorResponse(error, { request, reply, log }),
    );
    scope.post("/auth/page-session", async (request, reply) => {
      requireOwnPage(request);
      const user = await requireUser(request);
      return sendSession(request, reply, user);
    });
    scope.get("/auth/home", async (request, reply) => {
      const { id, username, displayName } = await requireUser(request);
      const { db } = requestContextOf(request);
      const languages = acceptedLanguages(request.headers["accept-language"]);
      return reply.send({
        user: { username, ...omitNullish({ displayName }) },
        account: workspaceTitle(await readAppConfig(db), languages) ?? "",
        ...(await readViewerHome(db, id)),
      });
    });
  });
}

async function requireUser(request: FastifyRequest): Promise<BrowserSession> {
  const user = await userOf(request);
  if (user) return user;
  throw new Failure("unauthenticated", "nobody is signed in in this browser", {
    remedy: "Sign in at /auth/sign-in.",
  });
}

async function sendSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { id: userId, sessionId: browserSessionId }: BrowserSession,
): Promise<FastifyReply> {
  const context = requestContextOf(request);
  const { db, now, tokens } = context;
  const body = isObject(request.body) ? request.body : {};
  const publicId = typeof body["publicId"] === "string" ? body["publicId"] : "";
  const claims = await inTransaction(db, async (tx) => {
    const dashboard = await readPublishedDashboard(tx, publicId);
    const principal = await principalOfUser(tx, userId);
    const target = { type: "dashboard", id: dashboard.id } as const;
    const refused =
      principal === undefined ||
      (await authorizeResource({ db: tx, principal }, "EmbedDashboardRead", target));
    // Whoever may not view it does not learn that it exists.
    if (refused) throw new Failure("not_found", "there is no such dashboard");
    const { deployment_id: deploymentId } = dashboard;
    return openPrivateSession(tx, { userId, browserSessionId, deploymentId }, now());
  });
  const token = await tokens.issueEmbedToken(claims);
  // A page that renews its token has the dashboard.
  if (body["dashboard"] !== true) return reply.send({ token });
  const principal = await identify(db, context, token);
  const dashboard = principal && (await openDashboard({ ...context, principal }, publicId));
  return reply.send({ token, dashboard });
}
