// Tests promotions and rollbacks that are killed, that run at the same time, or whose server fails: the next run completes
// them.
import { once } from "node:events";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { svcProgram } from "../support/svc-program.ts";
import { sampled } from "../support/sampling.ts";
import { setUpFixture, slowTest } from "./test-hooks.ts";
import {
  newestVersion,
  olderVersion,
  startPromoteChild,
  type PromotionFixture,
} from "./fixture.ts";

// The first file that needs the programs bundles them, which takes longer than a test may.
beforeAll(() => svcProgram());

let fixture: PromotionFixture;
setUpFixture((opened) => {
  fixture = opened;
});
beforeEach(() => fixture.writePipeline([{}, { batchSize: 1 }]));

const everywhere = {
  dev: newestVersion,
  prod: olderVersion,
  "staging-a": newestVersion,
  "staging-b": newestVersion,
};

/** Kills a promotion, or the rollback of a stage, at one of its writes. */
async function killAtWrite(
  at: number,
  when: "before" | "after",
  rolledBack?: string,
): Promise<void> {
  const env = { PATH: process.env["PATH"] ?? "" };
  const child = await startPromoteChild(fixture, { mode: "direct", env, rolledBack });
  fixture.proxy.arm(at, () => {
    child.kill("SIGKILL");
    return Promise.resolve(when === "before" ? "drop" : "pass");
  });
  await once(child, "close");
  await fixture.proxy.idle();
  expect(child.signalCode).toBe("SIGKILL");
  fixture.proxy.arm();
}

describe("a promotion that is killed", slowTest, () => {
  it.each(
    sampled([
      [1, "after"],
      [2, "before"],
      [3, "after"],
    ] as const),
  )("at write %i, %s the server executed it, is finished by the next", async (at, when) => {
    await killAtWrite(at, when);
    const { history, status } = await fixture.promote();
    expect(await fixture.versions()).toEqual(everywhere);
    expect(history.map(({ stage, to, result }) => [stage, to, result])).toEqual([
      ["staging", newestVersion, "done"],
      ["dev", newestVersion, "done"],
    ]);
    expect(status.stages.map(({ rollout }) => rollout)).toEqual([undefined, undefined]);
    // No deployment was moved twice.
    expect(fixture.proxy.writes().length).toBe(3 - at + (when === "before" ? 1 : 0));
  });
});

describe("a rollback that is killed", slowTest, () => {
  it.each(
    sampled([
      [2, "after"],
      [1, "before"],
      [2, "before"],
    ] as const),
  )("at write %i, %s the server executed it, is finished by the next run", async (at, when) => {
    await fixture.verifyOnly();
    await fixture.promote();
    await killAtWrite(at, when, "staging");
    const { history } = await fixture.promote();
    expect(await fixture.versions()).toEqual({
      ...everywhere,
      "staging-a": olderVersion,
      "staging-b": olderVersion,
    });
    expect(history.map(({ stage, to, cause, result }) => [stage, to, cause, result])).toEqual([
      ["staging", olderVersion, "rollback", "done"],
      ["staging", newestVersion, "candidate", "done"],
      ["dev", newestVersion, "candidate", "done"],
    ]);
    const { stages } = await fixture.status();
    expect(stages[1]?.rollout).toBeUndefined();
    // It stays there and is held, and the version that it left was rolled back.
    expect(stages[1]?.hold?.reason).toBe(`rolled back from ${newestVersion} to ${olderVersion}`);
    expect(stages[1]?.reasons.map(({ code }) => code)).toEqual(["held", "rolled-back"]);
  });

  it("after a failed version is completed by the next run", async () => {
    await fixture.writePipeline([{}, { onFailure: "rollback" }]);
    await fixture.verifyOnly();
    fixture.site.nextStatus.set("/staging-b", 503);
    // One write moves dev, two move staging, and the next one starts the rollback.
    await killAtWrite(4, "after");
    await fixture.promote();
    expect(await fixture.versions()).toMatchObject({
      "staging-a": olderVersion,
      "staging-b": olderVersion,
    });
    const { stages } = await fixture.status();
    expect(stages[1]).toMatchObject({ rollout: undefined, reasons: [{ code: "failed" }] });
  });
});

describe("two concurrent promotions", slowTest, () => {
  it("write once: one is refused while the other has the lock", async () => {
    fixture.proxy.arm();
    const both = await Promise.allSettled([fixture.promote(), fixture.promote()]);
    const refused = both.filter((one) => one.status === "rejected");
    expect(refused.map(({ reason }) => (reason as { code: string }).code)).toEqual(["locked"]);
    expect(await fixture.versions()).toEqual(everywhere);
    expect(fixture.proxy.writes()).toHaveLength(3);
  });
});

describe("a server that fails", slowTest, () => {
  it("interrupts the promotion, and the next run continues it", async () => {
    fixture.proxy.arm(2, "conflict");
    const { failures, status } = await fixture.promote();
    expect(failures.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^staging was promoted in part: Deployment\/staging-a: /u),
    ]);
    expect(status.stages[1]).toMatchObject({
      rollout: { version: newestVersion, cause: "candidate" },
      reasons: [{ code: "attempt-failed" }],
    });
    fixture.proxy.arm();
    await fixture.promote();
    expect(await fixture.versions()).toEqual(everywhere);
  });
});
