// Promotions that are killed in the middle, that meet another, or whose server fails: the next run ends what was begun.
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

describe("a promotion that is killed", patience, () => {
  it.each([
    [1, "after"],
    [2, "before"],
    [3, "after"],
  ] as const)("at write %i, %s the server did it, is finished by the next", async (at, when) => {
    const child = promotingChild(scene, {
      way: "direct",
      env: { PATH: process.env["PATH"] ?? "" },
    });
    scene.proxy.arm(at, () => {
      child.kill("SIGKILL");
      return Promise.resolve(when === "before" ? "drop" : "pass");
    });
    await once(child, "close");
    await scene.proxy.idle();
    expect(child.signalCode).toBe("SIGKILL");
    scene.proxy.arm();
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
