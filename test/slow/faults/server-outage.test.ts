// Tests a server that fails during an apply and stays unavailable: the run ends soon, lists what it did not try, and can be
// resumed.
import { describe, expect, it } from "vitest";
import { limits } from "../../../core/limits/limits.ts";
import { appliedText } from "../../../reconciler/report/applied-text.ts";
import { liveState } from "../../support/live-state.ts";
import { startProxy } from "../../support/fault-proxy.ts";
import { startService } from "../../support/test-service.ts";
import { type Doc, makeStack } from "../../support/test-stack.ts";

const count = 40;
const good = 5;
/** Users that are created with a separate call each. */
const users = Array.from({ length: count }, (_, at): Doc => {
  const spec = { email: `user-${at}@corp.example`, username: `user-${at}` };
  return { kind: "User", name: `user-${at}`, spec };
});
/** Tenants in a later layer, so that the run would continue with them. */
const tenants = Array.from({ length: 5 }, (_, at): Doc[] => [
  { kind: "EmbedTenant", name: `t-${at}`, spec: { name: `tenant-${at}` } },
  { kind: "EmbedGroup", name: `g-${at}`, spec: { embedTenant: `t-${at}`, name: "inside" } },
]).flat();

const outages = ["lose-answer", "fail-before", "fail-after"] as const;

describe.each(outages)("where all %s", (fault) => {
  it("stops after a few failures, and the next run finishes", { timeout: 60_000 }, async () => {
    const service = await startService();
    const proxy = await startProxy(service.url);
    const policy = { concurrency: 1 };
    const stack = await makeStack({ url: proxy.url, key: service.adminKey, policy });
    try {
      await stack.write([...users, ...tenants]);
      proxy.arm(good + 1, fault, Infinity);
      const applied = await stack.apply();
      const named = (result: string) =>
        applied.outcomes.filter((one) => one.result === result).map(({ address }) => address);
      expect(applied.stopped).toMatchObject({ code: "unknown_outcome" });
      // This server honours the idempotency keys of creates, so each create is retried as often as possible.
      expect(proxy.writes()).toHaveLength(good + limits.failuresInARow * limits.restartAttempts);
      expect(named("skipped")).toHaveLength(
        count + tenants.length - named("done").length - named("failed").length,
      );
      expect(named("skipped")).toContain("EmbedTenant/t-4");
      const text = appliedText(applied, { color: false, width: 100 });
      expect(text).toContain(`${named("skipped").length} changes not attempted.`);
      expect(text.split("\n").length).toBeLessThan(15);
      proxy.arm();
      // The creator of the users whose answers were lost is unknown.
      const again = await stack.apply({ adopt: () => fault !== "fail-before" });
      expect(again.stopped).toBeUndefined();
      expect(again.outcomes.filter(({ result }) => result !== "done")).toEqual([]);
      expect((await stack.plan()).changes).toEqual([]);
      const created = Object.keys(await liveState(service)).filter((at) =>
        at.startsWith("User/user-"),
      );
      expect(created).toHaveLength(count);
    } finally {
      await stack.dispose();
      await proxy.close();
      await service.close();
    }
  });
});
