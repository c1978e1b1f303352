// The HTTP application of one account: routes, health, unknown routes, errors, headers and the log of requests.
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { problem } from "../../api/problems.ts";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import type { Method, Operation } from "../../core/operation.ts";
import type { Behaviour } from "../area.ts";
import { parseBody } from "./body.ts";
import { answerFailure } from "./failures.ts";
import { addHealth, type Health } from "./health.ts";
import { addRoute, type Ground, routePath } from "./routes.ts";

/** What an application is made of. */
export interface Application extends Ground {
  readonly behaviours: readonly Behaviour[];
  /** Unknown routes answer as the product's web front does, with a page, and not with an error. */
  readonly webFront: boolean;
  readonly health: Health;
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
  const { log, behaviours } = application;
  const app = Fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
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
  app.decorateRequest("principal", null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i,
    { parseAs: "buffer" },
    async (_: FastifyRequest, bytes: Buffer) => parseBody(bytes),
  );
  app.addHook("onRequest", async (request, reply) => {
    decorate(request, reply);
    if (application.health.stopping) {
      reply.header("connection", "close");
      throw new Failure("unavailable", "the server is stopping; try again", { retryAfter: 1 });
    }
    if (request.is404) return answerUnknown(reply, application);
    return undefined;
  });
  app.addHook("onResponse", async (request, reply) => {
    logRequest(log, request, reply);
    // A connection that is kept alive would hold up the stop until its time is over.
    if (application.health.stopping) request.raw.socket.end();
  });
  app.setErrorHandler((error, request, reply) => answerFailure(error, { request, reply, log }));
  app.setNotFoundHandler((_, reply) => answerUnknown(reply, application));
  addHealth(app, application);
  for (const behaviour of behaviours) addRoute(app, behaviour, application);
  if (!application.webFront) refuseOtherMethods(app, behaviours);
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
function refuseOtherMethods(app: FastifyInstance, behaviours: readonly Behaviour[]): void {
  const paths = Map.groupBy(
    behaviours.map(({ operation }) => operation),
    ({ path }) => routePath(path),
  );
  // Paths that differ in the name of a parameter are one path.
  for (const [, served] of Map.groupBy(paths, ([path]) => path.replace(/:\w+/g, ":"))) {
    const url = served[0]?.[0];
    if (url !== undefined)
      refuseMethods(
        app,
        url,
        served.flatMap(([, operations]) => operations),
      );
  }
}

function refuseMethods(app: FastifyInstance, url: string, served: readonly Operation[]): void {
  const has = new Set<Method>(served.map(({ method }) => method));
  const allow = [
    ...(has.has("GET") ? ["GET", "HEAD"] : []),
    ...[...has].filter((m) => m !== "GET"),
  ];
  const refused = methods.filter((method) => method === "OPTIONS" || !has.has(method));
  app.route({
    method: refused,
    url,
    onRequest: async (request, reply) => {
      reply.header("allow", allow.join(", "));
      throw new Failure(
        "method_not_allowed",
        `${request.method} is not possible here; use ${allow.join(", ")}`,
      );
    },
    handler: async () => undefined,
  });
}

/** What is not even HTTP gets the same body as every other mistake. */
function refuseConnection(_: Error, socket: Socket): void {
  if (!socket.writable) return;
  const body = JSON.stringify(problem("invalid", "the request is not valid HTTP"));
  socket.end(
    "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\n" +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
