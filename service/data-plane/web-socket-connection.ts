// One WebSocket connection to the data API: its credential, its requests and its subscriptions.
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { jsonLossReason, lossText } from "../../core/text/exact-numbers.ts";
import { unstorableReason } from "../http/body.ts";
import type { Counter } from "../../core/counter.ts";
import { tokenIn } from "./token.ts";

/** The times of a connection. */
export type WebSocketTimes = Readonly<
  Record<"subscriptionMs" | "webSocketIdleMs" | "webSocketPingMs" | "webSocketRefusedMs", number>
>;

/** A request to the data API. */
interface Call {
  readonly method: "GET" | "POST";
  /** Below the path of the data API. */
  readonly path: string;
  readonly body?: JsonObject;
}

interface Answer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

/** The caller of a request. */
interface CallOptions {
  readonly token: string | undefined;
  readonly requestId: JsonValue | undefined;
  readonly signal: AbortSignal;
}

/** Sends a request to the data API. */
export type Send = (call: Call, options: CallOptions) => Promise<Answer>;

interface ConnectionParts {
  readonly send: Send;
  /** The connections of each credential. */
  readonly credentials: Counter;
  /** Takes the connection off those whose credential was not accepted. Several calls are as one. */
  readonly release: () => void;
  readonly times: WebSocketTimes;
}

/** Answers the messages of a client until its connection ends. */
export function serveConnection(client: WebSocket, parts: ConnectionParts): void {
  const connection = new Connection(client, parts);
  client.on("message", (data: Buffer) => {
    try {
      connection.receive(data.toString());
    } catch {
      client.close(1011, "the message failed");
    }
  });
  client.on("pong", () => connection.answered());
  client.on("error", () => client.terminate());
  client.on("close", () => connection.end());
}

class Connection {
  readonly #client: WebSocket;
  readonly #parts: ConnectionParts;
  /** The requests and subscriptions without an end, by the ID of their message. */
  readonly #running = new Map<JsonValue, AbortController>();
  readonly #ping: NodeJS.Timeout;
  #token: string | undefined;
  #release = () => {};
  #isAlive = true;
  /** Whether a request succeeded, for which the credential and the deployment must exist. */
  #isAccepted = false;
  readonly #openedAt = performance.now();
  #lastMessageAt = this.#openedAt;

  constructor(client: WebSocket, parts: ConnectionParts) {
    const { times } = parts;
    this.#client = client;
    this.#parts = parts;
    this.#ping = setInterval(() => this.#check(), times.webSocketPingMs).unref();
  }

  answered(): void {
    this.#isAlive = true;
  }

  end(): void {
    clearInterval(this.#ping);
    this.#endRequests();
    this.#release();
  }

  receive(text: string): void {
    this.#lastMessageAt = performance.now();
    const message = parsed(text);
    if (message === undefined) return this.#fail(null, 400, "a message is a JSON object");
    const { authorization, unsubscribe, messageId } = message;
    if (typeof authorization === "string") return this.#signIn(authorization);
    if (unsubscribe !== undefined) {
      this.#running.get(unsubscribe)?.abort();
      return void this.#running.delete(unsubscribe);
    }
    if (
      typeof messageId !== "number" &&
      (typeof messageId !== "string" || messageId.length > 100)
    ) {
      return this.#fail(null, 400, "messageId is required: a number or a short text");
    }
    const problem = problemOf(text, message);
    if (problem !== undefined) return this.#fail(messageId, 400, problem);
    return this.#begin(messageId, message);
  }

  #check(): void {
    if (!this.#isAlive) return this.#client.terminate();
    this.#isAlive = false;
    this.#client.ping();
    const { webSocketIdleMs } = this.#parts.times;
    const now = performance.now();
    const isWaiting = this.#running.size > 0;
    if (!this.#isAccepted && !(isWaiting && now < this.#openedAt + webSocketIdleMs)) {
      return this.#client.close(1008, "no request was accepted");
    }
    if (isWaiting || now < this.#lastMessageAt + webSocketIdleMs) return undefined;
    return this.#client.close(1000, "no request");
  }

  #signIn(authorization: string): void {
    const { credentials } = this.#parts;
    if (this.#token !== undefined) {
      return this.#client.close(1008, "a connection has one credential");
    }
    const token = tokenIn(authorization);
    if (token === undefined) return this.#refuse();
    if (credentials.count(token) >= limits.credentialWebSockets) {
      return this.#client.close(1013, "too many connections with this credential");
    }
    this.#token = token;
    this.#release = credentials.add(token);
    return this.#write('{"handshake":true}');
  }

  #begin(id: JsonValue, message: JsonObject): void {
    const { method, params = {} } = message;
    const call = isObject(params) ? callOf(method, params) : undefined;
    if (call === undefined) {
      return this.#fail(id, 400, `Unsupported method: ${JSON.stringify(method)}`);
    }
    const isKnown = this.#running.has(id);
    // Clients send requests again that have no answer yet; a subscription is answered again.
    if (isKnown && method !== "subscribe") return undefined;
    if (isKnown || this.#running.size < limits.webSocketRequests) {
      return void this.#answer(id, call, message);
    }
    const most = limits.webSocketRequests;
    return this.#fail(id, 429, `a connection has at most ${most} requests at a time`);
  }

  async #answer(id: JsonValue, call: Call, { method, requestId }: JsonObject): Promise<void> {
    const { send, times } = this.#parts;
    const running = new AbortController();
    const { signal } = running;
    this.#running.get(id)?.abort();
    this.#running.set(id, running);
    const token = this.#token;
    const isSubscription = method === "subscribe";
    try {
      const request = async () => {
        const answer = await send(call, { token, requestId, signal });
        if (isSuccess(answer)) this.#accept();
        return answer;
      };
      const answers = answersTo(request, { isSubscription, times, signal });
      for await (const answer of answers) {
        if (signal.aborted) return;
        this.#reply(id, answer);
        if (answer.status === 401) this.#refuse();
      }
    } catch {
      if (!signal.aborted) this.#client.close(1011, "the request failed");
    } finally {
      if (this.#running.get(id) === running) this.#running.delete(id);
    }
  }

  #accept(): void {
    this.#isAccepted = true;
    this.#parts.release();
  }

  /** Ends a connection whose credential is refused. */
  #refuse(): void {
    this.#endRequests();
    const close = () => this.#client.close(1008, "the credential is refused");
    setTimeout(close, this.#parts.times.webSocketRefusedMs).unref();
  }

  #endRequests(): void {
    for (const request of this.#running.values()) request.abort();
    this.#running.clear();
  }

  #fail(id: JsonValue, status: number, error: string): void {
    this.#reply(id, { status, body: JSON.stringify({ error }) });
  }

  #reply(id: JsonValue, { status, body }: Answer): void {
    this.#write(`{"messageId":${JSON.stringify(id)},"message":${body},"status":${status}}`);
  }

  #write(text: string): void {
    if (this.#client.readyState !== WebSocket.OPEN) return;
    this.#client.send(text);
    if (this.#client.bufferedAmount > limits.webSocketUnreadBytes) this.#client.terminate();
  }
}

/** Returns the request of a method; undefined for an unknown method. */
function callOf(method: JsonValue | undefined, params: JsonObject): Call | undefined {
  switch (method) {
    case "load":
    case "subscribe":
      return { method: "POST", path: "/load", body: params };
    case "sql":
    case "dry-run":
      return { method: "POST", path: `/${method}`, body: params };
    case "meta": {
      const named = ["extended", "onlyViews"].filter((name) => params[name] !== undefined);
      const query = new URLSearchParams(
        named.map((name): [string, string] => [name, JSON.stringify(params[name])]),
      );
      return { method: "GET", path: `/meta?${query.toString()}` };
    }
    default:
      return undefined;
  }
}

/** Returns why a message cannot be a request, as with the bodies of HTTP. */
function problemOf(text: string, message: JsonObject): string | undefined {
  const problem = unstorableReason(message);
  if (problem !== undefined) return `the message ${problem}`;
  const loss = jsonLossReason(text);
  return loss && lossText(loss);
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface AnswerOptions {
  readonly isSubscription: boolean;
  readonly times: WebSocketTimes;
  readonly signal: AbortSignal;
}

/** Sends a request until it has an answer, and that of a subscription again; returns the answers that differ. */
async function* answersTo(
  send: () => Promise<Answer>,
  { isSubscription, times, signal }: AnswerOptions,
): AsyncGenerator<Answer> {
  const until = performance.now() + limits.queryWaitMs;
  let last: string | undefined;
  let hadResult = false;
  for (;;) {
    const answer = await send();
    hadResult ||= isSuccess(answer);
    const isWaiting = answer.body.startsWith('{"error":"Continue wait"');
    if (isWaiting && (isSubscription || performance.now() < until)) continue;
    const content = contentOf(answer);
    // A subscription waits for its turn if the server is busy, or its quota is used up.
    const isBusy = answer.status === 429 || answer.status === 503;
    if (content !== last && !(isBusy && last !== undefined)) {
      last = content;
      yield answer;
    }
    if (!isSubscription || isFinal(answer, hadResult)) return;
    await pause(times.subscriptionMs, undefined, { signal, ref: false });
  }
}

const isSuccess = ({ status }: Answer) => status >= 200 && status < 300;

/** Returns whether a subscription ends with an answer. The data source of one that had a result may fail for a while. */
function isFinal({ status }: Answer, hadResult: boolean): boolean {
  if (status < 400 || status >= 500 || status === 429) return false;
  return status !== 400 || !hadResult;
}

/** Identifies an answer, whatever the time at which it was computed. */
function contentOf({ status, body }: Answer): string {
  const content = body.replaceAll(/"lastRefreshTime":"[^"]*"/g, "");
  return `${status} ${createHash("sha256").update(content).digest("base64")}`;
}
