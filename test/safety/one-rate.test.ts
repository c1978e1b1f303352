// One budget of requests for everything that a run sends, reads and writes alike, and one pause when the server asks for it.
import { afterEach, beforeEach, expect, it } from "vitest";
import { everyKind, makePeople } from "../support/every-kind.ts";
import { type Arrived, type Proxy, startProxy } from "../support/proxy.ts";
import { startService, type TestService } from "../support/service.ts";
import { type Doc, makeStack, type TestStack } from "../support/stack.ts";

const perSecond = 100;
/** What the gate saves up at most: a tenth of a second. */
const burst = perSecond / 10;
const concurrency = 16;

let service: TestService;
let proxy: Proxy;

beforeEach(async () => {
  service = await startService();
  await makePeople(service);
  proxy = await startProxy(service.url);
});

afterEach(async () => {
  await proxy.close();
  await service.close();
});

async function inStack(
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

const groups = Array.from({ length: 40 }, (_, at): Doc => {
  return { kind: "UserGroup", name: `group-${at}`, spec: { name: `group-${at}` } };
});

/** The most that arrived within `ms` of each other. */
function mostWithin(arrived: readonly Arrived[], ms: number): number {
  const within = arrived.map(
    ({ at }) => arrived.filter((other) => other.at >= at && other.at < at + ms).length,
  );
  return Math.max(...within);
}

it("keeps all calls of a run within the Stack's rate, however many are under way at once", () =>
  inStack({ requestsPerSecond: perSecond, concurrency }, async (stack) => {
    await stack.write([...everyKind, ...groups]);
    const { outcomes } = await stack.apply();
    expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
    const { passed } = proxy;
    const [first, last] = [passed[0], passed.at(-1)];
    const ms = (last?.at ?? 0) - (first?.at ?? 0);
    expect(passed.filter(({ method }) => method === "GET").length).toBeGreaterThan(burst);
    expect(proxy.writes().length).toBeGreaterThanOrEqual(groups.length + everyKind.length);
    expect(ms).toBeGreaterThanOrEqual(((passed.length - burst - 1) * 1000) / perSecond - 20);
    // What a busy machine holds up arrives together: a tenth more.
    expect(mostWithin(passed, 500)).toBeLessThanOrEqual(perSecond * 0.6 + burst);
  }));

it("sends nothing more, of whatever kind, until the second is over that the server asks for", () =>
  inStack({ concurrency }, async (stack) => {
    await stack.write(groups);
    proxy.arm(groups.length / 2, "slow-down");
    const { outcomes } = await stack.apply();
    expect(outcomes.every(({ result }) => result === "done")).toBe(true);
    const writes = proxy.writes();
    expect(writes).toHaveLength(groups.length + 1);
    const gaps = writes.slice(1).map(({ at }, index) => at - (writes[index]?.at ?? 0));
    expect(Math.max(...gaps)).toBeGreaterThan(900);
    // Those that were under way already, and no others.
    const since = gaps.findIndex((gap) => gap > 900) + 1 - groups.length / 2;
    expect(since).toBeLessThan(concurrency);
  }));
