// Creates Fastify for the API and for the addresses of deployments: limits, body parsers, request IDs, headers and errors.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { extensionMethods } from "../../core/operation/operation.ts";
import { type Certificates, sniCallback } from "../security/tls.ts";
import { parseBody, parseExactBody } from "./body.ts";
import { handleClientError } from "./client-errors.ts";
import { jsonOnly, sendErrorResponse } from "./request/error-responses.ts";
import type { Health } from "./health.ts";
import type { LoadShedder } from "./request/load-shedding.ts";
import { parseMultipart } from "./multipart.ts";
import { acceptsPages, sendUnknownPage } from "./pages/routes.ts";
import type { RequestAdmission } from "./request/request-admission.ts";
import { routerOptions } from "./allowed-methods.ts";

/** The parts from which Fastify is created. */
export interface FastifyParts {
  /** Address ranges of proxies whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Undefined for plain HTTP. */
  readonly certificates: Certificates | undefined;
  readonly health: Health;
  readonly load: LoadShedder;
  readonly log: Logger;
  /** Returns the ID of a request; the client's or a random one by default. */
  readonly requestIdOf?: (raw: IncomingMessage) => string;
}

const defaultHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Creates Fastify over HTTP/1.1 with limits for headers, bodies, connections and time. */
export function createFastify(
  { log, trustedProxies, certificates, health, load, requestIdOf = givenRequestId }: FastifyParts,
  admission: Pick<RequestAdmission, "takeTurn">,
): FastifyInstance {
  const http = {
    maxHeaderSize: limits.headBytes,
    connectionsCheckingInterval: limits.connectionCheckMs,
    headersTimeout: limits.headMs,
    // The application reports a missing Host header itself.
    requireHostHeader: false,
    // Some clients offer HTTP/2 with an upgrade that servers may ignore.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
      headers.upgrade?.toLowerCase() === "websocket",
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
    genReqId: requestIdOf,
    clientErrorHandler: handleClientError,
    routerOptions,
    frameworkErrors: (error, request, reply) => {
      setDefaultHeaders(request, reply);
      // The path cannot be read, so it is that of no page.
      if (acceptsPages(request)) void sendUnknownPage(request, reply);
      else void sendErrorResponse(error, { request, reply, log });
    },
  });
  app.server.on("connection", () => load.connectionAccepted());
  app.server.maxConnections = limits.connections;
  app.server.maxHeadersCount = limits.headers;
  app.setErrorHandler((error, request, reply) => sendErrorResponse(error, { request, reply, log }));
  // Decided when the response is sent, so that it also holds for requests that began before the stop.
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (health.draining) reply.header("connection", "close");
    done(null, payload);
  });
  addBodyParsers(app, admission);
  return app;
}

/** Adds the members of requests, and the parsers of their bodies. */
function addBodyParsers(app: FastifyInstance, admission: Pick<RequestAdmission, "takeTurn">): void {
  app.decorateRequest("principal", null);
  app.decorateRequest("requestContext", null);
  app.decorateRequest("operationId", "");
  app.decorateRequest("bodyBytes", 0);
  app.decorateRequest("bodyText", "");
  app.decorateRequest("deploymentRoute", "");
  for (const method of extensionMethods) app.addHttpMethod(method, { hasBody: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i,
    { parseAs: "buffer" },
    async (request: FastifyRequest, bytes: Buffer) => {
      await admission.takeTurn(request);
      request.bodyBytes = bytes.length;
      // The body may be as large as a state.
      const keepsText = request.routeOptions.config.operation?.verbatim === true;
      if (!keepsText) return parseExactBody(bytes);
      request.bodyText = bytes.toString("utf8");
      return parseBody(bytes, limits.stateValues);
    },
  );
  app.addContentTypeParser(
    /^multipart\/form-data\s*;/i,
    { parseAs: "buffer" },
    async (request: FastifyRequest, bytes: Buffer) => {
      await admission.takeTurn(request);
      request.bodyBytes = bytes.length;
      const { multipart, body: schema } = request.routeOptions.config.operation ?? {};
      if (multipart !== true || schema === undefined)
        throw new Failure("unsupported_media_type", jsonOnly);
      const contentType = request.headers["content-type"] ?? "";
      return parseMultipart(bytes, { contentType, schema });
    },
  );
}

function givenRequestId({ headers: sent }: { headers: NodeJS.Dict<string | string[]> }): string {
  const given = sent["x-request-id"];
  return typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Sets the headers of every response. */
export function setDefaultHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(defaultHeaders).header("x-request-id", request.id);
  if (request.protocol === "https") reply.header("strict-transport-security", "max-age=31536000");
}
