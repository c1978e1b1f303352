// The HTTP application of a server: routes, health, unknown routes, errors, headers and the log of requests.
import { randomUUID } from "node:crypto";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { foreignMethods } from "../../core/operation.ts";
import type { Behaviour } from "../area.ts";
import type { Metrics } from "../metrics.ts";
import { type Certificates, chooser } from "../tls.ts";
import { parseBody } from "./body.ts";
import { answerFailure } from "./failures.ts";
import { type Gate, type GateParts, makeGate } from "./gate.ts";
import { refuseHead } from "./head.ts";
import { addHealth, type HealthParts } from "./health.ts";
import { refuseConnection } from "./refused-connection.ts";
import { addRoute, routePath, spellings } from "./routes.ts";

/** What an application is made of. */
export interface Application extends GateParts, HealthParts {
  readonly behaviours: readonly Behaviour[];
  /** Ranges of addresses whose word about their own clients is believed. */
  readonly trustedProxies: readonly string[];
  /** Undefined for plain HTTP. */
  readonly certificates: Certificates | undefined;
  /** Undefined where nothing is measured. */
  readonly metrics: Metrics | undefined;
  /** Unknown routes answer as the product's web front does, with a page, and not with an error. */
  readonly webFront: boolean;
  readonly log: Logger;
}

const page =
  '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>svc</title></head>' +
  '<body><div id="app"></div></body></html>\n';

const headers = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Builds the application; it does not listen yet. */
export function buildApp(application: Application): FastifyInstance {
  const { log, behaviours, health, metrics } = application;
  const gate = makeGate(application);
  const app = listener(application);
  app.decorateRequest("principal", null);
  app.decorateRequest("ground", null);
  app.decorateRequest("operationId", "");
  app.decorateRequest("bodyBytes", 0);
  app.decorateRequest("bodyText", "");
  for (const method of foreignMethods) app.addHttpMethod(method, { hasBody: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i,
    { parseAs: "buffer" },
    async (request: FastifyRequest, bytes: Buffer) => {
      request.bodyBytes = bytes.length;
      const { keepsText } = request.routeOptions.config;
      if (keepsText === true) request.bodyText = bytes.toString("utf8");
      return parseBody(bytes, keepsText === true ? limits.stateValues : limits.bodyValues);
    },
  );
  app.addHook("onRequest", async (request, reply) => {
    decorate(request, reply);
    refuseHead(request);
    if (health.draining) reply.header("connection", "close");
    if (health.stopping) {
      throw new Failure("unavailable", "the server is stopping; try again", { retryAfter: 1 });
    }
    if (!request.is404) return undefined;
    pass(gate, request, reply);
    return answerUnknown(reply, application);
  });
  app.addHook("onResponse", async (request, reply) => {
    logRequest(log, request, reply);
    metrics?.request(request.operationId, reply.statusCode, reply.elapsedTime / 1000);
    // A connection that is kept alive would hold up the stop until its time is over.
    if (health.stopping) request.raw.socket.end();
  });
  app.setErrorHandler((error, request, reply) => answerFailure(error, { request, reply, log }));
  app.setNotFoundHandler((_, reply) => answerUnknown(reply, application));
  addHealth(app, application);
  for (const behaviour of behaviours) addRoute(app, behaviour, gate);
  if (!application.webFront) refuseOtherMethods(app, behaviours, gate);
  return app;
}

/** What stands before a route that asks for no credential. */
function pass(gate: Gate, request: FastifyRequest, reply: FastifyReply): void {
  gate.enter(request);
  gate.count(request, reply);
}

/** Fastify over HTTP/1.1 with the bounds of heads, bodies, connections and time. */
function listener({ log, trustedProxies, certificates }: Application): FastifyInstance {
  const http = {
    maxHeaderSize: limits.headBytes,
    connectionsCheckingInterval: limits.connectionCheckMs,
    headersTimeout: limits.headMs,
    // A request without Host is told so in our own words.
    requireHostHeader: false,
  };
  const app: FastifyInstance = Fastify({
    logger: false,
    ...(certificates === undefined
      ? { http }
      : { https: { ...http, ...certificates.first, SNICallback: chooser(certificates) } }),
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: requestId,
    clientErrorHandler: refuseConnection,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 8192 },
    frameworkErrors: (error, request, reply) => {
      decorate(request, reply);
      void answerFailure(error, { request, reply, log });
    },
  });
  app.server.maxConnections = limits.connections;
  app.server.maxHeadersCount = limits.headers;
  return app;
}

function requestId({ headers: sent }: { headers: NodeJS.Dict<string | string[]> }): string {
  const given = sent["x-request-id"];
  return typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

function decorate(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(headers).header("x-request-id", request.id);
}

function answerUnknown(reply: FastifyReply, { webFront }: Application): FastifyReply {
  if (webFront) return reply.code(200).type("text/html; charset=utf-8").send(page);
  throw new Failure(
    "unknown_route",
    "there is no such operation; GET /api/v1/spec lists what this server offers",
  );
}

/** Path, method, status and time: never a header, query or body. */
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

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** A path that is served answers every other method with the list of those it has. */
function refuseOtherMethods(
  app: FastifyInstance,
  behaviours: readonly Behaviour[],
  gate: Gate,
): void {
  const routes = behaviours.flatMap(({ operation }) => spellings(operation));
  // Paths that differ in the name of a parameter are one path.
  const byPath = Map.groupBy(routes, ({ path }) => routePath(path).replace(/:\w+/g, ":"));
  for (const served of byPath.values()) {
    const [first] = served;
    if (first === undefined) continue;
    const has = new Set<string>(served.map(({ method }) => method));
    refuseMethods(app, { url: routePath(first.path), has }, gate);
  }
}

function refuseMethods(
  app: FastifyInstance,
  { url, has }: { url: string; has: ReadonlySet<string> },
  gate: Gate,
): void {
  const allow = [
    ...(has.has("GET") ? ["GET", "HEAD"] : []),
    ...[...has].filter((m) => m !== "GET"),
  ];
  const refused = methods.filter((method) => method === "OPTIONS" || !has.has(method));
  app.route({
    method: refused,
    url,
    onRequest: async (request, reply) => {
      pass(gate, request, reply);
      reply.header("allow", allow.join(", "));
      throw new Failure(
        "method_not_allowed",
        `${request.method} is not possible here; use ${allow.join(", ")}`,
      );
    },
    handler: async () => undefined,
  });
}
