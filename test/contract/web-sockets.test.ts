// Tests the data API over WebSocket with the messages of its published client.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { anyJson, propertyRuns } from "../support/arbitrary-values.ts";
import { assertProperty } from "../support/assert-property.ts";
import { type Json, useDataApi } from "./data-api-service.ts";

const { service, address, token, tokenOf, get } = useDataApi({
  trustedProxies: ["127.0.0.0/8", "::1"],
  webSocketTimes: {
    subscriptionMs: 100,
    webSocketRefusedMs: 100,
    webSocketPingMs: 3000,
    webSocketIdleMs: 5000,
  },
});

// The first query waits for the build and its engine.
beforeAll(() => get({ measures: ["orders.count"] }));

const opened: WebSocket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.close();
});

/** A connection, with the messages that it has received and not returned. */
interface Connection {
  readonly send: (message: unknown) => void;
  readonly next: () => Promise<Json>;
  readonly waiting: () => number;
  /** The code with which the server closed it. */
  readonly closed: Promise<number>;
}

async function connect(url = address()): Promise<Connection> {
  const socket = new WebSocket(url.replace(/^http/, "ws"));
  opened.push(socket);
  const messages: Json[] = [];
  let wake = () => {};
  socket.addEventListener("message", ({ data }) => {
    messages.push(JSON.parse(String(data)) as Json);
    wake();
  });
  const closed = new Promise<number>((resolve) =>
    socket.addEventListener("close", ({ code }) => resolve(code)),
  );
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error("the connection is refused")));
  });
  return {
    closed,
    waiting: () => messages.length,
    send: (message) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    async next() {
      while (messages.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return messages.shift() ?? {};
    },
  };
}

async function signedIn(credential = token()): Promise<Connection> {
  const connection = await connect();
  connection.send({ authorization: credential });
  expect(await connection.next()).toEqual({ handshake: true });
  return connection;
}

/** Returns the status of a request for a connection that ends at once. */
async function handshake(headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  const { hostname, port, pathname, host } = new URL(address());
  const sent = request({
    hostname,
    port,
    path: pathname,
    headers: {
      host,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-key": randomBytes(16).toString("base64"),
      "sec-websocket-version": "13",
      ...headers,
    },
  }).end();
  const [response] = (await Promise.race([once(sent, "upgrade"), once(sent, "response")])) as [
    IncomingMessage,
  ];
  response.socket.destroy();
  return response.statusCode;
}

const query = { measures: ["orders.count"], dimensions: ["orders.status"] };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("messages", () => {
  it("are answered as requests, each with its ID", async () => {
    const { send, next } = await signedIn();
    send({ messageId: 1, requestId: "r1", method: "load", params: { query, queryType: "multi" } });
    expect(await next()).toMatchObject({
      messageId: 1,
      status: 200,
      message: {
        queryType: "regularQuery",
        results: [{ data: [{ "orders.status": "paid", "orders.count": "2" }, {}] }],
      },
    });
    send({ messageId: 2, method: "sql", params: { query } });
    expect(await next()).toMatchObject({ messageId: 2, status: 200, message: { sql: {} } });
    send({ messageId: 3, method: "dry-run", params: { query } });
    expect(await next()).toMatchObject({ messageId: 3, message: { queryType: "regularQuery" } });
    send({ messageId: 4, method: "meta", params: { onlyViews: true } });
    expect(await next()).toMatchObject({ messageId: 4, message: { cubes: [{ type: "view" }] } });
    // An ID is free again after its answer.
    send({ messageId: 4, method: "meta", params: {} });
    expect(await next()).toMatchObject({
      messageId: 4,
      message: { cubes: [{ name: "orders" }, {}, {}, {}, {}, {}, {}, {}, {}] },
    });
  });

  it("have the rows of their caller, and the errors of HTTP", async () => {
    const { token: other } = await tokenOf("AIBIViewer");
    const { send, next } = await signedIn(other);
    send({ messageId: "a", method: "load", params: { query: { measures: ["orders.count"] } } });
    expect(await next()).toMatchObject({
      messageId: "a",
      message: { data: [{ "orders.count": "0" }] },
    });
    send({ messageId: "b", method: "load", params: { query: { measures: ["orders.total"] } } });
    const hidden = expect.stringContaining("You requested hidden member");
    expect(await next()).toMatchObject({ messageId: "b", status: 400, message: { error: hidden } });
    send({ messageId: "c", method: "load", params: {} });
    expect(await next()).toMatchObject({
      status: 400,
      message: { error: "Query param is required" },
    });
  });

  it("are refused in another form", async () => {
    const { send, next } = await signedIn();
    send("{");
    expect(await next()).toMatchObject({
      messageId: null,
      status: 400,
      message: { error: "a message is a JSON object" },
    });
    send({ method: "load", params: {} });
    expect(await next()).toMatchObject({ messageId: null, status: 400 });
    send({ messageId: 1, method: "unsubscribe", params: {} });
    expect(await next()).toMatchObject({
      messageId: 1,
      message: { error: 'Unsupported method: "unsubscribe"' },
    });
    send(
      '{"messageId": 2, "method": "load", "params": {"query": {"limit": 12345678901234567890}}}',
    );
    expect(await next()).toMatchObject({ messageId: 2, status: 400 });
  });
});

/** The text of a JSON value, which may nest deeper than the stack holds. */
const anyText = fc.oneof(
  anyJson.map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.constantFrom(["[", "]"], ['{"a":', "}"]), fc.nat(30_000))
    .map(([[open = "", close = ""], depth]) => `${open.repeat(depth)}1${close.repeat(depth)}`),
);
const anyMessage = fc.oneof(
  anyText,
  fc
    .record(
      {
        messageId: fc.oneof(fc.constantFrom("1", '"a"'), anyText),
        method: fc.oneof(fc.constantFrom('"meta"', '"load"', '"subscribe"'), anyText),
        params: fc.oneof(
          anyText,
          anyText.map((text) => `{"extended":${text}}`),
          anyText.map((text) => `{"query":${text}}`),
        ),
        requestId: anyText,
        authorization: anyText,
        unsubscribe: anyText,
      },
      { requiredKeys: [] },
    )
    .map(
      (parts) =>
        `{${Object.entries(parts)
          .map(([name, text]) => `"${name}":${text}`)
          .join()}}`,
    ),
);

it("a message of any form ends no more than its connection", { timeout: 120_000 }, async () => {
  const deep = `${"[".repeat(6000)}${"]".repeat(6000)}`;
  const examples = [
    `{"messageId":1,"method":${deep},"params":{}}`,
    `{"messageId":1,"method":"meta","params":{"extended":${deep}}}`,
  ];
  await assertProperty(
    fc.asyncProperty(anyMessage, async (text) => {
      const { send, next, closed } = await connect();
      send(text);
      send({ messageId: "last", method: "unknown" });
      const isAnswered = async () => {
        while ((await next())["messageId"] !== "last");
      };
      // A credential that cannot be one closes the connection.
      await Promise.race([isAnswered(), closed]);
      opened.pop()?.close();
    }),
    { ...propertyRuns(0.5), examples: examples.map((text): [string] => [text]) },
  );
  const { send, next } = await signedIn();
  send({ messageId: 1, method: "meta", params: {} });
  expect(await next()).toMatchObject({ messageId: 1, status: 200 });
});

it("no answered request counts as in flight", async () => {
  const { send, next } = await signedIn();
  for (let id = 0; id <= limits.accountRequestsInFlight; id++) {
    send({ messageId: id, method: "dry-run", params: { query } });
    expect(await next()).toMatchObject({ messageId: id, status: 200 });
  }
});

describe("subscriptions", () => {
  const subscribe = (messageId: number, of: object) => ({
    messageId,
    method: "subscribe",
    params: { query: of, queryType: "multi" },
  });

  it("send each result that differs from the one before, until they end", async () => {
    const { send, next, waiting } = await signedIn();
    send(subscribe(1, { dimensions: ["computed.id"], cache: "no-cache" }));
    const first = await next();
    expect(first).toMatchObject({ messageId: 1, status: 200 });
    const second = await next();
    expect(second).toMatchObject({ messageId: 1, status: 200 });
    expect(second["message"]).not.toEqual(first["message"]);
    send({ unsubscribe: 1 });
    await pause(200);
    while (waiting() > 0) await next();
    send(subscribe(2, query));
    expect(await next()).toMatchObject({ messageId: 2 });
    await pause(500);
    expect(waiting()).toBe(0);
    // The client asks again after it was away.
    send(subscribe(2, query));
    expect(await next()).toMatchObject({ messageId: 2, status: 200 });
  });

  it("end with their credential, and so does the connection", async () => {
    const { token: own, userId } = await tokenOf("Developer");
    const { send, next, closed } = await signedIn(own);
    send(subscribe(1, query));
    expect(await next()).toMatchObject({ status: 200 });
    const keys = (await service().done("GET", "/api/v1/api-keys"))["items"] as readonly Json[];
    const key = keys.find((one) => one["ownerUserId"] === userId);
    await service().send("DELETE", `/api/v1/api-keys/${String(key?.["id"])}`);
    expect(await next()).toMatchObject({
      messageId: 1,
      status: 401,
      message: { error: "Invalid token" },
    });
    expect(await closed).toBe(1008);
  });

  it("end with a refusal, unless they had a result", async () => {
    const { send, next, waiting } = await signedIn();
    send({ messageId: 0, method: "meta", params: {} });
    expect(await next()).toMatchObject({ messageId: 0, status: 200 });
    for (let id = 1; id <= limits.webSocketRequests; id++) {
      send(subscribe(id, { measures: ["orders.unknown"] }));
      expect(await next()).toMatchObject({ messageId: id, status: 400 });
    }
    // They do not count any more.
    send(subscribe(0, query));
    expect(await next()).toMatchObject({ messageId: 0, status: 200 });
    expect(waiting()).toBe(0);
  });

  it("are bounded", async () => {
    const { send, next } = await signedIn();
    const many = limits.webSocketRequests + 1;
    for (let id = 1; id <= many; id++) send(subscribe(id, query));
    const answers: Json[] = [];
    while (answers.length < many) answers.push(await next());
    expect(answers.filter(({ status }) => status === 429)).toMatchObject([{ messageId: many }]);
  });
});

describe("connections", () => {
  it("close without a credential, without requests, and with a message that is too long", async () => {
    const unknown = await connect();
    unknown.send({ messageId: 1, method: "load", params: { query } });
    expect(await unknown.next()).toMatchObject({ messageId: 1, status: 401 });
    expect(await unknown.closed).toBe(1008);
    expect(await (await connect()).closed).toBe(1008);
    const elsewhere = await connect(address().replace(/\/deployments\/[^/]+/, "/deployments/999"));
    elsewhere.send({ authorization: token() });
    elsewhere.send({ messageId: 1, method: "subscribe", params: { query } });
    expect(await elsewhere.next()).toEqual({ handshake: true });
    expect(await elsewhere.next()).toMatchObject({ messageId: 1, status: 404 });
    expect(await elsewhere.closed).toBe(1008);
    const second = await signedIn();
    second.send({ authorization: token() });
    expect(await second.closed).toBe(1008);
    const idle = await signedIn();
    idle.send({ messageId: 1, method: "meta" });
    expect(await idle.closed).toBe(1000);
    const long = await signedIn();
    long.send({ text: "x".repeat(limits.webSocketMessageBytes) });
    expect(await long.closed).toBe(1009);
  });

  it("are bounded for a credential", async () => {
    const { token: own } = await tokenOf("Developer");
    // A scheme makes no other credential.
    await Promise.all(
      Array.from({ length: limits.credentialWebSockets }, (_, index) =>
        signedIn(index % 2 === 0 ? own : `Bearer ${own}`),
      ),
    );
    const more = await connect();
    more.send({ authorization: `Token ${own}` });
    expect(await more.closed).toBe(1013);
  });

  it("are bounded for an address until a request is accepted", async () => {
    const { send, next } = await signedIn();
    send({ messageId: 1, method: "meta", params: {} });
    expect(await next()).toMatchObject({ status: 200 });
    const connected = Array.from({ length: limits.unacceptedWebSockets + 1 }, () => connect());
    const outcomes = await Promise.allSettled(connected);
    expect(outcomes.filter(({ status }) => status === "rejected")).not.toHaveLength(0);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).not.toHaveLength(0);
    // The address is that of the client of a trusted proxy.
    expect(await handshake({})).toBe(503);
    expect(await handshake({ "x-forwarded-for": "203.0.113.7" })).toBe(101);
  });

  it("exist at the address of a data API only", async () => {
    const { origin } = new URL(address());
    for (const path of ["/svcjs-api", "/api/v1/users?/svcjs-api/v1", "/api/v1/svcjs-api/v1"]) {
      await expect(connect(`${origin}${path}`)).rejects.toThrow("refused");
    }
    // An offer of HTTP/2 is ignored.
    const { hostname, port, pathname } = new URL(`${address()}/meta`);
    const headers = { authorization: token(), connection: "Upgrade", upgrade: "h2c" };
    const sent = request({ hostname, port, path: pathname, headers }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    response.destroy();
  });
});

it("an open connection does not keep the server from stopping", async () => {
  const { closed } = await signedIn();
  const before = performance.now();
  await service().close();
  expect(await closed).toBe(1006);
  expect(performance.now() - before).toBeLessThan(limits.drainMs);
});
