// One pipeline of three stages by both ways of acting: verification, soak, approval, a closed window, failure and rollback, a hold, a version that left the list.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hour, patience } from "./each.ts";
import { approve, hold, release } from "../../reconciler/promote/words.ts";
import { inWords } from "../support/stack.ts";
import { good, newest, older } from "./scene.ts";
import { type Acting, ways } from "./ways.ts";

const first = { dev: older, prod: older, "staging-a": older, "staging-b": older };
const inDev = { ...first, dev: newest };
const inStaging = { ...inDev, "staging-a": newest, "staging-b": newest };

describe.each(ways)("three stages, by $way", patience, ({ way, open }) => {
  let acting: Acting;
  beforeEach(async () => {
    acting = await open();
  });
  afterEach(() => acting.close());

  /** What runs after a promotion, and why a stage does not go on. */
  async function after(stage: string): Promise<readonly [object, readonly string[]]> {
    await acting.promote();
    const { stages } = await acting.scene.status();
    const reasons = stages.find((one) => one.stage === stage)?.reasons ?? [];
    return [await acting.scene.versions(), reasons.map(({ code }) => code)];
  }

  it("pass a version on as it is verified, soaks, is listed, is approved, and the window opens", async () => {
    const { scene } = acting;
    const office = {
      effect: "allow",
      schedule: "0 9 * * mon-fri",
      duration: "8h",
      reason: "staff",
    };
    await acting.pipeline([{ soak: "2h" }, {}, { windows: [office] }]);
    expect(await after("staging")).toEqual([inDev, ["soaks"]]);
    scene.pass(hour);
    expect(await after("staging")).toEqual([inDev, ["soaks"]]);
    scene.pass(hour);
    // The channel of production does not have it yet.
    expect(await after("production")).toEqual([inStaging, ["off-list"]]);
    await scene.list(newest, "release");
    expect(await after("production")).toEqual([inStaging, ["needs-approval"]]);
    scene.pass(8 * hour);
    const production = { ...scene.options, stage: "production" };
    expect(good(await approve(production)).version).toBe(newest);
    expect(await after("production")).toEqual([inStaging, ["window"]]);
    await expect(acting.promote({ to: "production" })).rejects.toMatchObject({ code: "closed" });
    expect(await scene.versions()).toEqual(inStaging);
    scene.pass(14 * hour);
    expect(await after("production")).toEqual([{ ...inStaging, prod: newest }, []]);

    const { done, history } = await acting.promote();
    expect(done).toEqual([]);
    expect(history.map(({ stage, result }) => `${stage} ${result}`)).toEqual([
      "production done",
      "staging done",
      "dev done",
    ]);
    expect(history[0]).toMatchObject({
      from: [older],
      to: newest,
      by: "ada",
      way: way === "--direct" ? "direct" : "write",
      evidence: [{ check: `GET ${scene.site.url}/prod`, passed: true, said: "answered 200" }],
    });
    expect(await acting.moves()).toEqual([
      `1 of dev to ${newest}`,
      `2 of staging to ${newest}`,
      `1 of production to ${newest}`,
    ]);
    // What the manifests say holds, and nothing else of the stack was touched.
    expect(inWords((await scene.stack.plan()).changes)).toEqual([]);
  });

  it("take back a version that fails, and do not let it in again by themselves", async () => {
    const { scene } = acting;
    await acting.pipeline([{}, { onFailure: "rollback", atOnce: 1 }, {}]);
    await scene.settle();
    scene.site.sickOnce.set("/staging-a", 503);
    const { history, failures } = await acting.promote();
    expect(failures.map(({ message }) => message)).toContain(
      `${newest} did not pass in staging: GET ${scene.site.url}/staging-a answered 503, expected 200`,
    );
    expect(await scene.versions()).toEqual(inDev);
    expect(history.map(({ stage, to, cause, result }) => [stage, to, cause, result])).toEqual([
      ["staging", older, "rollback", "done"],
      ["staging", newest, "candidate", "failed"],
      ["dev", newest, "candidate", "done"],
    ]);
    // The second of staging has never left what it ran.
    const moves = [
      `1 of dev to ${newest}`,
      `1 of staging to ${newest}`,
      `1 of staging to ${older}`,
    ];
    expect(await acting.moves()).toEqual(moves);
    expect(await after("staging")).toEqual([inDev, ["failed"]]);
    expect(await acting.moves()).toEqual(moves);
    expect(inWords((await scene.stack.plan()).changes)).toEqual([]);
  });

  it("keep versions out while they are held, and go on once they are released", async () => {
    const { scene } = acting;
    await acting.pipeline([{}, {}, {}]);
    const staging = { ...scene.options, stage: "staging" };
    good(await hold({ ...staging, reason: "audit" }));
    expect(await after("staging")).toEqual([inDev, ["held"]]);
    good(await release(staging));
    expect(await after("production")).toEqual([inStaging, ["off-list"]]);
    await expect(release(staging)).rejects.toThrow("nobody holds staging");
  });

  it("tell a version that left the list, and promote it once it is back", async () => {
    const { scene } = acting;
    await acting.pipeline([{}, {}, {}]);
    await scene.list(newest, "release");
    await acting.promote();
    good(await approve({ ...scene.options, stage: "production" }));
    await scene.list(newest, "release", false);
    expect(await after("production")).toEqual([inStaging, ["off-list"]]);
    const asked = acting.promote({ to: "production", version: newest });
    await expect(asked).rejects.toThrow(
      `${newest} is not on the list of versions that production may run`,
    );
    expect(await scene.versions()).toEqual(inStaging);
    await scene.list(newest, "release");
    expect(await after("production")).toEqual([{ ...inStaging, prod: newest }, []]);
  });
});
