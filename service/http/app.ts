// The HTTP application of a server: routes, health, unknown routes, errors, headers and the request log.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { Failure } from "../../core/errors.ts";
import type { OperationHandler } from "../areas/shared/operation-handler.ts";
import { collectRoutes, methodNotAllowed } from "./allowed-methods.ts";
import { allowOtherOrigins, answerPreflight, isPreflight } from "./cross-origin.ts";
import { createFastify, type FastifyParts, setDefaultHeaders } from "./fastify.ts";
import { addHealth, type Health } from "./health.ts";
import type { Metrics } from "./metrics.ts";
import { type AdmissionOptions, makeRequestAdmission } from "./request/request-admission.ts";
import { validateRequestHead } from "./request-head.ts";
import { acceptsPages, addPages, sendUnknownPage, unknownRoute } from "./pages/routes.ts";
import { addSignIn } from "./sign-in/routes.ts";
import { addOperations } from "./routes.ts";
import { addUnsubscribe } from "./unsubscribe.ts";

/** The parts of an application. */
export interface ApplicationOptions extends FastifyParts, AdmissionOptions {
  readonly handlers: readonly OperationHandler[];
  readonly health: Health;
  /** Throws if the server cannot serve now. */
  readonly requireReady: () => Promise<void>;
  /** Undefined if metrics are off. */
  readonly metrics: Metrics | undefined;
  /** Unknown routes return a web page with status 200, as the platform's web front end does, instead of an error. */
  readonly webFront: boolean;
  readonly deploymentRouter: DeploymentRouter;
}

/** Serves the addresses of deployments, apart from the API. */
export interface DeploymentRouter {
  /** Routes a request for the address of a deployment. Returns false for any other request. */
  route(request: FastifyRequest, reply: FastifyReply): Promise<boolean>;
}

const webFrontPage =
  '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>svc</title></head>' +
  '<body><div id="app"></div></body></html>\n';

/** Builds the application. It does not listen yet. */
export function buildApp(application: ApplicationOptions): FastifyInstance {
  const { log, handlers, health, metrics } = application;
  const admission = makeRequestAdmission(application);
  const app = createFastify(application, admission);
  const findPath = collectRoutes(app);
  addOperations(app, handlers, admission);
  app.addHook("onRequest", async (request, reply) => {
    setDefaultHeaders(request, reply);
    if (request.routeOptions.config?.operation?.crossOrigin === true) allowOtherOrigins(reply);
    validateRequestHead(request);
    if (health.stopping) {
      throw new Failure("unavailable", "the server is stopping; try again", { retryAfter: 1 });
    }
    if (await application.deploymentRouter.route(request, reply)) return reply;
    const path = findPath(request.url);
    // Another path may have the method, with a part of this one as a parameter: `/users/{id}` for `/users/me`.
    if (!request.is404 && path?.url === request.routeOptions.url) return undefined;
    // The web front end responds to every request that no route takes.
    const refused = application.webFront
      ? undefined
      : methodNotAllowed(request, reply, path?.methods);
    admission.resolveAccount(request);
    const open = refused && isPreflight(request) ? (path?.crossOrigin ?? []) : [];
    if (open.length > 0) return answerPreflight(reply, open);
    admission.count(request, reply);
    if (refused === undefined) return respondUnknownRoute(request, reply, application);
    throw refused;
  });
  app.addHook("onResponse", async (request, reply) => {
    logRequest(log, request, { reply, path: findPath(request.url)?.url });
    metrics?.request(request.operationId, reply.statusCode, reply.elapsedTime / 1000);
  });
  app.setNotFoundHandler((request, reply) => respondUnknownRoute(request, reply, application));
  addHealth(app, application);
  addPages(app, { admission });
  addSignIn(app, { admission, log });
  addUnsubscribe(app, { admission });
  return app;
}

async function respondUnknownRoute(
  request: FastifyRequest,
  reply: FastifyReply,
  { webFront }: ApplicationOptions,
): Promise<FastifyReply> {
  if (webFront) return reply.code(200).type("text/html; charset=utf-8").send(webFrontPage);
  if (acceptsPages(request)) return sendUnknownPage(request, reply);
  throw unknownRoute();
}

/** Logs path, method, status and time. Never logs headers, queries or bodies. */
function logRequest(
  log: Logger,
  request: FastifyRequest,
  { reply, path = "unknown" }: { readonly reply: FastifyReply; readonly path: string | undefined },
): void {
  if (!log.isLevelEnabled("info")) return;
  log.info({
    requestId: request.id,
    method: request.method,
    route: request.deploymentRoute || (request.routeOptions.url ?? path),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
  });
}
