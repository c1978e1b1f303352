// The throttle: concurrency, rate, order and pauses.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createRequestRate } from "./request-rate.ts";
import { createThrottle } from "./throttle.ts";

describe("the throttle", () => {
  it("limits concurrency, in order, and releases each slot once", async () => {
    const throttle = createThrottle(2, undefined);
    const order: number[] = [];
    const leaves: (() => void)[] = [];
    for (const number of [1, 2, 3, 4]) {
      void throttle.acquire(undefined).then((leave) => {
        order.push(number);
        leaves.push(leave);
      });
    }
    await sleep(1);
    expect(order).toEqual([1, 2]);
    leaves[0]?.();
    leaves[0]?.();
    await sleep(1);
    expect(order).toEqual([1, 2, 3]);
  });

  it("sends no more than the server announced, and one call if nothing was left", async () => {
    const throttle = createThrottle(8, undefined);
    const sent: string[] = [];
    const leaves: (() => void)[] = [];
    const send = (name: string, cost: number) =>
      throttle.acquire(undefined, cost).then((leave) => {
        sent.push(name);
        leaves.push(leave);
      });
    await Promise.all([send("first", 1), send("second", 1)]);
    // Of the 13 that are left, 2 may still be taken by the calls that run.
    throttle.announce(13);
    leaves[0]?.();
    void send("bulk", 10);
    void send("read", 1);
    void send("late", 1);
    await sleep(1);
    expect(sent).toEqual(["first", "second", "bulk", "read"]);
    throttle.announce(0);
    for (const leave of leaves.slice(1, 3)) leave();
    await sleep(1);
    expect(sent).not.toContain("late");
    leaves[3]?.();
    await sleep(1);
    expect(sent).toContain("late");
  });

  it("delays the calls above its rate", async () => {
    const throttle = createThrottle(64, 50);
    const from = performance.now();
    await Promise.all(
      Array.from({ length: 20 }, async () => (await throttle.acquire(undefined))()),
    );
    expect(performance.now() - from).toBeGreaterThan(290);
  });

  it("shares a rate with another throttle, which takes turns with it", async () => {
    const rate = createRequestRate(50);
    const busy = createThrottle(64, rate);
    const other = createThrottle(2, rate);
    const order: string[] = [];
    const pass = async (name: string, throttle: typeof busy) => {
      const leave = await throttle.acquire(undefined);
      order.push(name);
      leave();
    };
    const from = performance.now();
    const first = Array.from({ length: 20 }, () => pass("busy", busy));
    const second = Array.from({ length: 4 }, () => pass("other", other));
    await Promise.all([...first, ...second]);
    expect(performance.now() - from).toBeGreaterThan(370);
    expect(order.slice(0, 14).filter((name) => name === "other")).toHaveLength(4);
  });

  it("pauses all calls, and keeps the longer pause", async () => {
    const throttle = createThrottle(8, undefined);
    throttle.pause(80);
    throttle.pause(10);
    const from = performance.now();
    await Promise.all([throttle.acquire(undefined), throttle.acquire(undefined)]);
    expect(performance.now() - from).toBeGreaterThan(75);
  });

  it("removes canceled calls from the queue, so that the next one starts", async () => {
    const throttle = createThrottle(1, undefined);
    const leave = await throttle.acquire(undefined);
    const stop = new AbortController();
    const stopped = throttle.acquire(stop.signal);
    const next = throttle.acquire(undefined);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ code: "aborted" });
    leave();
    await next;
    await expect(throttle.acquire(stop.signal)).rejects.toMatchObject({ code: "aborted" });
  });
});
