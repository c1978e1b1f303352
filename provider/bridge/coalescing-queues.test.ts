// How many batches an engine's calls take, on a simulated clock.
import pLimit from "p-limit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { createCoalescingQueues } from "./coalescing-queues.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const later = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

interface Queued {
  readonly resolve: () => void;
}

/** Queues whose batches take `sendMs`, with the size of each batch. */
function open(sendMs = 20) {
  const sizes: number[] = [];
  const queues = createCoalescingQueues<Queued>(async (items) => {
    sizes.push(items.length);
    await later(sendMs);
    for (const { resolve } of items) resolve();
  });
  const call = (name = "create"): Promise<void> =>
    queues.during(name, async () => {
      await new Promise<void>((resolve) => queues.add(name, { resolve }));
      await later(5);
    });
  return { queues, sizes, call };
}

/** Runs the clock until the promise is settled. Returns the time that it took. */
async function settle(work: Promise<unknown>): Promise<number> {
  const from = performance.now();
  const clock = { isSettled: false };
  void work.finally(() => {
    clock.isSettled = true;
  });
  while (!clock.isSettled) await vi.advanceTimersByTimeAsync(1);
  return performance.now() - from;
}

/** Calls like an engine: many concurrent calls, each started after the one before, `gapMs` apart, because it writes its state in between. */
async function runEngine(
  count: number,
  { parallelism, gapMs }: { parallelism: number; gapMs: number },
  call: () => Promise<void>,
): Promise<void> {
  const slots = pLimit(parallelism);
  const starts = pLimit(1);
  await Promise.all(
    Array.from({ length: count }, (_, at) =>
      slots(async () => {
        // The first burst starts immediately, before there is a state to write.
        if (at >= parallelism) await starts(() => later(gapMs));
        await call();
      }),
    ),
  );
}

describe("an engine that starts its calls one after the other", () => {
  it.each([
    { parallelism: 10, gapMs: 4 },
    { parallelism: 10, gapMs: 20 },
    { parallelism: 100, gapMs: 12 },
    // Terraform with 1,000 resources in a local state file. The slots take longer to fill than a batch of a few calls waits.
    { parallelism: 100, gapMs: 40 },
  ])("sends $parallelism calls in each batch, $gapMs ms apart", async (engine) => {
    const { sizes, call } = open();
    await settle(runEngine(300, engine, call));
    expect(sizes).toEqual(sizes.map(() => engine.parallelism));
  });

  it("shares its slots among queues, and each is sent when the last slot is taken", async () => {
    const { sizes, call } = open();
    let at = 0;
    const mixed = () => call(at++ % 2 === 0 ? "create group" : "create user");
    await settle(runEngine(100, { parallelism: 10, gapMs: 6 }, mixed));
    expect(sizes.length).toBeLessThanOrEqual(2 * (100 / 10) + 2);
  });
});

describe("a wait", () => {
  it("of a single call is the shortest one", async () => {
    const { call } = open();
    expect(await settle(call())).toBeLessThanOrEqual(limits.coalesceMs + 20 + 5 + 1);
  });

  it("of calls in a chain ends without a wait, because no slot is free", async () => {
    const { sizes, call } = open();
    await settle(call());
    expect(await settle(call())).toBeLessThanOrEqual(20 + 5 + 1);
    expect(sizes).toEqual([1, 1]);
  });

  it("is bounded where calls start slowly and the engine has free slots", async () => {
    const { sizes, call } = open();
    await settle(Promise.all(Array.from({ length: 100 }, () => call())));
    const gapMs = limits.coalesceQuietMs - 50;
    const trickle = Array.from({ length: 120 }, async (_, at) => {
      await later(at * gapMs);
      await call();
    });
    await settle(Promise.all(trickle));
    const most = Math.ceil(limits.coalesceFillMostMs / gapMs) + 1;
    expect(Math.max(...sizes.slice(1))).toBeLessThanOrEqual(most);
  });

  it("is shorter again once an engine has not filled its slots", async () => {
    const { queues, call } = open();
    await settle(Promise.all(Array.from({ length: 100 }, () => call())));
    const others = Array.from({ length: 300 }, async (_, at) => {
      await later(at * 50);
      await queues.during("update", () => later(20));
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(await settle(call())).toBeGreaterThan(limits.coalesceMostMs + 20 + 5 + 1);
    expect(await settle(call())).toBeLessThanOrEqual(limits.coalesceMostMs + 20 + 5 + 1);
    await settle(Promise.all(others));
  });

  it("is shorter where few slots take less time to fill, while other calls come and go", async () => {
    const { queues, call } = open();
    await settle(Promise.all(Array.from({ length: 10 }, () => call())));
    const others = Array.from({ length: 100 }, async (_, at) => {
      await later(at * 50);
      await queues.during("update", () => later(20));
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(await settle(call())).toBeLessThanOrEqual(limits.coalesceMostMs + 20 + 5 + 1);
    await settle(Promise.all(others));
  });

  it("of a batch includes the one before it, with what the engine does after it", async () => {
    const { sizes, call } = open(100);
    const first = [call(), call()];
    await vi.advanceTimersByTimeAsync(2 * limits.coalesceMs);
    const second = [call(), call(), call()];
    await settle(Promise.all([...first, ...second]));
    expect(sizes).toEqual([2, 3]);
  });
});

it("a full batch does not wait", async () => {
  const { sizes, call } = open();
  await settle(Promise.all(Array.from({ length: limits.createsPerBatch }, () => call())));
  expect(sizes).toEqual([limits.createsPerBatch]);
});

it("a batch is never larger than a full one, whatever arrives while another is sent", async () => {
  const { sizes, call } = open();
  const count = 2.5 * limits.createsPerBatch;
  await settle(Promise.all(Array.from({ length: count }, () => call())));
  expect(sizes).toEqual([1, 1, 0.5].map((part) => part * limits.createsPerBatch));
});
