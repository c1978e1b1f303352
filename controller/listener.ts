// The HTTP server of a controller: health, status, metrics, and webhooks that trigger a reconciliation.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { refuseMethod, type RefusedMethod } from "../core/operation/allowed-methods.ts";
import { isAllowedHost } from "../core/system/allowed-host.ts";
import { Failure, isFailure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { systemErrorText } from "../core/system/system-error.ts";
import { type ControllerConfig, readSecret, type Source } from "./config.ts";
import type { ReconciliationEvent } from "./events.ts";
import { isAuthentic } from "../git/webhook-signature.ts";
import { webhookRateLimit } from "./webhook-rate-limit.ts";
import { controllerMetrics } from "./metrics.ts";
import { trackStatus } from "./status.ts";

/** The options of {@link listen}. */
export interface ListenerOptions {
  readonly config: ControllerConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds of a clock that is never set back. */
  readonly monotonicMs: () => number;
  /** Called for each authentic webhook. */
  readonly onWebhook: (source: string) => void;
}

/** A running HTTP server. */
export interface Listener {
  readonly url: string;
  record(event: ReconciliationEvent): void;
  close(): Promise<void>;
}

interface HttpResponse {
  readonly status: number;
  readonly body: JsonValue | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts the HTTP server. Fails with `unavailable` if it cannot listen, and with `unauthenticated` if the secret of a webhook is missing. */
export async function listen(
  at: NonNullable<ControllerConfig["listen"]>,
  options: ListenerOptions,
): Promise<Listener> {
  requireSecrets(options);
  const status = trackStatus(options.config.sources);
  const metrics = controllerMetrics();
  const webhooks = webhookRoutes(options);
  const forOperators = (route: Route): Route => ({
    ...route,
    respond: async (request) =>
      isAllowedHost(request.headers.host, at.host) ? route.respond(request) : forbiddenHost,
  });
  const pages: ReadonlyMap<string, Route> = new Map([
    ["/healthz", page(async () => ({ status: 200, body: { status: "live" } }))],
    ["/readyz", page(async () => (status.isReady() ? ready : notReady))],
    ["/status", forOperators(page(async () => ({ status: 200, body: status.toJson() })))],
    [
      "/metrics",
      forOperators(
        page(async () => ({
          status: 200,
          body: await metrics.text(),
          headers: { "content-type": metrics.contentType },
        })),
      ),
    ],
  ]);
  const responseTo = async (request: IncomingMessage): Promise<HttpResponse> => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    const route = pages.get(path) ?? webhooks.get(path);
    if (route === undefined) return notFound;
    const refused = refuseMethod(request.method ?? "", route.methods);
    return refused === undefined ? route.respond(request) : methodNotAllowed(refused);
  };
  const server = createServer(serverLimits, (request, response) => {
    responseTo(request).then(
      (answer) => send(request, response, answer),
      (error: unknown) => send(request, response, internalError(error)),
    );
  });
  server.maxConnections = limits.hookConnections;
  const url = await startListening(server, at);
  return {
    url,
    record: (event) => {
      status.record(event);
      metrics.record(event);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The handler of a path. */
interface Route {
  readonly methods: readonly string[];
  respond(request: IncomingMessage): Promise<HttpResponse>;
}

/** Returns a read-only route. */
function page(respond: Route["respond"]): Route {
  return { methods: ["GET", "HEAD"], respond };
}

const ready: HttpResponse = { status: 200, body: { status: "ready" } };

const notReady: HttpResponse = {
  status: 503,
  body: { status: "not every source was reconciled yet" },
};

const notFound: HttpResponse = {
  status: 404,
  body: errorBody("unknown_route", "this path does not exist"),
};

function methodNotAllowed({ allow, failure: { code, message } }: RefusedMethod): HttpResponse {
  return { status: 405, body: errorBody(code, message), headers: { allow } };
}

const serverLimits = {
  requestTimeout: limits.hookMs,
  connectionsCheckingInterval: limits.hookCheckMs,
  headersTimeout: limits.hookMs,
  maxHeaderSize: limits.headBytes,
};

/** Checks secrets at the start instead of at the first webhook. */
function requireSecrets({ config, env }: ListenerOptions): void {
  for (const { webhook } of config.sources) if (webhook !== undefined) readSecret(webhook, env);
}

const forbiddenHost: HttpResponse = {
  status: 403,
  body: errorBody("forbidden", "only requests for localhost or an IP address are allowed"),
};

/** Returns the routes of the sources that have a webhook, by path. */
function webhookRoutes(options: ListenerOptions): ReadonlyMap<string, Route> {
  return new Map(
    options.config.sources.flatMap((source) => {
      const { webhook } = source;
      if (webhook === undefined) return [];
      const respond = webhookHandler(source, webhook, options);
      return [[`/hook/${source.name}`, { methods: ["POST"], respond }] as const];
    }),
  );
}

function webhookHandler(
  source: Source,
  webhook: NonNullable<Source["webhook"]>,
  { config, env, monotonicMs, onWebhook }: ListenerOptions,
): Route["respond"] {
  // Signed and unsigned requests have separate limits for each source.
  const [good, bad] = [webhookRateLimit(monotonicMs), webhookRateLimit(monotonicMs)];
  return async (request) => {
    const body = await bodyOf(request);
    if (body === undefined) {
      const late = tooManyRequests(bad());
      return late ?? { status: 413, body: errorBody("too_large", "the body is too large") };
    }
    const isKnown = isAuthentic(readSecret(webhook, env), request.headers, body);
    const late = tooManyRequests(isKnown ? good() : bad());
    if (late !== undefined) return late;
    if (!isKnown) {
      return {
        status: 401,
        body: errorBody("unauthenticated", "the signature is missing or wrong"),
      };
    }
    for (const one of sourcesOfRepository(config, source)) onWebhook(one.name);
    return { status: 202, body: { status: "a reconciliation is triggered" } };
  };
}

/** Returns the sources of the same repository, which one webhook triggers together. */
function sourcesOfRepository({ sources }: ControllerConfig, source: Source): readonly Source[] {
  const { git } = source;
  if (git === undefined) return [source];
  const repository = repositoryOf(git.url);
  return sources.filter((one) => one.git !== undefined && repositoryOf(one.git.url) === repository);
}

function repositoryOf(url: string): string {
  return url.replace(/\/+$/u, "").replace(/\.git$/u, "");
}

function tooManyRequests(wait: number | undefined): HttpResponse | undefined {
  if (wait === undefined) return undefined;
  const headers = { "retry-after": String(wait) };
  return { status: 429, body: errorBody("rate_limited", "too many webhooks"), headers };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > limits.hookBytes) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function errorBody(code: string, message: string): JsonValue {
  return { error: { code, message } };
}

/** Returns an error without internal details. */
function internalError(error: unknown): HttpResponse {
  const code = isFailure(error) ? "unavailable" : "internal";
  return { status: 500, body: errorBody(code, "the request failed") };
}

function send(request: IncomingMessage, response: ServerResponse, answer: HttpResponse): void {
  const { status, body, headers = {} } = answer;
  const text = typeof body === "string" ? body : `${JSON.stringify(body)}\n`;
  // Close the connection if the request body was not read completely.
  const rest = request.complete ? {} : { connection: "close" };
  const type = "application/json; charset=utf-8";
  response.writeHead(status, {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...rest,
    ...headers,
  });
  response.end(request.method === "HEAD" ? undefined : text);
}

async function startListening(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const message = `cannot listen on ${host}:${port}: ${systemErrorText(cause)}`;
      reject(new Failure("unavailable", message, { cause, remedy: "Configure another port." }));
    });
    server.listen({ host, port }, resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
}
