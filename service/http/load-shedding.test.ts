// When a server sheds requests, and how much work it does between two looks at its connections.
import { EventEmitter } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Type } from "typebox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { startService, type TestService } from "../../test/support/test-service.ts";
import { handle } from "../areas/operation-handler.ts";
import { type LoadShedder, makeLoadShedder } from "./load-shedding.ts";

const request = (accountId: string, headers: IncomingHttpHeaders = {}) => ({
  headers,
  requestContext: { accountId },
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
      await load.takeTurn({ socket: { destroyed: false } });
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

  it("is followed by turns that only accept connections, while there are any, for as long", async () => {
    let now = 0;
    const load = makeLoadShedder(() => now);
    await load.takeTurn({ socket: { destroyed: false } });
    now += limits.turnMs;
    let isStarted = false;
    const next = load.takeTurn({ socket: { destroyed: false } }).then(() => (isStarted = true));
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
    const leaving = makeLoadShedder().takeTurn({ socket: { destroyed: true } });
    await expect(leaving).rejects.toMatchObject({ code: "timeout" });
  });
});

describe("a server with many connections that send heavy requests", () => {
  const workMs = 5;
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
    const count = 300;
    await connect(count);
    const work = Promise.all(send(count));
    const waits = await watchHealth(work);
    const answers = await work;
    const shed = answers.filter(({ status }) => status === 503);
    const served = answers.filter(({ status }) => status < 300);
    expect(served.length + shed.length).toBe(count);
    expect(worked).toBe(served.length);
    expect(served.length).toBeGreaterThanOrEqual(limits.accountRequestsInFlight);
    expect(shed.length).toBeGreaterThan(0);
    for (const { headers } of shed) expect(headers["retry-after"]).toBe("1");
    // A health check takes a few turns: to connect, to be read, and to be answered.
    expect(Math.max(...waits)).toBeLessThanOrEqual((6 * limits.turnMs) / workMs);
  });

  it("sheds nothing of a client with 64 connections", async () => {
    await connect(64);
    const answers = await Promise.all(send(64));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(worked).toBe(64);
  });
});
