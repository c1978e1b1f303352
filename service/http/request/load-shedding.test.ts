// Tests when a server sheds requests, and how much work it does between two checks of its connections.
import { EventEmitter } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Type } from "typebox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../../core/limits/limits.ts";
import { defineOperation } from "../../../core/operation/operation.ts";
import { startService, type TestService } from "../../../test/support/test-service.ts";
import { handle } from "../../areas/shared/operation-handler.ts";
import { type LoadShedder, makeLoadShedder } from "./load-shedding.ts";

const request = (accountId: string, headers: IncomingHttpHeaders = {}) => ({
  headers,
  requestContext: { accountId },
});

/** A request that waits for its turn. */
const queued = (accountId: string, destroyed = false) => ({
  requestContext: { accountId },
  socket: { destroyed },
});

const isOverloaded: unknown = expect.objectContaining({ code: "unavailable", retryAfter: 1 });

describe("what is in flight", () => {
  let load: LoadShedder;
  let replies: EventEmitter[];

  beforeEach(() => {
    load = makeLoadShedder();
    replies = [];
  });

  const observedReply = () => {
    const raw = new EventEmitter();
    replies.push(raw);
    return { raw };
  };

  it("has a bound on requests, for one account and for all", () => {
    const admit = (account: string) => load.admit(request(account), observedReply());
    for (let count = 0; count < limits.accountRequestsInFlight; count++) admit("a");
    expect(() => admit("a")).toThrow(isOverloaded);
    const rest = limits.requestsInFlight - limits.accountRequestsInFlight;
    for (let count = 0; count < rest; count++) admit(`account ${count}`);
    expect(() => admit("b")).toThrow(isOverloaded);
    replies[0]?.emit("close");
    admit("b");
    expect(() => admit("a")).toThrow(isOverloaded);
  });

  it("has a bound on the bytes of bodies, for one account and for all", () => {
    const reserve = (accountId: string, headers: IncomingHttpHeaders): void =>
      load.reserveBody(request(accountId, headers), observedReply(), limits.bodyBytes);
    const length = { "content-length": String(limits.bodyBytes) };
    const own = limits.accountBodiesInFlightBytes / limits.bodyBytes;
    for (let count = 0; count < own; count++) reserve("a", length);
    expect(() => reserve("a", length)).toThrow(isOverloaded);
    for (let count = 0; count < own; count++) reserve("b", { "transfer-encoding": "chunked" });
    expect(() => reserve("c", length)).toThrow(isOverloaded);
    reserve("c", {});
    replies[0]?.emit("close");
    reserve("c", length);
  });
});

describe("a turn of the event loop", () => {
  it("starts requests until its time is used, and the others in later turns in order", async () => {
    let now = 0;
    const load = makeLoadShedder(() => now);
    const perTurn: number[][] = [[]];
    const run = async (index: number): Promise<void> => {
      await load.takeTurn(queued("a"));
      perTurn.at(-1)?.push(index);
      now += limits.turnMs / 2;
    };
    // All arrive in one turn. Each runs in the microtasks after its callback, as in a server.
    const arrived = Array.from({ length: 5 }, (_, index) => nextTurn().then(() => run(index)));
    for (let turn = 0; turn < 8; turn++) {
      await nextTurn();
      perTurn.push([]);
    }
    await Promise.all(arrived);
    expect(perTurn.filter(({ length }) => length > 0)).toEqual([[0, 1], [2, 3], [4]]);
  });

  it("starts one request of each account after the other", async () => {
    let now = 0;
    const load = makeLoadShedder(() => now);
    const started: string[] = [];
    const run = async (account: string): Promise<void> => {
      await load.takeTurn(queued(account));
      started.push(account);
      now += limits.turnMs;
    };
    await run("first");
    await Promise.all(["a", "a", "a", "b", "c", "b"].map(run));
    expect(started).toEqual(["first", "a", "b", "c", "a", "b", "a"]);
  });

  it("starts no request that waited too long, and sheds it", async () => {
    let now = 0;
    const load = makeLoadShedder(() => now);
    await load.takeTurn(queued("a"));
    now += limits.turnMs;
    const [first, second, other] = [queued("a"), queued("a"), queued("b")];
    const waits = [first, second, other].map((one) => load.takeTurn(one));
    now += limits.queueDelayMs;
    // All are in time; one starts in each turn.
    await waits[0];
    now += limits.turnMs;
    const late = await Promise.allSettled(waits);
    expect(late.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    await expect(waits[1]).rejects.toEqual(isOverloaded);
  });

  it("counts all waits of a request", async () => {
    let now = 0;
    const load = makeLoadShedder(() => now);
    const fillTurn = async (): Promise<void> => {
      await load.takeTurn(queued("a"));
      now += limits.turnMs;
    };
    const waiting = queued("b");
    await fillTurn();
    const head = load.takeTurn(waiting);
    now += limits.queueDelayMs * 0.75;
    await head;
    now += limits.turnMs;
    const body = load.takeTurn(waiting);
    now += limits.queueDelayMs * 0.5;
    await expect(body).rejects.toEqual(isOverloaded);
  });

  it("is followed by turns that only accept connections, while there are any, for as long", async () => {
    let now = 0;
    const load = makeLoadShedder(() => now);
    await load.takeTurn(queued("a"));
    now += limits.turnMs;
    let isStarted = false;
    const next = load.takeTurn(queued("a")).then(() => (isStarted = true));
    for (const started of [false, false, true]) {
      for (let connection = 0; connection < 10; connection++) {
        load.connectionAccepted();
        await nextTurn();
      }
      expect(isStarted).toBe(started);
      now += limits.turnMs / 2;
    }
    await next;
  });

  it("starts no request of a client that has left", async () => {
    const leaving = makeLoadShedder().takeTurn(queued("a", true));
    await expect(leaving).rejects.toMatchObject({ code: "timeout" });
  });
});

describe("a server with many connections that send heavy requests", () => {
  let workMs: number;
  let service: TestService;
  let worked: number;

  const heavy = handle(
    defineOperation({
      area: "test",
      effect: "write",
      permission: "self",
      id: "heavy",
      method: "POST",
      path: "/api/v1/test/heavy",
      summary: "work",
      source: "specification",
      body: Type.Object({ rows: Type.Array(Type.Integer()) }, { additionalProperties: false }),
      answer: Type.Object({}, { additionalProperties: false }),
    }),
    async () => {
      const until = performance.now() + workMs;
      while (performance.now() < until);
      worked++;
      return {};
    },
  );

  beforeEach(async () => {
    workMs = 5;
    worked = 0;
    service = await startService({ data: ":memory:", handlers: [heavy] });
  });
  afterEach(() => service.close());

  const body = { rows: Array.from({ length: 100 }, (_, row) => row) };
  const send = (count: number) =>
    Array.from({ length: count }, () => service.send("POST", "/api/v1/test/heavy", { body }));

  /** Opens connections that the next requests use. */
  const connect = (count: number) =>
    Promise.all(Array.from({ length: count }, () => service.send("GET", "/livez", { key: null })));

  /** Requests that the server finished while each health check waited. */
  async function watchHealth(work: Promise<unknown>): Promise<readonly number[]> {
    const waits: number[] = [];
    const running = { isDone: false };
    void work.then(() => (running.isDone = true));
    while (!running.isDone) {
      const before = worked;
      expect((await service.send("GET", "/livez", { key: null })).status).toBe(200);
      waits.push(worked - before);
    }
    return waits;
  }

  it("sheds what is over the bound with a time to retry, and answers health checks between a few", async () => {
    const count = 400;
    await connect(count);
    const work = Promise.all(send(count));
    const waits = await watchHealth(work);
    const answers = await work;
    const shed = answers.filter(({ status }) => status === 503);
    const served = answers.filter(({ status }) => status < 300);
    expect(served.length + shed.length).toBe(count);
    expect(worked).toBe(served.length);
    expect(served.length).toBeGreaterThan(0);
    // While a slow client is still sending, its other requests are answered.
    expect(shed.length).toBeGreaterThanOrEqual((count - limits.accountRequestsInFlight) / 2);
    for (const { headers } of shed) expect(headers["retry-after"]).toBe("1");
    // A health check takes a few turns: to connect, to be read, and to be answered.
    expect(Math.max(...waits)).toBeLessThanOrEqual((6 * limits.turnMs) / workMs);
  });

  it("sheds what would wait too long, although few requests are in flight", async () => {
    workMs = 100;
    const count = 60;
    await connect(count);
    const answers = await Promise.all(send(count));
    const shed = answers.filter(({ status }) => status === 503);
    expect(worked).toBe(count - shed.length);
    // Requests that start within the time, and those that start before the end of the turn that exceeds it.
    expect(worked).toBeLessThanOrEqual(limits.queueDelayMs / workMs + 2);
    for (const { headers } of shed) expect(headers["retry-after"]).toBe("1");
  });

  it("sheds nothing of a client with 64 connections", async () => {
    await connect(64);
    const answers = await Promise.all(send(64));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(worked).toBe(64);
  });
});
