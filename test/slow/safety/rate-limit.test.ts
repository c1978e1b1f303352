// Tests that one rate limit applies to all reads and writes of a run, with one common pause when the server limits the rate.
import { afterEach, beforeEach, expect, it } from "vitest";
import { limits } from "../../../core/limits/limits.ts";
import type { ProgressEvent } from "../../../reconciler/model/index.ts";
import { everyKind, prepareAccount } from "../../support/every-kind.ts";
import { type Proxy, startProxy } from "../../support/fault-proxy.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../../support/test-stack.ts";

const perSecond = 50;
/** The maximum burst of the throttle: a tenth of a second. */
const burst = perSecond / 10;
const concurrency = 16;

let service: TestService;
let proxy: Proxy;

beforeEach(async () => {
  service = await startService();
  await prepareAccount(service);
  proxy = await startProxy(service.url);
});

afterEach(async () => {
  await proxy.close();
  await service.close();
});

async function withStack(
  policy: Readonly<Record<string, number>>,
  work: (stack: TestStack) => Promise<void>,
): Promise<void> {
  const stack = await makeStack({ url: proxy.url, key: service.adminKey, policy });
  try {
    await work(stack);
  } finally {
    await stack.dispose();
  }
}

/** Returns users, each of which is created with a separate call. */
function users(count: number): Doc[] {
  return Array.from({ length: count }, (_, at) => {
    const spec = { email: `user-${at}@corp.example`, username: `user-${at}` };
    return { kind: "User", name: `user-${at}`, spec };
  });
}

const crowd = users(40);

it("keeps all calls of a run within the Stack's rate, however many are under way concurrently", () =>
  withStack({ requestsPerSecond: perSecond, concurrency }, async (stack) => {
    await stack.write([...everyKind, ...crowd]);
    const began = performance.now();
    const { outcomes } = await stack.apply();
    expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
    const { requests: passed } = proxy;
    expect(passed.filter(({ method }) => method === "GET").length).toBeGreaterThan(burst);
    expect(proxy.writes().length).toBeGreaterThanOrEqual(crowd.length + everyKind.length);
    // A busy machine only delays requests: no request can arrive before its turn.
    const early = passed.filter(
      ({ at }, index) => at - began < ((index - burst) * 1000) / perSecond,
    );
    expect(early).toEqual([]);
  }));

it("sends no request of any kind during the second that the server asks to wait", () =>
  withStack({ concurrency }, async (stack) => {
    await stack.write(crowd);
    proxy.arm(crowd.length / 2, "slow-down");
    const { outcomes } = await stack.apply();
    expect(outcomes.every(({ result }) => result === "done")).toBe(true);
    const writes = proxy.writes();
    expect(writes).toHaveLength(crowd.length + 1);
    const gaps = writes.slice(1).map(({ at }, index) => at - (writes[index]?.at ?? 0));
    expect(Math.max(...gaps)).toBeGreaterThan(900);
    // Only the requests that were already in progress.
    const since = gaps.findIndex((gap) => gap > 900) + 1 - crowd.length / 2;
    expect(since).toBeLessThan(concurrency);
  }));

/**
 * Opens a service whose clock advances with every request, by half the time that restores the allowance for one
 * request. It also advances by every wait that a run reports, so that no test really waits for ten seconds.
 */
async function openLimitedService(allowed: number, maxInFlight: number) {
  const began = Date.now();
  const step = limits.rateWindowMs / allowed / 2;
  const waits: Extract<ProgressEvent, { event: "wait" }>[] = [];
  const reported = () => waits.reduce((sum, { seconds }) => sum + seconds * 1000, 0);
  const before: { proxy?: Proxy } = {};
  const end = new AsyncDisposableStack();
  const limited = await startService({
    rates: { perUser: allowed, perAddress: 0 },
    monotonicNow: () => began + (before.proxy?.requests.length ?? 0) * step + reported(),
  });
  end.defer(() => limited.close());
  const counting = await startProxy(limited.url);
  before.proxy = counting;
  end.defer(() => counting.close());
  const options = {
    url: counting.url,
    key: limited.adminKey,
    policy: { concurrency: maxInFlight },
  };
  const stack = await makeStack(options);
  end.defer(() => stack.dispose());
  const progress = (event: ProgressEvent): void => {
    if (event.event === "wait") waits.push(event);
  };
  return { stack, waits, progress, passed: () => counting.requests.length, end };
}

it("succeeds although the quota is exhausted repeatedly, and reports each wait", async () => {
  const allowed = 46;
  const run = await openLimitedService(allowed, 3);
  await using _ = run.end;
  await run.stack.write(users(2 * allowed));
  const { outcomes } = await run.stack.apply({ progress: run.progress });
  expect(outcomes.map(({ result }) => result)).toEqual(outcomes.map(() => "done"));
  expect(outcomes).toHaveLength(2 * allowed);
  expect(run.passed()).toBeGreaterThanOrEqual(2 * allowed);
  expect(run.waits.length).toBeGreaterThanOrEqual(1);
  expect(run.waits.length).toBeLessThanOrEqual(run.passed());
  expect(run.waits.every(({ serverRequested, seconds }) => serverRequested && seconds <= 2)).toBe(
    true,
  );
  expect(run.waits).toContainEqual({ event: "wait", seconds: 1, serverRequested: true });
});

it("counts no write that still waited for its turn when the run was stopped", () =>
  withStack({ requestsPerSecond: 10, concurrency }, async (stack) => {
    await stack.write(crowd);
    const stop = new AbortController();
    proxy.arm(2, async () => {
      stop.abort();
      return "pass";
    });
    const { writeCalls, calls } = await stack.apply({ signal: stop.signal });
    expect(writeCalls).toBe(proxy.writes().length);
    expect(calls).toBeGreaterThanOrEqual(writeCalls);
  }));
