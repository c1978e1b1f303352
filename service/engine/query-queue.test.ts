// The queue of queries: one computation for one key, held requests, results that are kept, and queries that are dropped.
import { describe, expect, test, vi } from "vitest";
import { createQueryQueue, type QueueLimits } from "./query-queue.ts";

const bounds: { [K in keyof QueueLimits]: number } = {
  queriesRunning: 1,
  queryEngines: 1,
  deploymentQueriesRunning: 2,
  tenantQueriesRunning: 2,
  sessionQueriesRunning: 1,
  queriesWaiting: 2,
  queryHoldMs: 5,
  queryPollMs: 1000,
  queryAbandonMs: 1000,
  queryResultMs: 100,
  queryResults: 10,
  queryResultsBytes: 1000,
  deploymentResultsBytes: 1000,
  deploymentQueriesWaiting: 2,
  tenantQueriesWaiting: 2,
  sessionQueriesWaiting: 2,
};

function queueAt(more: Partial<typeof bounds> = {}) {
  const clock = { time: 0 };
  const queue = createQueryQueue<number>(
    () => clock.time,
    () => 400,
    { ...bounds, ...more },
  );
  let runs = 0;
  const work = async () => ++runs;
  return { clock, queue, work, runs: () => runs };
}

describe("a query queue", () => {
  test("runs a query once for all requests, and keeps its result for a time", async () => {
    const { clock, queue, work, runs } = queueAt();
    const held = await Promise.all(Array.from({ length: 200 }, () => queue.run("a", work)));
    expect(new Set(held.map((one) => one !== "waiting" && one.value))).toEqual(new Set([1]));
    expect(await queue.run("b", work)).toEqual({ value: 2 });
    clock.time = 99;
    expect(await queue.run("a", work)).toEqual({ value: 1 });
    expect(await queue.run("a", work, { fresh: true })).toEqual({ value: 3 });
    clock.time = 300;
    expect(await queue.run("a", work)).toEqual({ value: 4 });
    expect(runs()).toBe(4);
  });

  test("answers waiting, and the next request gets the result", async () => {
    const { queue } = queueAt();
    const pending = Promise.withResolvers<number>();
    expect(await queue.run("a", () => pending.promise)).toBe("waiting");
    pending.resolve(7);
    expect(await queue.run("a", async () => 8)).toEqual({ value: 7 });
  });

  test("reports an error to whoever waits, and keeps it no longer than a result", async () => {
    const { clock, queue } = queueAt();
    const failing = async () => Promise.reject(new Error("no table"));
    await expect(queue.run("a", failing)).rejects.toThrow("no table");
    clock.time = 200;
    expect(await queue.run("a", async () => 1)).toEqual({ value: 1 });
  });

  test("drops a query that no request asks for any more before it starts", async () => {
    const { clock, queue, work, runs } = queueAt();
    const pending = Promise.withResolvers<number>();
    expect(await queue.run("slow", () => pending.promise)).toBe("waiting");
    expect(await queue.run("left", work)).toBe("waiting");
    clock.time = 2000;
    pending.resolve(1);
    await queue.run("slow", work);
    expect(runs()).toBe(0);
    expect(await queue.run("left", work)).toEqual({ value: 1 });
  });

  test("cancels a query that runs and that no request asks for any more, and all at the end", async () => {
    const { clock, queue } = queueAt({ queryAbandonMs: 20, queriesRunning: 2 });
    const signals: AbortSignal[] = [];
    const endless = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<number>(() => undefined);
    };
    const canceled = () => signals.map(({ aborted }) => aborted);
    expect(await queue.run("left", endless)).toBe("waiting");
    clock.time = 30;
    expect(await queue.run("open", endless)).toBe("waiting");
    await vi.waitFor(() => expect(canceled()).toEqual([true, false]));
    queue.cancel();
    expect(canceled()).toEqual([true, true]);
  });

  test("refuses more queries than may wait", async () => {
    const { queue, work } = queueAt();
    const pending = Promise.withResolvers<number>();
    for (const key of ["a", "b", "c"])
      expect(await queue.run(key, () => pending.promise)).toBe("waiting");
    await expect(queue.run("d", work)).rejects.toMatchObject({ code: "unavailable" });
    pending.resolve(1);
  });

  test("ends a fresh request for a slow and a quick query, however often it polls", async () => {
    const { clock, queue, work, runs } = queueAt({ queriesRunning: 2 });
    const pending = Promise.withResolvers<number>();
    const load = async () =>
      Promise.all([
        queue.run("quick", work, { fresh: true }),
        queue.run("slow", () => pending.promise, { fresh: true }),
      ]);
    for (let poll = 0; poll < 5; poll++) {
      expect(await load()).toEqual([{ value: 1 }, "waiting"]);
      clock.time += 90;
    }
    pending.resolve(7);
    expect(await load()).toEqual([{ value: 1 }, { value: 7 }]);
    queue.finish("quick");
    expect(await queue.run("quick", work, { fresh: true })).toEqual({ value: 2 });
    expect(runs()).toBe(2);
  });

  test("keeps no more bytes of results than its limit, those used last", async () => {
    const { queue, work } = queueAt();
    for (const key of ["a", "b", "a", "c"]) await queue.run(key, work);
    expect(await queue.run("a", work)).toEqual({ value: 1 });
    expect(await queue.run("c", work)).toEqual({ value: 3 });
    expect(await queue.run("b", work)).toEqual({ value: 4 });
  });

  test("leaves room for other groups during the queries of one", async () => {
    const { queue, work } = queueAt({ queriesRunning: 3, queriesWaiting: 10 });
    const pending = Promise.withResolvers<number>();
    const slow = (key: string) => queue.run(key, () => pending.promise, { group: "a" });
    expect(await Promise.all(["a1", "a2", "a3"].map(slow))).toEqual(Array(3).fill("waiting"));
    expect(await queue.run("b1", work, { group: "b" })).toEqual({ value: 1 });
    pending.resolve(7);
    expect(await slow("a3")).toEqual({ value: 7 });
  });

  test("starts the first query of a group while others run as many as they may", async () => {
    const running = { queriesRunning: 3, deploymentQueriesRunning: 2, queryEngines: 4 };
    const { queue, work } = queueAt({ ...running, queriesWaiting: 10 });
    const pending = Promise.withResolvers<number>();
    const slow = (key: string, group: string) => queue.run(key, () => pending.promise, { group });
    await Promise.all([slow("a1", "a"), slow("a2", "a"), slow("b1", "b"), slow("c1", "c")]);
    expect(await queue.run("d1", work, { group: "d" })).toEqual({ value: 1 });
    await slow("e1", "e");
    expect(await queue.run("f1", work, { group: "f" })).toBe("waiting");
    pending.resolve(7);
    expect(await queue.run("f1", work, { group: "f" })).toEqual({ value: 2 });
  });

  test("runs a query again for a request that comes after it was canceled", async () => {
    const { clock, queue, work } = queueAt({ queryAbandonMs: 20, queriesRunning: 2 });
    const canceled = Promise.withResolvers<void>();
    const endless = (signal: AbortSignal) => {
      signal.addEventListener("abort", () => canceled.resolve());
      return new Promise<number>(() => undefined);
    };
    expect(await queue.run("left", endless)).toBe("waiting");
    clock.time = 30;
    await canceled.promise;
    expect(await queue.run("left", work)).toEqual({ value: 1 });
  });

  test("limits the waiting queries of a group, and groups take turns", async () => {
    const { queue } = queueAt({ queriesWaiting: 10 });
    const pending = Promise.withResolvers<number>();
    const order: string[] = [];
    const ask = (key: string, group: string) =>
      queue.run(
        key,
        async () => {
          order.push(key);
          return pending.promise;
        },
        { group },
      );
    for (const key of ["a1", "a2", "a3"]) expect(await ask(key, "a")).toBe("waiting");
    await expect(ask("a4", "a")).rejects.toMatchObject({ code: "unavailable" });
    expect(await ask("b1", "b")).toBe("waiting");
    pending.resolve(1);
    await Promise.all([ask("a3", "a"), ask("b1", "b")]);
    expect(order).toEqual(["a1", "a2", "b1", "a3"]);
  });

  test("gives tenants of a group turns, and the sessions of each, whatever one asks for", async () => {
    const more = { queriesWaiting: 50, deploymentQueriesWaiting: 50, tenantQueriesWaiting: 50 };
    const { queue } = queueAt({ ...more, sessionQueriesWaiting: 4, tenantQueriesRunning: 1 });
    const pending = Promise.withResolvers<number>();
    const order: string[] = [];
    const ask = (key: string) => {
      const [tenant = "", session = ""] = key;
      const work = async () => {
        order.push(key);
        return pending.promise;
      };
      return queue.run(key, work, { group: "g", tenant, session: tenant + session });
    };
    const loop = ["a11", "a12", "a13", "a14", "a15"];
    await Promise.all(loop.map(ask));
    await expect(ask("a16")).rejects.toMatchObject({ code: "unavailable" });
    const others = ["a21", "b11", "b12", "b21"];
    await Promise.all(others.map(ask));
    pending.resolve(1);
    await Promise.all([...loop, ...others].map(ask));
    expect(order).toEqual(["a11", "a12", "b11", "a21", "b21", "a13", "b12", "a14", "a15"]);
  });

  test("leaves room for other tenants and sessions during the slow queries of one", async () => {
    const running = { queriesRunning: 9, deploymentQueriesRunning: 3 };
    const { queue, work } = queueAt({ ...running, queriesWaiting: 10 });
    const slow = (key: string, session: string) =>
      queue.run(key, () => new Promise<number>(() => undefined), {
        group: "g",
        tenant: "a",
        session,
      });
    await Promise.all([slow("1", "a1"), slow("2", "a1")]);
    const of = (tenant: string, session: string) => ({ group: "g", tenant, session });
    expect(await queue.run("3", work, of("a", "a2"))).toEqual({ value: 1 });
    await slow("4", "a2");
    expect(await queue.run("5", work, of("b", "b1"))).toEqual({ value: 2 });
  });

  test("cancels a query when its last client goes away, running or not, unless one polls it", async () => {
    const { clock, queue } = queueAt({ queryHoldMs: 60_000 });
    const signals: AbortSignal[] = [];
    const endless = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<number>((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("canceled")));
      });
    };
    const clients = Array.from({ length: 3 }, () => new AbortController());
    const [one, other, waiting] = clients.map(({ signal }) => signal);
    const held = [
      queue.run("shared", endless, { signal: one }),
      queue.run("shared", endless, { signal: other }),
      queue.run("behind", endless, { signal: waiting }),
    ];
    clients[0]?.abort();
    clients[2]?.abort();
    await Promise.all([held[0], held[2]]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    clients[1]?.abort();
    await held[1];
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await queue.run("behind", async () => 5)).toEqual({ value: 5 });
    expect(signals).toHaveLength(1);
    expect(clock.time).toBe(0);
  });

  test("cancels a query sooner if a client with the answer to ask again does not", async () => {
    const { clock, queue } = queueAt({ queryPollMs: 20, queriesRunning: 2 });
    const signals: AbortSignal[] = [];
    const endless = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<number>(() => undefined);
    };
    const turn = (session: string) => ({ session, tenant: session });
    await queue.run("polled", endless, { isPolled: true, ...turn("a") });
    await queue.run("revalidated", endless, turn("b"));
    clock.time = 30;
    await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]));
    queue.cancel();
  });
});
