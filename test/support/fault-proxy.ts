// A proxy before a service: records the requests, and applies a fault of a network or a server to a chosen call.
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { setTimeout } from "node:timers/promises";
import { validateDataModelFiles } from "../../api/data-model.ts";
import type { JsonValue } from "../../core/json.ts";
import { listen } from "./listen.ts";

/** The faults of a single request. */
export const faults = [
  "lose-request",
  "lose-answer",
  "throttle",
  "fail-before",
  "fail-after",
  "conflict",
  "html",
  "hang",
  "late",
  "cut",
] as const;

/** Delay of a late answer, in milliseconds: longer than the deadlines of the tests that use it. */
export const lateResponseMs = 600;

/**
 * One of `faults`; or `give-up`: a gateway that forwards the request and answers 503; `refuse`: a validation error for
 * each value of the request's body; `slow-down`: does nothing, and makes the client wait a second; `forbid`: the
 * credential lacks a permission; `not-implemented`: the server does not have the operation; `not-found`: a gateway
 * answers 404 in JSON.
 */
export type Fault =
  | (typeof faults)[number]
  | "give-up"
  | "refuse"
  | "slow-down"
  | "forbid"
  | "not-implemented"
  | "not-found";

/** A request that arrived. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
}

/** A request with the time of its arrival, in milliseconds since the process began, and the bytes of its body. */
export interface TimedRequest extends ProxiedRequest {
  readonly at: number;
  readonly bytes: number;
}

/** A proxy of one service. */
export interface Proxy {
  readonly url: string;
  /** Every request since the last {@link Proxy.arm}, in the order of arrival. */
  readonly requests: readonly TimedRequest[];
  /** Returns the writes, except claims of ownership. */
  writes(): readonly TimedRequest[];
  /**
   * Clears the record, and applies `fault` to the writes from number `at`, counted from 1, to number `last`; without
   * arguments, to no write.
   */
  arm(at?: number, fault?: Fault | FaultHook, last?: number): void;
  /** Clears the record, and applies `fault` to the calls from number `at`, reads included, to number `last`. */
  armAnyCall(at: number, fault: Fault | FaultHook, last?: number): void;
  /** Sets a function that changes later JSON answers. Without it, answers are neither read nor changed. */
  alterResponses(how: AlterResponse | undefined): void;
  /** Closes every connection and refuses new ones for this time, like a server that restarts. */
  refuseConnections(ms: number): Promise<void>;
  /** Resolves when the service has answered every request that was forwarded. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Runs when a chosen call arrives. Its result forwards the call, drops it, or applies a fault. */
export type FaultHook = (request: ProxiedRequest) => Promise<"pass" | "drop" | Fault>;

interface ArmedFault {
  readonly at: number;
  readonly last: number;
  readonly fault: Fault | FaultHook;
  readonly countsReads?: boolean;
}

/** Changes a JSON answer before the client gets it. */
export type AlterResponse = (request: ProxiedRequest, body: JsonValue) => JsonValue;

/** Starts a proxy on a free port of this machine. Close it after the test. */
export async function startProxy(target: string, altered?: AlterResponse): Promise<Proxy> {
  let alter = altered;
  let passed: TimedRequest[] = [];
  let armed: ArmedFault | undefined;
  const isRead = ({ method, path }: ProxiedRequest) =>
    method === "GET" ||
    method === "HEAD" ||
    path === validateDataModelFiles.path ||
    path.endsWith("/reports/check-query");
  // Claims and their lock belong to the inventory; a stack with its inventory in a file makes no other requests for it.
  const isClaim = ({ path }: ProxiedRequest) => /\/state\/svc-(?:claims|ownership)\b/u.test(path);
  const isWrite = (one: ProxiedRequest) => !isRead(one) && !isClaim(one);
  const writes = () => passed.filter(isWrite);
  const running = new Set<Promise<void>>();
  const server = createServer((incoming, answer) => {
    const [method = "", path = ""] = [incoming.method, incoming.url];
    const bytes = Number(incoming.headers["content-length"] ?? 0);
    const one = { method, path, at: performance.now(), bytes };
    passed.push(one);
    const { at = Infinity, last = 0, fault, countsReads: readsToo = false } = armed ?? {};
    const number = readsToo ? passed.length : isWrite(one) ? writes().length : 0;
    const isDue = number >= at && number <= last;
    const work = handle({ target, incoming, answer, alter }, isDue ? fault : undefined).catch(
      () => void answer.destroy(),
    );
    running.add(work);
    void work.finally(() => running.delete(work));
  });
  const url = await listen(server);
  return {
    url,
    get requests() {
      return passed;
    },
    writes,
    arm: (at, fault, last = at) => {
      passed = [];
      armed =
        at === undefined || last === undefined || fault === undefined
          ? undefined
          : { at, last, fault };
    },
    armAnyCall: (at, fault, last = at) => {
      passed = [];
      armed = { at, last, fault, countsReads: true };
    },
    alterResponses: (how) => void (alter = how),
    idle: async () => {
      while (running.size > 0) await Promise.all(running);
    },
    refuseConnections: async (ms) => {
      await closeServer(server);
      await setTimeout(ms);
      await new Promise<void>((done) =>
        server.listen(Number(new URL(url).port), "127.0.0.1", done),
      );
    },
    close: () => closeServer(server),
  };
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
}

interface Exchange {
  readonly target: string;
  readonly incoming: IncomingMessage;
  readonly answer: ServerResponse;
  readonly alter: AlterResponse | undefined;
}

async function handle(exchange: Exchange, fault: Fault | FaultHook | undefined): Promise<void> {
  const { incoming, answer } = exchange;
  const body = await readBytes(incoming);
  const drop = (): void => void incoming.socket.destroy();
  if (typeof fault === "function") {
    const chosen = await fault({ method: incoming.method ?? "", path: incoming.url ?? "" });
    if (chosen === "drop") return drop();
    fault = chosen === "pass" ? undefined : chosen;
  }
  if (fault === "hang") return;
  if (fault === "refuse")
    return respond(answer, rejectEveryValue(JSON.parse(body.toString()) as JsonValue));
  if (fault === "lose-request") return drop();
  if (fault !== undefined && fault in cannedResponses)
    return respond(answer, cannedResponses[fault] ?? {});
  const reply = await forward(exchange, body);
  if (fault === "lose-answer") return drop();
  if (fault === "fail-after") return respond(answer, { status: 500 });
  if (fault === "give-up") return respond(answer, gatewayUnavailable);
  if (fault === "late") await setTimeout(lateResponseMs);
  const sent = await readBytes(reply);
  const bytes = alterBody(exchange, reply, sent);
  const headers = { ...reply.headers };
  // The service's entity tag does not match an altered body.
  if (!bytes.equals(sent)) delete headers.etag;
  answer.writeHead(reply.statusCode ?? 502, {
    ...headers,
    ...(bytes.length > 0 && { "content-length": bytes.length }),
  });
  if (fault !== "cut") return void answer.end(bytes);
  // The head and half of the body, if there is one, then the end of the connection.
  answer.flushHeaders();
  await new Promise<void>((done) =>
    answer.write(bytes.subarray(0, bytes.length / 2), () => done()),
  );
  drop();
}

/** Returns the body after {@link AlterResponse} if it is JSON of a successful answer. */
function alterBody({ incoming, alter }: Exchange, reply: IncomingMessage, bytes: Buffer): Buffer {
  if (alter === undefined || reply.statusCode !== 200 || bytes.length === 0) return bytes;
  const { method = "", url: path = "" } = incoming;
  const body = JSON.parse(bytes.toString()) as JsonValue;
  return Buffer.from(JSON.stringify(alter({ method, path }, body)));
}

/** Answers that the proxy sends itself, without a call of the service. */
const cannedResponses: Readonly<Partial<Record<Fault, ResponseSpec>>> = {
  throttle: { status: 429, headers: { "retry-after": "0" } },
  "slow-down": { status: 429, headers: { "retry-after": "1" } },
  "fail-before": { status: 500 },
  forbid: { status: 403 },
  "not-implemented": { status: 501 },
  "not-found": { status: 404, body: '{"message":"no route"}' },
  conflict: { status: 409, body: '{"error":"changed by another client"}' },
  html: { headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" },
};

/** The answer of a gateway that forwarded a request and timed out. */
const gatewayUnavailable: ResponseSpec = { status: 503, headers: { "retry-after": "0" } };

/**
 * Returns a validation error for each value: its path in the form of the service, and a message with path and value.
 */
function rejectEveryValue(body: JsonValue): ResponseSpec {
  const leaves = (value: JsonValue | undefined, path: string): readonly object[] => {
    if (typeof value !== "object" || value === null) {
      return [{ path, message: `refused ${path} = ${JSON.stringify(value)}` }];
    }
    const entries = Object.entries(value as Readonly<Record<string, JsonValue>>);
    return entries.flatMap(([name, inner]) =>
      leaves(inner, Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`),
    );
  };
  const errors = leaves(body, "body");
  const answer = { error: "refused", message: "refused", statusCode: 400, details: { errors } };
  return { status: 400, body: JSON.stringify(answer) };
}

interface ResponseSpec {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function respond(
  answer: ServerResponse,
  { status = 200, headers = {}, body = "{}" }: ResponseSpec,
): void {
  answer.writeHead(status, { "content-type": "application/json", ...headers });
  answer.end(body);
}

/** Keeps connections to services alive, because opening one takes as long as forwarding a request. */
const agent = new Agent({ keepAlive: true });

/** Forwards a request; resolves when the answer begins. */
function forward({ target, incoming, alter }: Exchange, body: Buffer): Promise<IncomingMessage> {
  const { method, url = "/" } = incoming;
  const { "if-none-match": version, ...others } = incoming.headers;
  // A body that the proxy alters is a different version from the service's.
  const headers = alter === undefined && version !== undefined ? incoming.headers : others;
  return new Promise((done, failed) => {
    const onward = request(`${target}${url}`, { method, headers, agent }, done);
    onward.on("error", failed);
    onward.end(body);
  });
}

async function readBytes(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
