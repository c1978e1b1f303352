// Tests that a repeated rollback resumes the running one or changes nothing, and withdraws no other version.
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { svcProgram } from "../../support/svc-program.ts";
import { release } from "../../../promotion/manual-actions.ts";
import { pipelineStatus, rollback } from "../../../promotion/promote.ts";
import type { JsonObject } from "../../../core/json.ts";
import { slowTest, approveAll } from "../../promotion/test-hooks.ts";
import {
  closePromotionFixtures,
  expectOk,
  newestVersion,
  olderVersion,
  startPromoteChild,
} from "../../promotion/fixture.ts";
import { type ModeFixture, promotionModes } from "../../promotion/modes.ts";

// The first file that needs the programs bundles them, which takes longer than a test may.
beforeAll(() => svcProgram());

const oldest = "1.7.12";

describe.each(promotionModes)("a repeated rollback with $mode", slowTest, ({ mode, open }) => {
  let acting: ModeFixture;
  beforeEach(async () => {
    acting = await open();
  });
  afterEach(() => acting.close());
  afterAll(closePromotionFixtures);

  /** Creates a state in which dev has verified two versions and runs the newer one. */
  async function settled(more: JsonObject = {}): Promise<void> {
    await acting.fixture.setListed(oldest, "latest");
    await acting.writePipeline([more]);
    for (const version of [oldest, olderVersion]) await bring(version);
  }

  /** Requests a version, and applies and verifies it. */
  async function bring(version: string): Promise<void> {
    await applied(await acting.fixture.promote({ ...acting.modeOptions, to: "dev", version }));
  }

  /** Applies and verifies the committed changes. */
  async function applied({ diff }: { readonly diff: string }): Promise<void> {
    if (diff !== "") await acting.fixture.stack.apply();
    await acting.promote();
  }

  async function back(more: object = {}) {
    const { fixture: scene, modeOptions: acts } = acting;
    const rollbackOptions = {
      ...scene.options,
      ...acts,
      stage: "dev",
      approve: approveAll,
      ...more,
    };
    return expectOk(await rollback(rollbackOptions));
  }

  /** Returns the version of dev, its failed versions, and its holds. */
  async function state(): Promise<readonly unknown[]> {
    const { stages, cells } = await acting.fixture.status();
    const failed = cells.filter(
      (one) => one.stage === "dev" && /^(failed|rolled-back)$/u.test(one.verification ?? ""),
    );
    const { dev } = await acting.fixture.versions();
    return [dev, failed.map(({ version }) => version), stages[0]?.hold?.version];
  }

  async function recordedActions() {
    return expectOk(await pipelineStatus(acting.fixture.options)).manualActions;
  }

  it("after an automatic rollback keeps its target, and holds the stage", async () => {
    await settled({ onFailure: "rollback" });
    acting.fixture.site.nextStatus.set("/dev", 500);
    await bring(newestVersion);
    expect(await state()).toEqual([olderVersion, [newestVersion], undefined]);
    const { manualActions, diagnostics } = await back({ reason: "paged" });
    expect(diagnostics.map(({ summary }) => summary)).toContain(
      `dev was rolled back to ${olderVersion} before: it stays there, and is held now`,
    );
    expect(await state()).toEqual([olderVersion, [newestVersion], olderVersion]);
    expect(manualActions[0]).toMatchObject({
      action: "rolled-back",
      version: olderVersion,
      reason: "paged",
    });
    await acting.promote();
    expect(await state()).toEqual([olderVersion, [newestVersion], olderVersion]);
  });

  it("after a manual rollback and a release records nothing where no other version is verified", async () => {
    await acting.fixture.setListed(oldest, "latest");
    await acting.writePipeline([{}]);
    await bring(olderVersion);
    await bring(newestVersion);
    await applied(await back());
    const before = await recordedActions();
    const refusal = {
      code: "refused",
      message: `dev already runs ${olderVersion}, and no other verified version is before it`,
    };
    await expect(back({ reason: "again" })).rejects.toMatchObject(refusal);
    expect(await recordedActions()).toEqual(before);
    expectOk(await release({ ...acting.fixture.options, stage: "dev" }));
    await expect(back()).rejects.toMatchObject(refusal);
    expect(await state()).toEqual([olderVersion, [newestVersion], undefined]);
  });

  it("after a manual rollback keeps its target, and rolls back further if that fails", async () => {
    await settled();
    await bring(newestVersion);
    await applied(await back());
    await expect(back()).rejects.toMatchObject({
      code: "refused",
      message: `dev was already rolled back to ${olderVersion}`,
    });
    expect(await state()).toEqual([olderVersion, [newestVersion], olderVersion]);
    acting.fixture.site.statusOverrides.set("/dev", 500);
    acting.fixture.advanceClock(2000);
    await acting.writePipeline([{ validFor: "1s" }]);
    await acting.promote();
    acting.fixture.site.statusOverrides.clear();
    await acting.writePipeline([{}]);
    await applied(await back());
    expect(await state()).toEqual([oldest, [newestVersion, olderVersion], oldest]);
  });

  if (mode === "--direct") {
    it("after a kill continues to the same version", async () => {
      await settled();
      await bring(newestVersion);
      const env = { PATH: process.env["PATH"] ?? "" };
      const child = await startPromoteChild(acting.fixture, {
        mode: "direct",
        env,
        rolledBack: "dev",
      });
      acting.fixture.proxy.arm(1, () => {
        child.kill("SIGKILL");
        return Promise.resolve("pass");
      });
      await once(child, "close");
      await acting.fixture.proxy.idle();
      acting.fixture.proxy.arm();
      const { history } = await back();
      expect(await state()).toEqual([olderVersion, [newestVersion], olderVersion]);
      expect(history[0]).toMatchObject({ to: olderVersion, cause: "rollback", result: "done" });
    });
  } else {
    it("while its apply is pending continues to the same version, without another commit", async () => {
      await settled({ onFailure: "rollback" });
      const { fixture: scene, modeOptions: acts } = acting;
      await scene.promote({ ...acts, to: "dev", version: newestVersion });
      await scene.stack.apply();
      scene.site.nextStatus.set("/dev", 500);
      await scene.promote(acts);
      expect((await scene.status()).stages[0]).toMatchObject({
        rollout: { version: olderVersion, cause: "rollback" },
        // The failed version still runs.
        reasons: [{ code: "failed" }, { code: "pending-apply" }],
      });
      for (const reason of [undefined, "paged", "paged again"]) {
        expect((await back({ reason })).diff).toBe("");
      }
      await scene.stack.apply();
      await acting.promote();
      expect(await state()).toEqual([olderVersion, [newestVersion], olderVersion]);
    });
  }
});
