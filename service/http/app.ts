// The HTTP application of a server: routes, health, unknown routes, errors, headers and the request log.
import { randomUUID } from "node:crypto";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { extensionMethods } from "../../core/operation.ts";
import type { OperationHandler } from "../areas/operation-handler.ts";
import type { Metrics } from "./metrics.ts";
import { type Certificates, sniCallback } from "../security/tls.ts";
import { parseBody } from "./body.ts";
import { jsonOnly, sendErrorResponse } from "./error-responses.ts";
import {
  type RequestAdmission,
  type AdmissionOptions,
  makeRequestAdmission,
} from "./request-admission.ts";
import { parseMultipart } from "./multipart.ts";
import { validateRequestHead } from "./request-head.ts";
import { addHealth, type HealthOptions } from "./health.ts";
import { handleClientError } from "./client-errors.ts";
import { addRoute, routePath, servedRoutes } from "./routes.ts";

/** The parts of an application. */
export interface ApplicationOptions extends AdmissionOptions, HealthOptions {
  readonly handlers: readonly OperationHandler[];
  /** Address ranges of proxies whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Undefined for plain HTTP. */
  readonly certificates: Certificates | undefined;
  /** Undefined if metrics are off. */
  readonly metrics: Metrics | undefined;
  /** Unknown routes return a web page with status 200, as the platform's web front end does, instead of an error. */
  readonly webFront: boolean;
  readonly log: Logger;
}

const webFrontPage =
  '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>svc</title></head>' +
  '<body><div id="app"></div></body></html>\n';

const defaultHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Builds the application. It does not listen yet. */
export function buildApp(application: ApplicationOptions): FastifyInstance {
  const { log, handlers, health, metrics } = application;
  const admission = makeRequestAdmission(application);
  const app = createFastify(application);
  app.decorateRequest("principal", null);
  app.decorateRequest("requestContext", null);
  app.decorateRequest("operationId", "");
  app.decorateRequest("bodyBytes", 0);
  app.decorateRequest("bodyText", "");
  for (const method of extensionMethods) app.addHttpMethod(method, { hasBody: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i,
    { parseAs: "buffer" },
    async (request: FastifyRequest, bytes: Buffer) => {
      await admission.takeTurn(request);
      request.bodyBytes = bytes.length;
      const { keepsText } = request.routeOptions.config;
      if (keepsText === true) request.bodyText = bytes.toString("utf8");
      return parseBody(bytes, keepsText === true ? limits.stateValues : limits.bodyValues);
    },
  );
  app.addContentTypeParser(
    /^multipart\/form-data\s*;/i,
    { parseAs: "buffer" },
    async (request: FastifyRequest, bytes: Buffer) => {
      await admission.takeTurn(request);
      request.bodyBytes = bytes.length;
      const { form: schema } = request.routeOptions.config;
      if (schema === undefined) throw new Failure("unsupported_media_type", jsonOnly);
      const contentType = request.headers["content-type"] ?? "";
      return parseMultipart(bytes, { contentType, schema });
    },
  );
  app.addHook("onRequest", async (request, reply) => {
    setDefaultHeaders(request, reply);
    validateRequestHead(request);
    if (health.draining) reply.header("connection", "close");
    if (health.stopping) {
      throw new Failure("unavailable", "the server is stopping; try again", { retryAfter: 1 });
    }
    if (!request.is404) return undefined;
    admitUnauthenticated(admission, request, reply);
    return respondUnknownRoute(reply, application);
  });
  app.addHook("onResponse", async (request, reply) => {
    logRequest(log, request, reply);
    metrics?.request(request.operationId, reply.statusCode, reply.elapsedTime / 1000);
    // Close idle keep-alive connections; they would delay the stop until they time out.
    if (health.stopping) request.raw.socket.end();
  });
  app.setErrorHandler((error, request, reply) => sendErrorResponse(error, { request, reply, log }));
  app.setNotFoundHandler((_, reply) => respondUnknownRoute(reply, application));
  addHealth(app, { ...application, admission });
  for (const handler of handlers) addRoute(app, handler, admission);
  if (!application.webFront) addMethodNotAllowedRoutes(app, handlers, admission);
  return app;
}

/** Finds the account and counts the request of a route that needs no credential. */
function admitUnauthenticated(
  admission: RequestAdmission,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  admission.resolveAccount(request);
  admission.count(request, reply);
}

/** Creates Fastify over HTTP/1.1 with limits for headers, bodies, connections and time. */
function createFastify({
  log,
  trustedProxies,
  certificates,
  load,
}: ApplicationOptions): FastifyInstance {
  const http = {
    maxHeaderSize: limits.headBytes,
    connectionsCheckingInterval: limits.connectionCheckMs,
    headersTimeout: limits.headMs,
    // The application reports a missing Host header itself.
    requireHostHeader: false,
  };
  const app: FastifyInstance = Fastify({
    logger: false,
    ...(certificates === undefined
      ? { http }
      : { https: { ...http, ...certificates.first, SNICallback: sniCallback(certificates) } }),
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: requestId,
    clientErrorHandler: handleClientError,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 8192 },
    frameworkErrors: (error, request, reply) => {
      setDefaultHeaders(request, reply);
      void sendErrorResponse(error, { request, reply, log });
    },
  });
  app.server.on("connection", () => load.connectionAccepted());
  app.server.maxConnections = limits.connections;
  app.server.maxHeadersCount = limits.headers;
  return app;
}

function requestId({ headers: sent }: { headers: NodeJS.Dict<string | string[]> }): string {
  const given = sent["x-request-id"];
  return typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

function setDefaultHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(defaultHeaders).header("x-request-id", request.id);
  if (request.protocol === "https") reply.header("strict-transport-security", "max-age=31536000");
}

function respondUnknownRoute(reply: FastifyReply, { webFront }: ApplicationOptions): FastifyReply {
  if (webFront) return reply.code(200).type("text/html; charset=utf-8").send(webFrontPage);
  throw new Failure(
    "unknown_route",
    "there is no such operation; GET /api/v1/spec lists the operations of this server",
  );
}

/** Logs path, method, status and time. Never logs headers, queries or bodies. */
function logRequest(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  if (!log.isLevelEnabled("info")) return;
  log.info({
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url ?? "unknown",
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
  });
}

const httpMethods = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "QUERY",
] as const;

/** Adds routes that answer the other methods of a served path with the list of supported methods. */
function addMethodNotAllowedRoutes(
  app: FastifyInstance,
  handlers: readonly OperationHandler[],
  admission: RequestAdmission,
): void {
  const routes = handlers.flatMap(({ operation }) => servedRoutes(operation));
  // Paths that differ only in parameter names are the same path.
  const byPath = Map.groupBy(routes, ({ path }) => routePath(path).replace(/:\w+/g, ":"));
  for (const served of byPath.values()) {
    const [first] = served;
    if (first === undefined) continue;
    const has = new Set<string>(served.map(({ method }) => method));
    addMethodNotAllowedRoute(app, { url: routePath(first.path), has }, admission);
  }
}

function addMethodNotAllowedRoute(
  app: FastifyInstance,
  { url, has }: { url: string; has: ReadonlySet<string> },
  admission: RequestAdmission,
): void {
  const allow = [
    ...(has.has("GET") ? ["GET", "HEAD"] : []),
    ...[...has].filter((m) => m !== "GET"),
  ];
  const refused = httpMethods.filter((method) => method === "OPTIONS" || !allow.includes(method));
  app.route({
    method: refused,
    url,
    onRequest: async (request, reply) => {
      admitUnauthenticated(admission, request, reply);
      reply.header("allow", allow.join(", "));
      throw new Failure(
        "method_not_allowed",
        `this path does not support ${request.method}; use ${allow.join(", ")}`,
      );
    },
    handler: async () => undefined,
  });
}
