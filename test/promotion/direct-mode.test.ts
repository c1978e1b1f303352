// Tests promotions that are applied directly: grants, windows, holds, failures and refusals. pipeline-lifecycle.test.ts
// tests what both modes do.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { setUpFixture, hour, slowTest, approveAll } from "./test-hooks.ts";
import { pipelineStatus, promote, rollback, verify } from "../../promotion/promote.ts";
import { pipelineText } from "../../promotion/report.ts";
import { approve } from "../../promotion/manual-actions.ts";
import { expectOk, newestVersion, olderVersion, type PromotionFixture } from "./fixture.ts";

let fixture: PromotionFixture;
setUpFixture((opened) => {
  fixture = opened;
});

async function blockReasons(stage: string): Promise<readonly string[]> {
  const { stages } = await fixture.status();
  return stages.find((one) => one.stage === stage)?.reasons.map(({ code }) => code) ?? [];
}

describe("the shipped versions", slowTest, () => {
  it("are promoted from latest to release, once release has them too", async () => {
    await fixture.writePipeline([{}, {}, { promotion: "automatic" }]);
    await fixture.promote();
    expect(await fixture.versions()).toEqual({
      dev: newestVersion,
      prod: olderVersion,
      "staging-a": newestVersion,
      "staging-b": newestVersion,
    });
    expect(await blockReasons("production")).toEqual(["version-not-listed"]);
    fixture.setServiceDate("2025-12-03");
    await fixture.promote();
    expect(await fixture.versions()).toMatchObject({ prod: newestVersion });
    expect(await blockReasons("production")).toEqual([]);
  });
});

describe("a verification by hand", slowTest, () => {
  it.each([
    ["svc promote verify", (stage: string) => verify({ ...fixture.options, stage })],
    [
      "a promotion to the version that runs",
      (to: string) =>
        promote({
          ...fixture.options,
          mode: "direct",
          to,
          version: newestVersion,
          approve: approveAll,
        }),
    ],
  ])("by %s records the checks, and a failure blocks the next stage", async (_, check) => {
    await fixture.writePipeline([{}, {}, { promotion: "approval" }]);
    fixture.setServiceDate("2025-12-03");
    await fixture.promote();
    await approve({ ...fixture.options, stage: "production" });
    const again = async () => expectOk(await check("staging"));
    const passed = await again();
    expect(passed.failures).toEqual([]);
    expect(passed.done).toMatchObject([{ action: "verify", stage: "staging", passed: true }]);
    fixture.site.statusOverrides.set("/staging-b", 500);
    const failed = await again();
    expect(failed.failures.map(({ message }) => message)).toEqual([
      expect.stringContaining("/staging-b answered 500"),
    ]);
    const toProduction = { to: "production", version: newestVersion };
    await expect(fixture.promote(toProduction)).rejects.toMatchObject({ code: "refused" });
    expect(await fixture.versions()).toMatchObject({ prod: olderVersion });
    fixture.site.statusOverrides.clear();
    expect((await again()).failures).toEqual([]);
    await approve({ ...fixture.options, stage: "production" });
    await fixture.promote(toProduction);
    expect(await fixture.versions()).toMatchObject({ prod: newestVersion });
  });
});

describe("a version that soaks", slowTest, () => {
  it("is checked as often as its stage says, and is rolled back once more checks failed than that tolerates", async () => {
    const soak = { soak: "6h", every: "1h", failureLimit: 1, onFailure: "rollback" };
    await fixture.writePipeline([soak, {}]);
    await fixture.promote();
    expect((await fixture.promote()).done).toEqual([]);
    fixture.advanceClock(hour);
    expect((await fixture.promote()).done).toMatchObject([{ action: "verify", passed: true }]);
    fixture.site.statusOverrides.set("/dev", 500);
    fixture.advanceClock(hour);
    const tolerated = await fixture.promote();
    expect(tolerated.done).toMatchObject([{ action: "verify", passed: false }]);
    expect(tolerated.failures).toEqual([]);
    const [, staging] = (await fixture.status()).stages;
    expect(staging?.reasons).toMatchObject([
      { code: "soaking", message: expect.stringContaining("1 of 1 failed checks tolerated") },
    ]);
    fixture.advanceClock(hour);
    fixture.site.nextStatus.set("/dev", 500);
    fixture.site.statusOverrides.clear();
    const { failures } = await fixture.promote();
    expect(failures).toHaveLength(1);
    expect(await fixture.versions()).toMatchObject({ dev: olderVersion });
  });
});

describe("a promotion that skips stages", slowTest, () => {
  it("needs a grant and a reason, and is marked in the history", async () => {
    await fixture.writePipeline([{ promotion: "approval" }, {}]);
    await fixture.promote();
    const asked = { to: "staging", version: newestVersion, skipStages: true };
    const reason = "CVE-2026-1";
    await expect(fixture.promote({ ...asked, reason })).rejects.toMatchObject({
      code: "forbidden",
      remedy: expect.stringContaining("--grant skipStages=staging"),
    });
    const grants = { ...fixture.options.grants, skipStages: ["staging"] };
    await expect(fixture.promote({ ...asked, grants })).rejects.toMatchObject({ code: "usage" });
    // A stage that needs an approval needs it here too.
    await fixture.writePipeline([{ promotion: "approval" }, { promotion: "approval" }]);
    await expect(fixture.promote({ ...asked, grants, reason })).rejects.toMatchObject({
      details: { confirmation: "approval" },
    });
    await approve({ ...fixture.options, stage: "staging", version: newestVersion });
    const { history, status, manualActions } = await fixture.promote({ ...asked, grants, reason });
    expect(await fixture.versions()).toMatchObject({
      dev: olderVersion,
      "staging-a": newestVersion,
    });
    expect(history[0]).toMatchObject({ to: newestVersion, skipped: ["dev"], reason });
    const text = pipelineText({ history, status, manualActions }, { color: false, width: 80 });
    expect(text).toMatch(
      /done \(requested, by admin@svc\.localhost, run \S+, not verified in dev: CVE-2026-1\)/u,
    );
  });
});

describe("an automatic stage", slowTest, () => {
  it("needs a grant of the operator", async () => {
    await fixture.writePipeline();
    const may = { ...fixture.options.grants, promotion: ["staging"] };
    await fixture.promote({ grants: may });
    expect(await fixture.versions()).toMatchObject({ dev: olderVersion });
    const looked = expectOk(await pipelineStatus({ ...fixture.options, grants: may }));
    expect(looked.status.stages[0]?.reasons).toMatchObject([{ code: "not-granted" }]);
    await fixture.promote({ grants: { ...may, promotion: [] }, to: "dev" });
    expect(await fixture.versions()).toMatchObject({
      dev: newestVersion,
      "staging-a": olderVersion,
    });
  });

  it("shows the deployments of each batch before it starts", async () => {
    await fixture.writePipeline([{}, { batchSize: 1 }]);
    await fixture.verifyOnly();
    await fixture.promote({ to: "dev" });
    const report = expectOk(await pipelineStatus(fixture.options));
    const batches = [["Deployment/staging-a"], ["Deployment/staging-b"]];
    expect(report.status.stages[1]).toMatchObject({ step: { action: "start" }, batches });
    expect(pipelineText(report, { color: false, width: 80 })).toContain(
      `  next: bring staging to ${newestVersion}\n    batch 1 of 2: Deployment/staging-a\n    batch 2 of 2: Deployment/staging-b\n`,
    );
  });

  it("names the step that was not confirmed", async () => {
    await fixture.writePipeline();
    const result = await fixture.promote({ approve: () => Promise.resolve(false) });
    const { status, done } = result;
    expect(pipelineText({ ...result, done: [] }, { color: false, width: 80 })).toMatch(
      /^No steps; blocked: dev \(not-confirmed\)[^\n]*\.\n/u,
    );
    expect(done.map(({ action }) => action)).not.toContain("start");
    expect(status.stages[0]?.reasons).toEqual([
      { code: "not-confirmed", message: `${newestVersion} was not confirmed for dev` },
    ]);
  });

  it("writes nothing if a check is not granted", async () => {
    await fixture.writePipeline();
    const { failures, done } = await fixture.promote({
      grants: {
        ...fixture.options.grants,
        checks: { ...fixture.options.grants.checks, origins: [] },
      },
    });
    expect(done).toEqual([]);
    expect(failures[0]?.remedy).toContain(`--grant checks.origins=${fixture.site.url}`);
  });
});

describe("a version that fails", slowTest, () => {
  it("stops the rollout, and the report lists what moved", async () => {
    await fixture.writePipeline();
    await fixture.verifyOnly();
    fixture.site.statusOverrides.set("/staging-b", 500);
    const { failures } = await fixture.promote();
    expect(failures.map(({ message }) => message)).toEqual([
      `${newestVersion} did not pass in staging: GET ${fixture.site.url}/staging-b answered 500, expected 200`,
    ]);
    expect(await blockReasons("staging")).toEqual(["failed"]);
    const again = await fixture.promote();
    expect(again.done).toEqual([]);
    expect(again.failures).toMatchObject([
      {
        message: failures[0]?.message,
        remedy: `Fix what failed, then verify it again: svc promote run platform --to staging --version ${newestVersion} --direct`,
      },
    ]);
    expect(again.status.stages[1]?.reasons).toMatchObject([
      { message: failures[0]?.message, remedy: again.failures[0]?.remedy },
    ]);
    fixture.site.statusOverrides.clear();
    const retried = await fixture.promote({ to: "staging", version: newestVersion });
    expect(retried.failures).toEqual([]);
    expect(retried.done.at(-1)?.action).toBe("finish");
  });

  it("is withdrawn downstream if it fails later or its verification expires", async () => {
    await fixture.writePipeline([{}, { validFor: "1d", promotion: "approval" }, {}]);
    await fixture.setListed(newestVersion, "release");
    await fixture.promote();
    expectOk(await approve({ ...fixture.options, stage: "staging" }));
    await fixture.promote();
    expectOk(await approve({ ...fixture.options, stage: "production" }));
    fixture.advanceClock(25 * hour);
    expect(await blockReasons("production")).toContain("stale");
    fixture.site.statusOverrides.set("/staging-a", 500);
    await fixture.promote();
    expect(await fixture.versions()).toMatchObject({
      "staging-a": newestVersion,
      prod: olderVersion,
    });
    fixture.site.statusOverrides.clear();
    fixture.advanceClock(25 * hour);
    await fixture.promote();
    // It passes again, and the approval of the failed version is gone.
    expect(await blockReasons("production")).toEqual(["needs-approval"]);
    expect(await fixture.versions()).toMatchObject({ prod: olderVersion });
  });
});

describe("a closed window", slowTest, () => {
  it("blocks candidates until it opens; the operator's window also blocks a rollback", async () => {
    const office = {
      effect: "allow",
      schedule: "0 9 * * mon-fri",
      duration: "8h",
      reason: "hours",
    };
    await fixture.writePipeline([{ windows: [office] }]);
    fixture.advanceClock(8 * hour);
    await fixture.promote();
    const { stages } = await fixture.status();
    expect(stages[0]?.reasons).toEqual([
      {
        code: "closed-window",
        message: "outside the windows of the stage dev that allow changes (hours)",
        until: "2026-03-03T09:00:00.000Z",
      },
    ]);
    await expect(fixture.promote({ to: "dev" })).rejects.toMatchObject({ code: "window_closed" });
    expect(await fixture.versions()).toMatchObject({ dev: olderVersion });
    fixture.advanceClock(16 * hour);
    const freeze = { to: "2026-03-04T00:00:00Z", reason: "audit", owner: "ops" };
    const grants = { ...fixture.options.grants, freezes: [freeze] };
    await expect(fixture.promote({ to: "dev", grants })).rejects.toThrow(
      "a freeze of the operator",
    );
    await fixture.promote();
    expect(await fixture.versions()).toMatchObject({ dev: newestVersion });
    const back = { ...fixture.options, stage: "dev", mode: "direct", approve: approveAll } as const;
    await expect(rollback({ ...back, grants })).rejects.toMatchObject({
      code: "window_closed",
      message: "dev may not change now: a freeze of the operator (audit)",
    });
    expect(await fixture.versions()).toMatchObject({ dev: newestVersion });
    expectOk(await rollback({ ...back, grants: { ...grants, rollbackInFreeze: true } }));
    expect(await fixture.versions()).toMatchObject({ dev: olderVersion });
  });
});

describe("holds", slowTest, () => {
  it("are set by promoting an older version and released by promoting the candidate", async () => {
    await fixture.writePipeline([{}, {}]);
    await fixture.promote();
    await fixture.promote({ to: "dev", version: `v${olderVersion}` });
    expect(await fixture.versions()).toMatchObject({
      dev: olderVersion,
      "staging-a": newestVersion,
    });
    await fixture.promote();
    expect(await blockReasons("dev")).toEqual(["held"]);
    await fixture.promote({ to: "dev", version: newestVersion });
    expect(await fixture.versions()).toMatchObject({ dev: newestVersion });
    expect((await fixture.status()).stages[0]?.hold).toBeUndefined();
  });

  it("are set by a rollback, which also withdraws the version downstream", async () => {
    await fixture.writePipeline([{}, { promotion: "approval" }]);
    await fixture.verifyOnly();
    await fixture.promote();
    expectOk(
      await rollback({ ...fixture.options, stage: "dev", mode: "direct", approve: approveAll }),
    );
    expect(await fixture.versions()).toMatchObject({ dev: olderVersion });
    const { stages, cells } = await fixture.status();
    expect(stages[0]?.hold?.reason).toBe(`rolled back from ${newestVersion} to ${olderVersion}`);
    expect(cells.find((one) => one.stage === "dev" && one.version === newestVersion)).toMatchObject(
      {
        verification: "rolled-back",
      },
    );
    await expect(
      approve({ ...fixture.options, stage: "staging", version: newestVersion }),
    ).rejects.toThrow(`dev was rolled back from ${newestVersion} after it was verified there`);
  });
});

describe("a rollback of a stage that runs several versions", slowTest, () => {
  it("withdraws the approvals of those that it leaves", async () => {
    await fixture.writePipeline([{}, { promotion: "approval" }]);
    await fixture.verifyOnly();
    await fixture.promote({ to: "dev" });
    const staging = { ...fixture.options, stage: "staging" };
    expectOk(await approve({ ...staging, version: newestVersion }));
    const listed = await fixture.service.send("GET", "/api/v1/deployments?first=1000");
    const { items } = listed.body as { items: readonly { id: number; name: string }[] };
    const id = items.find(({ name }) => name === "staging-a")?.id;
    const body = { releaseChannel: "latest", releaseChannelVersion: newestVersion };
    const moved = await fixture.service.send("PUT", `/api/v1/deployments/${id}`, { body });
    expect(moved.status).toBe(200);
    expectOk(await rollback({ ...staging, mode: "direct", approve: approveAll }));
    expect(await fixture.versions()).toMatchObject({ "staging-a": olderVersion });
    expect((await fixture.status()).stages[1]?.approvals).toEqual([]);
  });
});

describe("a promotion that is refused", slowTest, () => {
  it("names a version pinned in the document, and an unknown stage or pipeline", async () => {
    await fixture.writePipeline([{}]);
    await fixture.stack.write([
      {
        kind: "Deployment",
        name: "dev",
        spec: {
          name: "dev",
          region: "aws-us-east-1",
          release: { channel: "latest", version: olderVersion },
        },
      },
    ]);
    const { failures } = await fixture.promote();
    expect(failures.map(({ code }) => code)).toEqual(["refused"]);
    expect(await fixture.versions()).toMatchObject({ dev: olderVersion });
    await expect(fixture.promote({ to: "deb" })).rejects.toMatchObject({
      remedy: "Did you mean dev?",
    });
    await expect(fixture.promote({ pipeline: "other" })).rejects.toMatchObject({ code: "usage" });
  });

  it("reports all errors of the document with their places", async () => {
    await fixture.writePipeline([
      { source: {}, checks: [{}], soak: "2 hours" },
      { name: "dev", deployments: { names: ["dev", "stagging-a"] } },
      { source: { stage: "stagin" }, batchSize: "0%" },
    ]);
    const verdict = await promote({ ...fixture.options, mode: "direct", approve: approveAll });
    expect(verdict.ok).toBe(false);
    const formal = verdict.diagnostics.map(({ code, path }) => `${code} ${path ?? ""}`);
    expect(formal).toEqual([
      "invalid-stage /spec/stages/0/checks/0",
      "invalid-stage /spec/stages/0/source",
      "out-of-bounds /spec/stages/0/soak",
      "invalid-stage /spec/stages/1/name",
      "invalid-stage /spec/stages/2/source/stage",
      "out-of-bounds /spec/stages/2/batchSize",
    ]);
    await fixture.writePipeline([
      { source: { channel: "nightly" }, checks: [{}] },
      { deployments: { names: ["dev", "stagging-a"] } },
      { source: { stage: "stagin" } },
    ]);
    const other = await promote({ ...fixture.options, mode: "direct", approve: approveAll });
    const selected = other.diagnostics.map(({ code, path }) => `${code} ${path ?? ""}`);
    expect(selected.toSorted()).toEqual([
      "invalid-stage /spec/stages/0/checks/0",
      "invalid-stage /spec/stages/0/source/channel",
      "invalid-stage /spec/stages/1/deployments",
      "invalid-stage /spec/stages/1/deployments/names/1",
      "invalid-stage /spec/stages/2/source/stage",
    ]);
    expect(other.diagnostics.every(({ place }) => place?.file === "pipeline.yaml")).toBe(true);
  });

  it("names an object that two pipelines select", async () => {
    await fixture.writePipeline([{}]);
    const text = readFileSync(join(fixture.stack.folder, "pipeline.yaml"), "utf8");
    writeFileSync(
      join(fixture.stack.folder, "second.yaml"),
      text.replace('"name":"platform"', '"name":"other"').replace('"name":"dev"', '"name":"first"'),
    );
    const reported = (await fixture.stack.manifestDiagnostics()).map(({ code, summary, place }) => {
      return `${place?.file ?? ""}: ${code}: ${summary}`;
    });
    expect(reported).toEqual([
      'second.yaml: invalid-stage: Deployment/dev is in the stage "first" and in "dev" of the pipeline "platform"',
    ]);
    // An error that only follows from another error is not reported.
    writeFileSync(join(fixture.stack.folder, "documents.yaml"), "kind: {\n");
    const follows = await fixture.stack.manifestDiagnostics();
    expect(follows.map(({ code }) => code)).not.toContain("invalid-stage");
  });
});
