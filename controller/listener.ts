// What a controller answers over HTTP: whether it lives and is ready, how its sources stand, metrics, and webhooks that ask for an early round.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { Failure, isFailure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { type ControllerConfig, readSecret } from "./config.ts";
import type { ReconciliationEvent } from "./events.ts";
import { webhookRateLimit, isAuthentic } from "./webhook.ts";
import { controllerMetrics } from "./metrics.ts";
import { trackStatus } from "./status.ts";

/** What a listener works with. */
export interface ListenerOptions {
  readonly config: ControllerConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A webhook of this source was right. */
  readonly onWebhook: (source: string) => void;
}

/** A listener. */
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

/** Listens where the configuration says. Fails with `unavailable` where it cannot, and with `unauthenticated` where a webhook has no secret. */
export async function listen(
  at: NonNullable<ControllerConfig["listen"]>,
  options: ListenerOptions,
): Promise<Listener> {
  requireSecrets(options);
  const standing = trackStatus(options.config.sources);
  const metrics = controllerMetrics();
  const hook = webhookHandler(options);
  const answerTo = async (request: IncomingMessage): Promise<HttpResponse> => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    const { method = "" } = request;
    if (path.startsWith("/hook/")) return hook(request, path.slice("/hook/".length));
    if (method !== "GET" && method !== "HEAD") return notFound;
    switch (path) {
      case "/healthz":
        return { status: 200, body: { status: "live" } };
      case "/readyz":
        return standing.isReady()
          ? { status: 200, body: { status: "ready" } }
          : { status: 503, body: { status: "not every source was reconciled yet" } };
      case "/status":
        if (!isAllowedHost(request, at.host)) return forbiddenHost;
        return { status: 200, body: standing.toJson() };
      case "/metrics":
        return {
          status: 200,
          body: await metrics.text(),
          headers: { "content-type": metrics.contentType },
        };
      default:
        return notFound;
    }
  };
  const server = createServer(serverLimits, (request, response) => {
    answerTo(request).then(
      (answer) => send(request, response, answer),
      (error: unknown) => send(request, response, internalError(error)),
    );
  });
  server.maxConnections = limits.hookConnections;
  const url = await startListening(server, at);
  return {
    url,
    record: (event) => {
      standing.record(event);
      metrics.record(event);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const notFound: HttpResponse = {
  status: 404,
  body: { error: { code: "unknown_route", message: "there is nothing here" } },
};

const serverLimits = {
  requestTimeout: limits.hookMs,
  connectionsCheckingInterval: limits.hookCheckMs,
  headersTimeout: limits.hookMs,
  maxHeaderSize: limits.headBytes,
};

/** Told at the start, rather than to whoever sends the first webhook. */
function requireSecrets({ config, env }: ListenerOptions): void {
  for (const { webhook } of config.sources) if (webhook !== undefined) readSecret(webhook, env);
}

const forbiddenHost: HttpResponse = {
  status: 403,
  body: errorBody("forbidden", "this is told to who asks for localhost or an address alone"),
};

/** A page in a browser of this machine asks by a name of its own that leads here; behind a proxy or on a network, names are what they are. */
function isAllowedHost({ headers: { host: asked = "" } }: IncomingMessage, host: string): boolean {
  const isHere = ["127.0.0.1", "::1", "localhost"].includes(host);
  const name = asked.replace(/:\d+$/u, "").replace(/^\[(.*)\]$/u, "$1");
  return !isHere || name === "localhost" || isIP(name) !== 0;
}

function webhookHandler({ config, env, now, onWebhook: hooked }: ListenerOptions) {
  // What anybody can send is counted apart from what is signed, and each source apart from the others.
  const gates = new Map(
    config.sources.map(({ name }) => [
      name,
      { good: webhookRateLimit(now), bad: webhookRateLimit(now) },
    ]),
  );
  return async (request: IncomingMessage, name: string): Promise<HttpResponse> => {
    const source = config.sources.find((one) => one.name === name);
    if (request.method !== "POST" || source?.webhook === undefined) return notFound;
    const gate = gates.get(name);
    const body = await bodyOf(request);
    if (body === undefined) {
      const late = tooManyRequests(gate?.bad());
      return late ?? { status: 413, body: errorBody("too_large", "the body is too large") };
    }
    const isKnown = isAuthentic(readSecret(source.webhook, env), request.headers, body);
    const late = tooManyRequests(isKnown ? gate?.good() : gate?.bad());
    if (late !== undefined) return late;
    if (!isKnown) {
      return {
        status: 401,
        body: errorBody("unauthenticated", "the signature is missing or wrong"),
      };
    }
    hooked(name);
    return { status: 202, body: { status: "the source is looked at soon" } };
  };
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

/** Whoever asks learns nothing of what went wrong here. */
function internalError(error: unknown): HttpResponse {
  const code = isFailure(error) ? "unavailable" : "internal";
  return { status: 500, body: errorBody(code, "this could not be answered") };
}

function send(request: IncomingMessage, response: ServerResponse, answer: HttpResponse): void {
  const { status, body, headers = {} } = answer;
  const text = typeof body === "string" ? body : `${JSON.stringify(body)}\n`;
  // What of a request was not read is not waited for.
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
      const message = `${host}:${port} cannot be listened on: ${cause.code ?? "unknown"}`;
      reject(new Failure("unavailable", message, { cause, remedy: "name another port" }));
    });
    server.listen({ host, port }, resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
}
