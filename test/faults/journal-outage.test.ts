// Tests appends to the journal that fail during an apply: a short outage changes nothing, a long one stops the run before
// its next write.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { appliedText } from "../../reconciler/report/applied-text.ts";
import {
  type FaultHook,
  type Proxy,
  type ProxiedRequest,
  startProxy,
} from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { changeSummaries, type Doc, makeStack, type TestStack } from "../support/test-stack.ts";

/** Results fill the journal's queue once, and more updates follow. */
const count = limits.journalDelayRecords + 30;

let service: TestService;
let proxy: Proxy;
let stack: TestStack;
beforeEach(async () => {
  service = await startService();
  proxy = await startProxy(service.url);
  const policy = { concurrency: 1 };
  stack = await makeStack({ url: proxy.url, key: service.adminKey, policy, inventory: "service" });
  await stack.write(groups("g"));
  await stack.apply();
  await stack.write(groups("h"));
});
afterEach(async () => {
  await stack.dispose();
  await proxy.close();
  await service.close();
});

/** Groups that are updated with a separate call each. */
function groups(description: string): readonly Doc[] {
  return Array.from({ length: count }, (_, at): Doc => {
    return { kind: "UserGroup", name: `group-${at}`, spec: { name: `group-${at}`, description } };
  });
}

const isAppend = ({ method, path }: ProxiedRequest) =>
  method === "POST" && /\/state\/svc-inventory\.[^/]+\/journal\b/u.test(path);
const isStateWrite = ({ path }: ProxiedRequest) => path.includes("/state/svc-inventory.");
const isUpdate = ({ path }: ProxiedRequest) => path.includes("/user-groups/");

/**
 * Drops the answers of the requests of a type from number `first`, counted from 1, to number `last`. Meanwhile, updates
 * wait until all attempts of a call got no answer.
 */
function loseAnswers(
  is: (request: ProxiedRequest) => boolean,
  { first, last }: { readonly first: number; readonly last: number },
): FaultHook {
  let number = 0;
  const { promise: failed, resolve } = Promise.withResolvers<void>();
  return async (request) => {
    if (isUpdate(request) && number >= first) await failed;
    if (!is(request)) return "pass";
    number += 1;
    if (number >= Math.min(last, first + limits.restartAttempts - 1)) resolve();
    return number >= first && number <= last ? "lose-answer" : "pass";
  };
}

const armed = (fault: FaultHook) => proxy.arm(1, fault, Infinity);
const results = (outcomes: readonly { readonly result: string }[], result: string) =>
  outcomes.filter((one) => one.result === result).length;

describe.each(["lose-answer", "fail-before"] as const)("updates that %s", (fault) => {
  it("are repeated for as long as a server restarts", { timeout: 60_000 }, async () => {
    let number = 0;
    armed(async (request) => {
      if (!isUpdate(request)) return "pass";
      number += 1;
      return number < limits.restartAttempts ? fault : "pass";
    });
    const applied = await stack.apply();
    expect(number).toBe(count + limits.restartAttempts - 1);
    expect(results(applied.outcomes, "done")).toBe(count);
    expect((await stack.plan()).changes).toEqual([]);
  });
});

describe("an append without an answer", () => {
  it("is repeated for as long as a server restarts", { timeout: 60_000 }, async () => {
    // The first append records the start of the run.
    armed(loseAnswers(isAppend, { first: 2, last: limits.restartAttempts }));
    const applied = await stack.apply();
    expect(applied).toMatchObject({ stopped: undefined, unrecorded: undefined });
    expect(results(applied.outcomes, "done")).toBe(count);
    expect((await stack.plan()).changes).toEqual([]);
  });
});

describe("an append that fails for good", () => {
  it(
    "stops the run, whose end is recorded where that is possible",
    { timeout: 60_000 },
    async () => {
      armed(loseAnswers(isAppend, { first: 2, last: Infinity }));
      const applied = await stack.apply();
      expect(applied.stopped).toMatchObject({ code: "unknown_outcome" });
      expect(applied.unrecorded).toBeUndefined();
      expect(appliedText(applied, { color: false, width: 100 })).toContain(
        "changes not attempted.",
      );
      const skipped = results(applied.outcomes, "skipped");
      expect(skipped).toBeGreaterThan(0);
      expect(proxy.writes().filter(isUpdate)).toHaveLength(count - skipped);
      proxy.arm();
      const left = (await stack.plan()).changes;
      expect(changeSummaries(left)).toHaveLength(skipped);
      expect((await stack.apply()).outcomes.every(({ result }) => result === "done")).toBe(true);
      expect((await stack.plan()).changes).toEqual([]);
    },
  );

  it("is reported where the inventory cannot be written either", { timeout: 60_000 }, async () => {
    armed(loseAnswers(isStateWrite, { first: 3, last: Infinity }));
    const applied = await stack.apply();
    expect(applied.stopped).toMatchObject({ code: "unknown_outcome" });
    expect(applied.unrecorded).toMatchObject({ code: "unknown_outcome" });
    expect(results(applied.outcomes, "skipped")).toBeGreaterThan(0);
  });
});
