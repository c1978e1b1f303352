// Results that are kept until their data changes: by time, by a statement, and by the cache mode of a request.
import { expect, test } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import type { CacheMode } from "../query/query-schema.ts";
import type { RefreshCheck } from "../query/refresh.ts";
import { createQueryQueue } from "./query-queue.ts";
import { createRefreshedResults, type ResultSource } from "./refreshed-results.ts";

/** Returns a database whose rows are its version, and that can be slow. */
function database() {
  const queue = createQueryQueue<number>(
    () => state.time,
    () => 8,
    { ...limits, queryHoldMs: 5 },
  );
  const results = createRefreshedResults(queue, () => state.time);
  const state = { time: 0, version: 1, runs: 0, finished: Promise.resolve() };
  const source: ResultSource<number> = {
    key: "build 1",
    asker: { group: "main", tenant: "", session: undefined },
    identify: String,
    work: async ({ text }) => {
      if (text === "check") return state.version;
      state.runs++;
      await state.finished;
      return state.version;
    },
  };
  const statement = { text: "query", values: [] };
  const ask = (
    checks: readonly RefreshCheck[],
    mode: CacheMode = "stale-if-slow",
    on: ResultSource<number> = source,
  ) => results.run(on, { statement, checks, mode });
  const finish = (checks: readonly RefreshCheck[], mode: CacheMode) =>
    results.finish(source, { statement, checks, mode });
  return { state, source, ask, finish };
}

const every = (period: string): readonly RefreshCheck[] => [{ period }];
const check = { text: "check", values: [] };
const fresh = (value: number) => ({ value, isStale: false });
const stale = (value: number) => ({ value, isStale: true });

test("a result is kept for its period, and for the build", async () => {
  const { state, source, ask } = database();
  expect(await ask(every("1"))).toEqual(fresh(1));
  state.version = 2;
  expect(await ask(every("1"))).toEqual(fresh(1));
  expect(await ask(every("2"))).toEqual(fresh(2));
  expect(await ask(every("2"), "stale-if-slow", { ...source, key: "build 2" })).toEqual(fresh(2));
  expect(state.runs).toBe(3);
});

test("a result is kept until the rows of the check change, which runs once in a period", async () => {
  const { state, ask, finish } = database();
  const checks = (period: string) => [{ period, statement: check }];
  expect(await ask(checks("1"))).toEqual(fresh(1));
  expect(await ask(checks("2"))).toEqual(fresh(1));
  expect(state.runs).toBe(1);
  state.version = 2;
  expect(await ask(checks("2"))).toEqual(fresh(1));
  // Checks again.
  expect(await ask(checks("2"), "must-revalidate")).toEqual(fresh(2));
  finish(checks("2"), "must-revalidate");
  state.version = 3;
  expect(await ask(checks("2"), "must-revalidate")).toEqual(fresh(3));
  expect(state.runs).toBe(3);
});

test("without a cache every request computes", async () => {
  const { state, ask, finish } = database();
  for (const version of [1, 2]) {
    state.version = version;
    expect(await ask(every("1"), "no-cache")).toEqual(fresh(version));
    finish(every("1"), "no-cache");
  }
});

test("an older result answers immediately, or if the new one is slow", async () => {
  const { state, ask } = database();
  await ask(every("1"));
  state.version = 2;
  expect(await ask(every("2"), "stale-while-revalidate")).toEqual(stale(1));
  await expect.poll(() => ask(every("2"), "stale-while-revalidate")).toEqual(fresh(2));
  const finished = Promise.withResolvers<void>();
  state.finished = finished.promise;
  expect(await ask(every("3"))).toEqual(stale(2));
  expect(await ask(every("4"), "must-revalidate")).toBe("waiting");
  finished.resolve();
});

test("a query that takes longer than its period is computed once for all requests that poll", async () => {
  const { state, ask, finish } = database();
  const finished = Promise.withResolvers<void>();
  state.finished = finished.promise;
  for (const period of ["1", "2", "3"]) {
    const two = [1, 2].map(() => ask(every(period), "must-revalidate"));
    expect(await Promise.all(two)).toEqual(["waiting", "waiting"]);
  }
  finished.resolve();
  expect(await ask(every("4"), "must-revalidate")).toEqual(fresh(1));
  // Another query of the request was still waiting.
  expect(await ask(every("5"), "must-revalidate")).toEqual(fresh(1));
  expect(state.runs).toBe(1);
  finish(every("5"), "must-revalidate");
  expect(await ask(every("5"), "must-revalidate")).toEqual(fresh(1));
  expect(state.runs).toBe(2);
});

test("a result that no request fetched does not answer a later one", async () => {
  const { state, ask } = database();
  const finished = Promise.withResolvers<void>();
  state.finished = finished.promise;
  expect(await ask(every("1"))).toBe("waiting");
  finished.resolve();
  await new Promise((resolve) => setTimeout(resolve));
  state.version = 2;
  state.time = limits.queryHoldMs;
  // Still, it is the newest result.
  expect(await ask(every("2"), "stale-while-revalidate")).toEqual(stale(1));
  expect(await ask(every("2"))).toEqual(fresh(2));
});
