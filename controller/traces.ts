// Traces of reconciliations over OTLP/HTTP, as JSON. Spans wait in a bounded buffer, and a timer sends them: a collector that does not
// respond delays nothing. Attributes have names, methods, paths without queries, and codes, and never a header or a body. Only calls of the
// platform's API have spans: the address of another server may be a secret.
import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** A span that has begun. */
export interface Span {
  set(attributes: Attributes): void;
  /** Marks the span as failed. */
  fail(message: string): void;
}

/** Records spans. */
export interface Tracer {
  /** Runs in a span, below the span in which it is called. What throws fails the span. */
  run<T>(name: string, attributes: Attributes, work: (span: Span) => Promise<T>): Promise<T>;
  /** Begins a phase of the innermost span, and ends the phase before. */
  phase(name: string): void;
  /** Makes a span of each following call of the platform's API at this address in the innermost span. */
  traceCalls(url: string): void;
  /** Sends what waits, for a bounded time. */
  close(): Promise<void>;
}

/** Where spans go, from the environment variables of OpenTelemetry. */
export interface TracerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called when spans could not be sent, once until it works again. */
  readonly onFailed: (message: string) => void;
}

interface OpenSpan extends Span {
  readonly traceId: string;
  readonly id: string;
  /** The phase in which it is. */
  phase: OpenSpan | undefined;
  /** The origin of the platform's API. */
  origin: string | undefined;
  readonly isOpen: boolean;
  end(): void;
}

/** Opens a tracer. Fails with `usage` for an endpoint or headers that cannot be used; the message has no value of a header. */
export function openTracer(options: TracerOptions): Tracer {
  const exporter = createExporter(options);
  const current = new AsyncLocalStorage<OpenSpan>();
  const begin = (name: string, kind: number, parent: OpenSpan | undefined): OpenSpan =>
    beginSpan({ name, kind, parent }, (span) => exporter.add(span));
  /** What a span has started may outlive it, and is not a part of it. */
  const innermost = (): OpenSpan | undefined => {
    const span = current.getStore();
    return span?.isOpen === true ? span : undefined;
  };
  const stopCalls = subscribeToCalls((origin) => {
    const span = innermost();
    if (span === undefined || span.origin !== origin) return undefined;
    return begin("HTTP", spanKinds.client, span.phase ?? span);
  });
  return {
    run: async (name, attributes, work) => {
      const above = innermost();
      const span = begin(name, spanKinds.internal, above?.phase ?? above);
      span.set(attributes);
      try {
        return await current.run(span, () => work(span));
      } catch (error) {
        span.fail(error instanceof Failure ? error.code : "internal");
        throw error;
      } finally {
        span.end();
      }
    },
    phase: (name) => {
      const span = innermost();
      if (span === undefined) return;
      span.phase?.end();
      span.phase = begin(name, spanKinds.internal, span);
    },
    traceCalls: (url) => {
      const span = innermost();
      if (span !== undefined) span.origin = new URL(url).origin;
    },
    close: async () => {
      stopCalls();
      await exporter.close();
    },
  };
}

/** The kinds of spans in OTLP. */
const spanKinds = { internal: 1, client: 3 };

/** The code of an error in OTLP. */
const errorStatus = 2;

/** Begins a span, in the trace of its parent. `onEnd` gets it once, in the form of OTLP. */
function beginSpan(
  {
    name,
    kind,
    parent,
  }: { readonly name: string; readonly kind: number; readonly parent: OpenSpan | undefined },
  onEnd: (span: object) => void,
): OpenSpan {
  const spanId = randomBytes(8).toString("hex");
  const traceId = parent?.traceId ?? randomBytes(16).toString("hex");
  const startTimeUnixNano = nanoseconds();
  const attributes = new Map<string, string | number>();
  let status: object = {};
  let isOpen = true;
  const span: OpenSpan = {
    traceId,
    id: spanId,
    phase: undefined,
    origin: undefined,
    get isOpen() {
      return isOpen;
    },
    set: (added) => {
      for (const [key, value] of Object.entries(added))
        if (value !== undefined) attributes.set(key, value);
    },
    fail: (message) => {
      status = { code: errorStatus, message };
    },
    end: () => {
      span.phase?.end();
      if (!isOpen) return;
      isOpen = false;
      onEnd({
        traceId,
        spanId,
        ...(parent && { parentSpanId: parent.id }),
        name,
        kind,
        startTimeUnixNano,
        endTimeUnixNano: nanoseconds(),
        attributes: [...attributes].map(([key, value]) => attribute(key, value)),
        status,
      });
    },
  };
  return span;
}

/** Sends the spans that are added, in intervals. */
function createExporter({ env, onFailed }: TracerOptions): {
  readonly add: (span: object) => void;
  readonly close: () => Promise<void>;
} {
  const url = endpointOf(env);
  const headers = { "content-type": "application/json", ...headersOf(env) };
  const service = attribute("service.name", env["OTEL_SERVICE_NAME"] ?? "svc-controller");
  let waiting: object[] = [];
  let dropped = 0;
  let hasFailed = false;
  const send = async (timeoutMs: number): Promise<void> => {
    if (waiting.length === 0) return;
    const spans = waiting;
    waiting = [];
    const scopeSpans = [{ scope: { name: "svc-controller" }, spans }];
    const resource = { attributes: [service] };
    const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] });
    const problem = await post(url, { headers, body, timeoutMs });
    const lost = dropped + (problem === undefined ? 0 : spans.length);
    if (lost > 0 && !hasFailed)
      onFailed(`${lost} spans were not sent: ${problem ?? "too many wait for the collector"}`);
    hasFailed = lost > 0;
    dropped = 0;
  };
  let sending = Promise.resolve();
  const timer = setInterval(() => {
    sending = sending.then(() => send(limits.traceMs));
  }, limits.traceIntervalMs);
  timer.unref();
  return {
    add: (span) => {
      if (waiting.length >= limits.tracedSpans) dropped++;
      else waiting.push(span);
    },
    close: async () => {
      clearInterval(timer);
      const sent = sending.then(() => send(limits.traceCloseMs));
      await Promise.race([sent, sleep(limits.traceCloseMs, undefined, { ref: false })]);
    },
  };
}

/** What undici tells about a request. */
interface UndiciMessage {
  readonly request: {
    readonly origin: string | URL;
    readonly method: string;
    readonly path: string;
    addHeader(name: string, value: string): void;
  };
  readonly response?: { readonly statusCode: number };
}

/** Makes a span of each request to an origin that `begin` traces, and tells the server about it. Returns the function that ends this. */
function subscribeToCalls(begin: (origin: string) => OpenSpan | undefined): () => void {
  const spans = new WeakMap<object, OpenSpan>();
  const handlers = {
    "undici:request:create": ({ request }: UndiciMessage): void => {
      const { origin, host } = new URL(request.origin);
      const span = begin(origin);
      if (span === undefined) return;
      const path = request.path.split("?")[0];
      span.set({ "http.request.method": request.method, "server.address": host, "url.path": path });
      request.addHeader("traceparent", `00-${span.traceId}-${span.id}-01`);
      spans.set(request, span);
    },
    "undici:request:headers": ({ request, response }: UndiciMessage): void => {
      const status = response?.statusCode ?? 0;
      const span = spans.get(request);
      span?.set({ "http.response.status_code": status });
      if (status >= 400) span?.fail(String(status));
    },
    "undici:request:trailers": ({ request }: UndiciMessage): void => spans.get(request)?.end(),
    "undici:request:error": ({ request }: UndiciMessage): void => {
      spans.get(request)?.fail("no response");
      spans.get(request)?.end();
    },
  };
  const subscribers = Object.entries(handlers).map(([channel, handle]) => {
    const subscriber = (message: unknown): void => handle(message as UndiciMessage);
    subscribe(channel, subscriber);
    return () => unsubscribe(channel, subscriber);
  });
  return () => {
    for (const end of subscribers) end();
  };
}

/** Posts a body. Returns why it was not accepted, without the address or a header. */
async function post(
  url: string,
  {
    headers,
    body,
    timeoutMs,
  }: {
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly timeoutMs: number;
  },
): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal,
    });
    await response.body?.cancel();
    return response.ok ? undefined : `the collector answered ${response.status}`;
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return isLate ? "the collector did not answer in time" : "the collector could not be reached";
  }
}

function endpointOf(env: TracerOptions["env"]): string {
  const base = env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "";
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url !== undefined && /^https?:$/u.test(url.protocol) && url.username === "")
    return `${url.href.replace(/\/$/u, "")}/v1/traces`;
  throw new Failure("usage", "OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https URL", {
    remedy: "Write the base of the collector, such as http://localhost:4318, without a user name.",
  });
}

/** Returns the headers in `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,…`, percent-encoded. */
function headersOf(env: TracerOptions["env"]): Record<string, string> {
  const text = env["OTEL_EXPORTER_OTLP_HEADERS"] ?? "";
  try {
    const pairs = text
      .split(",")
      .filter((pair) => pair.trim() !== "")
      .map((pair): [string, string] => {
        const end = pair.indexOf("=");
        return [pair.slice(0, end).trim(), decodeURIComponent(pair.slice(end + 1).trim())];
      });
    return Object.fromEntries(new Headers(pairs));
  } catch {
    throw new Failure("usage", "OTEL_EXPORTER_OTLP_HEADERS are not headers", {
      remedy: "Write name=value, percent-encoded, with commas between them.",
    });
  }
}

function attribute(key: string, value: string | number): object {
  const typed = typeof value === "string" ? { stringValue: value } : { intValue: String(value) };
  return { key, value: typed };
}

function nanoseconds(): string {
  const microseconds = BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000));
  return String(microseconds * 1000n);
}
