// Tests a stage of 100 deployments that promotes a tenth at a time: the number of calls, and of concurrent changes.
import { expect, it } from "vitest";
import { newestVersion, openPromotionFixture } from "../../promotion/fixture.ts";

it(
  "moves 100 deployments 10% at a time, at a bounded number of calls",
  { timeout: 120_000 },
  async () => {
    const count = 100;
    const deployments = Array.from({ length: count }, (_, index) => {
      return { name: `d${String(index).padStart(3, "0")}`, stage: "dev", channel: "latest" };
    });
    const scene = await openPromotionFixture(deployments);
    try {
      const names = deployments.map(({ name }) => name);
      await scene.writePipeline([{ deployments: { names }, batchSize: "10%" }]);
      await scene.verifyOnly();
      scene.site.requestedPaths.length = 0;
      scene.proxy.arm();
      const { done } = await scene.promote();
      const sizes = done.flatMap((step) => (step.action === "move" ? [step.addresses.length] : []));
      expect(sizes).toEqual(Array.from({ length: 10 }, () => count / 10));
      expect(new Set(Object.values(await scene.versions()))).toEqual(new Set([newestVersion]));
      // Every deployment is checked once, after it has moved.
      expect(scene.site.requestedPaths.toSorted()).toEqual(names.map((name) => `/${name}`));
      const writes = scene.proxy.writes().length;
      const reads = scene.proxy.requests.length - writes;
      expect(writes).toBe(count);
      // Each deployment is read for the decision, for the plan and after the write. Each batch adds a few calls, two of
      // which read the objects that the stack owns.
      expect(reads).toBeGreaterThanOrEqual(3 * count);
      expect(reads).toBeLessThanOrEqual(3 * count + 6 * sizes.length + 10);
    } finally {
      await scene.close();
    }
  },
);
