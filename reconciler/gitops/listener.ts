// What a controller answers over HTTP: whether it lives and is ready, how its sources stand, metrics, and webhooks that ask for an early round.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { Failure, isFailure } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { type ControllerConfig, secretAt } from "./config.ts";
import type { RoundEvent } from "./events.ts";
import { hookGate, isFromKnown } from "./hook.ts";
import { controllerMetrics } from "./metrics.ts";
import { standingOf } from "./status.ts";

/** What a listener works with. */
export interface ListenerOptions {
  readonly config: ControllerConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A webhook of this source was right. */
  readonly hooked: (source: string) => void;
}

/** A listener. */
export interface Listener {
  readonly url: string;
  told(event: RoundEvent): void;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: JsonValue | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Listens where the configuration says. Fails with `unavailable` where it cannot, and with `unauthenticated` where a webhook has no secret. */
export async function listen(
  at: NonNullable<ControllerConfig["listen"]>,
  options: ListenerOptions,
): Promise<Listener> {
  mustHaveSecrets(options);
  const standing = standingOf(options.config.sources);
  const metrics = controllerMetrics();
  const hook = hooksOf(options);
  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    const { method = "" } = request;
    if (path.startsWith("/hook/")) return hook(request, path.slice("/hook/".length));
    if (method !== "GET" && method !== "HEAD") return notHere;
    switch (path) {
      case "/healthz":
        return { status: 200, body: { status: "live" } };
      case "/readyz":
        return standing.isReady()
          ? { status: 200, body: { status: "ready" } }
          : { status: 503, body: { status: "not every source has had a round yet" } };
      case "/status":
        if (!isMeant(request, at.host)) return otherHost;
        return { status: 200, body: standing.json() };
      case "/metrics":
        return {
          status: 200,
          body: await metrics.text(),
          headers: { "content-type": metrics.contentType },
        };
      default:
        return notHere;
    }
  };
  const server = createServer(bounds, (request, response) => {
    answerTo(request).then(
      (answer) => send(request, response, answer),
      (error: unknown) => send(request, response, failed(error)),
    );
  });
  server.maxConnections = limits.hookConnections;
  const url = await listening(server, at);
  return {
    url,
    told: (event) => {
      standing.told(event);
      metrics.told(event);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const notHere: Answer = {
  status: 404,
  body: { error: { code: "unknown_route", message: "there is nothing here" } },
};

const bounds = {
  requestTimeout: limits.hookMs,
  connectionsCheckingInterval: limits.hookCheckMs,
  headersTimeout: limits.hookMs,
  maxHeaderSize: limits.headBytes,
};

/** Told at the start, rather than to whoever sends the first webhook. */
function mustHaveSecrets({ config, env }: ListenerOptions): void {
  for (const { webhook } of config.sources) if (webhook !== undefined) secretAt(webhook, env);
}

const otherHost: Answer = {
  status: 403,
  body: problem("forbidden", "this is told to who asks for localhost or an address alone"),
};

/** A page in a browser of this machine asks by a name of its own that leads here; behind a proxy or on a network, names are what they are. */
function isMeant({ headers: { host: asked = "" } }: IncomingMessage, host: string): boolean {
  const isHere = ["127.0.0.1", "::1", "localhost"].includes(host);
  const name = asked.replace(/:\d+$/u, "").replace(/^\[(.*)\]$/u, "$1");
  return !isHere || name === "localhost" || isIP(name) !== 0;
}

function hooksOf({ config, env, now, hooked }: ListenerOptions) {
  // What anybody can send is counted apart from what is signed, and each source apart from the others.
  const gates = new Map(
    config.sources.map(({ name }) => [name, { good: hookGate(now), bad: hookGate(now) }]),
  );
  return async (request: IncomingMessage, name: string): Promise<Answer> => {
    const source = config.sources.find((one) => one.name === name);
    if (request.method !== "POST" || source?.webhook === undefined) return notHere;
    const gate = gates.get(name);
    const body = await bodyOf(request);
    if (body === undefined) {
      const late = tooMany(gate?.bad());
      return late ?? { status: 413, body: problem("too_large", "the body is too large") };
    }
    const isKnown = isFromKnown(secretAt(source.webhook, env), request.headers, body);
    const late = tooMany(isKnown ? gate?.good() : gate?.bad());
    if (late !== undefined) return late;
    if (!isKnown) {
      return { status: 401, body: problem("unauthenticated", "the signature is missing or wrong") };
    }
    hooked(name);
    return { status: 202, body: { status: "the source is looked at soon" } };
  };
}

function tooMany(wait: number | undefined): Answer | undefined {
  if (wait === undefined) return undefined;
  const headers = { "retry-after": String(wait) };
  return { status: 429, body: problem("rate_limited", "too many webhooks"), headers };
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

function problem(code: string, message: string): JsonValue {
  return { error: { code, message } };
}

/** Whoever asks learns nothing of what went wrong here. */
function failed(error: unknown): Answer {
  const code = isFailure(error) ? "unavailable" : "internal";
  return { status: 500, body: problem(code, "this could not be answered") };
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
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

async function listening(
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
