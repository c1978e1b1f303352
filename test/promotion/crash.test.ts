// Promotions and rollbacks that are killed in the middle, that meet another, or whose server fails: the next run ends what was begun.
import { once } from "node:events";
import { beforeEach, describe, expect, it } from "vitest";
import { eachScene, patience } from "./each.ts";
import { newest, older, promotingChild, type Scene } from "./scene.ts";

let scene: Scene;
eachScene((opened) => {
  scene = opened;
});
beforeEach(() => scene.pipeline([{}, { atOnce: 1 }]));

const everywhere = { dev: newest, prod: older, "staging-a": newest, "staging-b": newest };

/** Kills a promotion, or the rollback of a stage, at one of its writes. */
async function killedAt(at: number, when: "before" | "after", rolledBack?: string): Promise<void> {
  const env = { PATH: process.env["PATH"] ?? "" };
  const child = promotingChild(scene, { way: "direct", env, rolledBack });
  scene.proxy.arm(at, () => {
    child.kill("SIGKILL");
    return Promise.resolve(when === "before" ? "drop" : "pass");
  });
  await once(child, "close");
  await scene.proxy.idle();
  expect(child.signalCode).toBe("SIGKILL");
  scene.proxy.arm();
}

describe("a promotion that is killed", patience, () => {
  it.each([
    [1, "after"],
    [2, "before"],
    [3, "after"],
  ] as const)("at write %i, %s the server did it, is finished by the next", async (at, when) => {
    await killedAt(at, when);
    const { history, status } = await scene.promote();
    expect(await scene.versions()).toEqual(everywhere);
    expect(history.map(({ stage, to, result }) => [stage, to, result])).toEqual([
      ["staging", newest, "done"],
      ["dev", newest, "done"],
    ]);
    expect(status.stages.map(({ rollout }) => rollout)).toEqual([undefined, undefined]);
    // Nothing was moved twice.
    expect(scene.proxy.writes().length).toBe(3 - at + (when === "before" ? 1 : 0));
  });
});

describe("a rollback that is killed", patience, () => {
  it.each([
    [1, "before"],
    [2, "before"],
    [2, "after"],
  ] as const)(
    "at write %i, %s the server did it, is finished by the next run",
    async (at, when) => {
      await scene.settle();
      await scene.promote();
      await killedAt(at, when, "staging");
      const { history } = await scene.promote();
      expect(await scene.versions()).toEqual({
        ...everywhere,
        "staging-a": older,
        "staging-b": older,
      });
      expect(history.map(({ stage, to, cause, result }) => [stage, to, cause, result])).toEqual([
        ["staging", older, "rollback", "done"],
        ["staging", newest, "candidate", "done"],
        ["dev", newest, "candidate", "done"],
      ]);
      const { stages } = await scene.status();
      expect(stages[1]?.rollout).toBeUndefined();
      // It stays there: held, and what it left is found wanting.
      expect(stages[1]?.hold?.reason).toBe(`rolled back from ${newest} to ${older}`);
      expect(stages[1]?.reasons.map(({ code }) => code)).toEqual(["held", "failed"]);
    },
  );

  it("and was begun since a version failed is finished as well", async () => {
    await scene.pipeline([{}, { onFailure: "rollback" }]);
    await scene.settle();
    scene.site.sickOnce.set("/staging-b", 503);
    // One write moves dev, two move staging, and the next is the first that takes it back.
    await killedAt(4, "after");
    await scene.promote();
    expect(await scene.versions()).toMatchObject({ "staging-a": older, "staging-b": older });
    const { stages } = await scene.status();
    expect(stages[1]).toMatchObject({ rollout: undefined, reasons: [{ code: "failed" }] });
  });
});

describe("two at once", patience, () => {
  it("never both act", async () => {
    scene.proxy.arm();
    const both = await Promise.allSettled([scene.promote(), scene.promote()]);
    const refused = both.filter((one) => one.status === "rejected");
    expect(refused.map(({ reason }) => (reason as { code: string }).code)).toEqual(["locked"]);
    expect(await scene.versions()).toEqual(everywhere);
    expect(scene.proxy.writes()).toHaveLength(3);
  });
});

describe("a server that fails", patience, () => {
  it("leaves the promotion where it is, and the next run goes on", async () => {
    scene.proxy.arm(2, "conflict");
    const { failures, status } = await scene.promote();
    expect(failures.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^staging could not be moved whole: Deployment\/staging-a: /u),
    ]);
    expect(status.stages[1]).toMatchObject({
      rollout: { version: newest, cause: "candidate" },
      reasons: [{ code: "not-done" }],
    });
    scene.proxy.arm();
    await scene.promote();
    expect(await scene.versions()).toEqual(everywhere);
  });
});
