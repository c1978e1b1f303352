// Tests a pipeline of three stages in both modes: verification, soak time, approval, a closed window, rollback, a hold, and
// a removed version.
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { hour, slowTest } from "./test-hooks.ts";
import { approve, hold, release } from "../../promotion/manual-actions.ts";
import { sampled } from "../support/sampling.ts";
import { changeSummaries } from "../support/test-stack.ts";
import { closePromotionFixtures, expectOk, newestVersion, olderVersion } from "./fixture.ts";
import { type ModeFixture, promotionModes } from "./modes.ts";

const first = {
  dev: olderVersion,
  prod: olderVersion,
  "staging-a": olderVersion,
  "staging-b": olderVersion,
};
const inDev = { ...first, dev: newestVersion };
const inStaging = { ...inDev, "staging-a": newestVersion, "staging-b": newestVersion };

describe.each(sampled(promotionModes))("three stages with $mode", slowTest, ({ mode, open }) => {
  let acting: ModeFixture;
  beforeEach(async () => {
    acting = await open();
  });
  afterEach(() => acting.close());
  afterAll(closePromotionFixtures);

  /** Returns the running versions after a promotion, and the reason why a stage does not continue. */
  async function after(stage: string): Promise<readonly [object, readonly string[]]> {
    await acting.promote();
    const { stages } = await acting.fixture.status();
    const reasons = stages.find((one) => one.stage === stage)?.reasons ?? [];
    return [await acting.fixture.versions(), reasons.map(({ code }) => code)];
  }

  it("promote a version after verification, soak time, listing, approval and an open window", async () => {
    const { fixture: scene } = acting;
    const office = {
      effect: "allow",
      schedule: "0 9 * * mon-fri",
      duration: "8h",
      reason: "staff",
    };
    await acting.writePipeline([{ soak: "2h" }, {}, { windows: [office] }]);
    expect(await after("staging")).toEqual([inDev, ["soaking"]]);
    scene.advanceClock(hour);
    expect(await after("staging")).toEqual([inDev, ["soaking"]]);
    scene.advanceClock(hour);
    // The channel of production does not have it yet.
    expect(await after("production")).toEqual([inStaging, ["version-not-listed"]]);
    await scene.setListed(newestVersion, "release");
    expect(await after("production")).toEqual([inStaging, ["needs-approval"]]);
    scene.advanceClock(8 * hour);
    const production = { ...scene.options, stage: "production" };
    expect(expectOk(await approve(production)).version).toBe(newestVersion);
    expect(await after("production")).toEqual([inStaging, ["closed-window"]]);
    await expect(acting.promote({ to: "production" })).rejects.toMatchObject({
      code: "window_closed",
    });
    expect(await scene.versions()).toEqual(inStaging);
    scene.advanceClock(14 * hour);
    expect(await after("production")).toEqual([{ ...inStaging, prod: newestVersion }, []]);

    const { done, history } = await acting.promote();
    expect(done).toEqual([]);
    expect(history.map(({ stage, result }) => `${stage} ${result}`)).toEqual([
      "production done",
      "staging done",
      "dev done",
    ]);
    expect(history[0]).toMatchObject({
      from: [olderVersion],
      to: newestVersion,
      by: "admin@svc.localhost",
      mode: mode === "--direct" ? "direct" : "write",
      evidence: [{ check: `GET ${scene.site.url}/prod`, passed: true, message: "answered 200" }],
    });
    expect(await acting.promotions()).toEqual([
      `1 of dev to ${newestVersion}`,
      `2 of staging to ${newestVersion}`,
      `1 of production to ${newestVersion}`,
    ]);
    // The pins of the manifests apply, and the rest of the stack is unchanged.
    expect(changeSummaries((await scene.stack.plan()).changes)).toEqual([]);
  });

  it("roll back a version that fails, and do not promote it again automatically", async () => {
    const { fixture: scene } = acting;
    await acting.writePipeline([{}, { onFailure: "rollback", batchSize: 1 }, {}]);
    await scene.verifyOnly();
    scene.site.nextStatus.set("/staging-a", 503);
    const { history, failures } = await acting.promote();
    expect(failures.map(({ message }) => message)).toContain(
      `${newestVersion} did not pass in staging: GET ${scene.site.url}/staging-a answered 503, expected 200`,
    );
    expect(await scene.versions()).toEqual(inDev);
    expect(history.map(({ stage, to, cause, result }) => [stage, to, cause, result])).toEqual([
      ["staging", olderVersion, "rollback", "done"],
      ["staging", newestVersion, "candidate", "failed"],
      ["dev", newestVersion, "candidate", "done"],
    ]);
    // The second deployment of staging has never changed its version.
    const moves = [
      `1 of dev to ${newestVersion}`,
      `1 of staging to ${newestVersion}`,
      `1 of staging to ${olderVersion}`,
    ];
    expect(await acting.promotions()).toEqual(moves);
    expect(await after("staging")).toEqual([inDev, ["failed"]]);
    expect(await acting.promotions()).toEqual(moves);
    expect(changeSummaries((await scene.stack.plan()).changes)).toEqual([]);
  });

  it("block versions while they are held, and continue after the release", async () => {
    const { fixture: scene } = acting;
    await acting.writePipeline([{}, {}, {}]);
    const staging = { ...scene.options, stage: "staging" };
    expectOk(await hold({ ...staging, reason: "audit" }));
    expect(await after("staging")).toEqual([inDev, ["held"]]);
    expectOk(await release(staging));
    expect(await after("production")).toEqual([inStaging, ["version-not-listed"]]);
    await expect(release(staging)).rejects.toMatchObject({
      message: "staging is not held",
      remedy: "No stage is held, so there is nothing to release.",
    });
  });

  it("report a version that is not listed, and promote it once it is listed again", async () => {
    const { fixture: scene } = acting;
    await acting.writePipeline([{}, {}, {}]);
    await scene.setListed(newestVersion, "release");
    await acting.promote();
    expectOk(await approve({ ...scene.options, stage: "production" }));
    await scene.setListed(newestVersion, "release", false);
    expect(await after("production")).toEqual([inStaging, ["version-not-listed"]]);
    const promotion = acting.promote({ to: "production", version: newestVersion });
    await expect(promotion).rejects.toThrow(
      `production may not run ${newestVersion}: Deployment/prod takes its versions from the channel release, and the server lists ${newestVersion} for latest`,
    );
    expect(await scene.versions()).toEqual(inStaging);
    await scene.setListed(newestVersion, "release");
    expect(await after("production")).toEqual([{ ...inStaging, prod: newestVersion }, []]);
  });
});
