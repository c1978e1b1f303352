// The HTTP server of a controller: health, status, metrics, webhooks that trigger a reconciliation, the API and the page.
import { createServer, type IncomingMessage, type Server } from "node:http";
import { refuseMethod } from "../core/operation/allowed-methods.ts";
import { isAllowedHost } from "../core/system/allowed-host.ts";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { systemErrorText } from "../core/system/system-error.ts";
import { type ApiOptions, createApi } from "./api.ts";
import {
  type ControllerConfig,
  hasApi,
  type ListenConfig,
  readSecret,
  type Source,
} from "./config.ts";
import type { ReconciliationEvent } from "./events.ts";
import { isAuthentic } from "../git/webhook-signature.ts";
import {
  bodyOf,
  errorResponse,
  failedResponse,
  type HttpResponse,
  methodNotAllowed,
  notFound,
  readOnly,
  type Route,
  send,
} from "./http.ts";
import { openPage } from "./page.ts";
import { requestRateLimit } from "./request-rate-limit.ts";
import type { Rounds } from "./rounds.ts";
import { controllerMetrics, type ControllerMetrics } from "./metrics.ts";
import { trackStatus } from "./status.ts";

/** The options of {@link listen}. */
export interface ListenerOptions extends ApiOptions {
  /** Those of the listener before; undefined for new ones. */
  readonly metrics?: ControllerMetrics | undefined;
  /** The reconciliations that run, by source. */
  readonly running: Rounds["running"];
  /** What `/status` shows beside the sources. */
  readonly status: () => Promise<object>;
  /** Returns why the state cannot be used. */
  readonly stateFailure: () => Promise<Failure | undefined>;
  /** Called for each authentic webhook, with the sources of its repository. */
  readonly onWebhook: (entry: string, sources: readonly string[]) => Promise<void>;
}

/** A running HTTP server. */
export interface Listener {
  readonly url: string;
  readonly metrics: ControllerMetrics;
  record(event: ReconciliationEvent): void;
  /** Records a reconciliation by another replica, which counts it in its metrics. */
  follow(event: ReconciliationEvent): void;
  /** Takes a source over, with what is known about it. */
  take(source: string): void;
  /** Leaves a source to another replica. */
  release(source: string): void;
  /** Leaves out a source that is gone. */
  forget(source: string): void;
  /** Tells the readers of the page about sources. */
  publish(...names: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the HTTP server. Fails with `unavailable` if it cannot listen, with `unauthenticated` if a secret is missing, and with
 * `usage` if a token is too short.
 */
export async function listen(at: ListenConfig, options: ListenerOptions): Promise<Listener> {
  requireSecrets(options);
  const status = trackStatus(options.config);
  const { metrics = controllerMetrics(), running } = options;
  metrics.retain(new Set(options.config.sources.map(({ name }) => name)));
  const webhooks = webhookRoutes(options);
  const api = hasApi({ listen: at }) ? createApi(options) : undefined;
  const page = api && openPage(at.login);
  const statusOf = async (): Promise<HttpResponse> => {
    const body = { ...status.toJson(running), ...(await options.status()) };
    return { status: 200, body: JSON.stringify(body) };
  };
  const forOperators = (route: Route): Route => ({
    ...route,
    respond: async (request) =>
      isAllowedHost(request.headers.host, at.host) ? route.respond(request) : forbiddenHost,
  });
  const pages: ReadonlyMap<string, Route> = new Map([
    ["/healthz", readOnly(async () => liveness(await options.stateFailure()))],
    ["/readyz", readOnly(async () => readiness(await options.stateFailure()))],
    ["/status", forOperators(readOnly(async () => statusOf()))],
    [
      "/metrics",
      forOperators(
        readOnly(async () => ({
          status: 200,
          body: await metrics.text([...running.values()]),
          headers: { "content-type": metrics.contentType },
        })),
      ),
    ],
  ]);
  const responseTo = async (request: IncomingMessage): Promise<HttpResponse> => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    if (api !== undefined && path.startsWith("/api/")) {
      const isAllowed = isAllowedHost(request.headers.host, at.host);
      return isAllowed ? api.respond(request, path) : forbiddenHost;
    }
    const file = page?.routeOf(path);
    const route = pages.get(path) ?? webhooks.get(path) ?? (file && forOperators(file));
    if (route === undefined) return notFound;
    const refused = refuseMethod(request.method ?? "", route.methods);
    return refused === undefined ? route.respond(request) : methodNotAllowed(refused);
  };
  const server = createServer(serverLimits, (request, response) => {
    responseTo(request).then(
      (answer) => send(request, response, answer),
      (error: unknown) => send(request, response, failedResponse(error)),
    );
  });
  server.maxConnections = limits.hookConnections;
  const url = await startListening(server, at);
  return {
    url,
    metrics,
    record: (event) => {
      status.record(event);
      metrics.record(event);
    },
    follow: (event) => status.record(event),
    take: (source) => {
      const event = status.last(source);
      if (event !== undefined) metrics.show(event);
    },
    release: (source) => metrics.forget(source),
    forget: (source) => {
      status.forget(source);
      metrics.forget(source);
    },
    publish: async (...names) => api?.publish(...names),
    close: async () => {
      api?.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A restart would not help against a failure of the state. */
function liveness(failure: Failure | undefined): HttpResponse {
  return {
    status: 200,
    body: { status: failure === undefined ? "live" : `live; ${failure.message}` },
  };
}

/** Not by the sources: one that hangs would stop the API and the webhooks of all. */
function readiness(failure: Failure | undefined): HttpResponse {
  if (failure !== undefined) return { status: 503, body: { status: failure.message } };
  return { status: 200, body: { status: "ready" } };
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
  for (const { name, secret } of config.listen?.tokens ?? []) {
    if (readSecret(secret, env).reveal().length >= limits.controllerTokenCharacters) continue;
    throw new Failure("usage", `the token ${name} is too short`, {
      remedy: "Make one with `openssl rand -hex 32`.",
    });
  }
}

const forbiddenHost = errorResponse(403, {
  code: "forbidden",
  message: "only requests for localhost or an IP address are allowed",
});

/** Returns the routes of the sources that have a webhook, by path. */
function webhookRoutes(options: ListenerOptions): ReadonlyMap<string, Route> {
  return new Map(
    options.config.sources.flatMap((source) => {
      const { webhook, pattern } = source;
      // The sources of a pattern share its webhook.
      if (webhook === undefined || pattern !== undefined) return [];
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
  const [good, bad] = [requestRateLimit(monotonicMs), requestRateLimit(monotonicMs)];
  return async (request) => {
    const body = await bodyOf(request, limits.hookBytes);
    if (body === undefined) {
      const tooLarge = { code: "too_large", message: "the body is too large" };
      return tooManyRequests(bad()) ?? errorResponse(413, tooLarge);
    }
    const isKnown = isAuthentic(readSecret(webhook, env), request.headers, body);
    const late = tooManyRequests(isKnown ? good() : bad());
    if (late !== undefined) return late;
    if (!isKnown) {
      const message = "the signature is missing or wrong";
      return errorResponse(401, { code: "unauthenticated", message });
    }
    const sources = sourcesOfRepository(config, source).map(({ name }) => name);
    await onWebhook(source.name, sources);
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
  return errorResponse(429, { code: "rate_limited", message: "too many webhooks" }, headers);
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
