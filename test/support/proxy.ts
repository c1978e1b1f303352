// A proxy before a service: tells which requests pass, and does to a chosen write what a bad network or server would.
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What can go wrong with one request. */
export const faults = [
  "lose-request",
  "lose-answer",
  "throttle",
  "fail-before",
  "fail-after",
  "html",
  "hang",
] as const;

/** One of them: before the work, after it, or instead of it. */
export type Fault = (typeof faults)[number];

/** A request as it came. */
export interface Passed {
  readonly method: string;
  readonly path: string;
}

/** A proxy of one service. */
export interface Proxy {
  readonly url: string;
  /** Every request since the last {@link Proxy.arm}, in the order of arrival. */
  readonly passed: readonly Passed[];
  /** Those that are no reads. */
  writes(): readonly Passed[];
  /** Forgets what has passed, and does `fault` to write number `at`, counted from 1; without arguments, to none. */
  arm(at?: number, fault?: Fault | Interruption): void;
  close(): Promise<void>;
}

/** What else is to happen when a write arrives, instead of a fault; it is passed on once that has happened. */
export type Interruption = (passed: Passed) => void | Promise<void>;

/** Starts a proxy on a free port of this machine. Close it after the test. */
export async function startProxy(target: string): Promise<Proxy> {
  let passed: Passed[] = [];
  let armed: { at: number; fault: Fault | Interruption } | undefined;
  const isRead = ({ method }: Passed) => method === "GET" || method === "HEAD";
  const writes = () => passed.filter((one) => !isRead(one));
  const server = createServer((incoming, answer) => {
    const one = { method: incoming.method ?? "", path: incoming.url ?? "" };
    passed.push(one);
    const due = !isRead(one) && armed !== undefined && writes().length === armed.at;
    void handle({ target, incoming, answer }, one, due ? armed?.fault : undefined);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get passed() {
      return passed;
    },
    writes,
    arm: (at, fault) => {
      passed = [];
      armed = at === undefined || fault === undefined ? undefined : { at, fault };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

interface Exchange {
  readonly target: string;
  readonly incoming: IncomingMessage;
  readonly answer: ServerResponse;
}

async function handle(
  exchange: Exchange,
  passed: Passed,
  fault: Fault | Interruption | undefined,
): Promise<void> {
  const { incoming, answer } = exchange;
  if (typeof fault === "function") await fault(passed);
  switch (fault) {
    case "lose-request":
      return void incoming.socket.destroy();
    case "throttle":
      return say(answer, 429, { "retry-after": "0", "content-type": "application/json" });
    case "fail-before":
      return say(answer, 500, { "content-type": "application/json" });
    case "html":
      return say(answer, 200, { "content-type": "text/html" }, "<html>Sign in</html>");
    case "hang":
      return;
    case "lose-answer":
      return forward(exchange, () => incoming.socket.destroy());
    case "fail-after":
      return forward(exchange, () => say(answer, 500, { "content-type": "application/json" }));
    default:
      return forward(exchange, undefined);
  }
}

function say(
  answer: ServerResponse,
  ...[status, headers, body = "{}"]: [number, Record<string, string>, string?]
): void {
  answer.writeHead(status, headers);
  answer.end(body);
}

/** Passes the request on, and its answer back; or lets the work be done and then does something else. */
function forward({ target, incoming, answer }: Exchange, instead: (() => void) | undefined): void {
  const { method, headers, url = "/" } = incoming;
  const onward = request(`${target}${url}`, { method, headers, agent: false }, (reply) => {
    if (instead !== undefined) {
      reply.resume();
      reply.on("end", instead);
      return;
    }
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answer);
  });
  onward.on("error", () => answer.destroy());
  incoming.pipe(onward);
}
