// Promotion over a real service, applied directly: grants, windows, holds, failures, and what cannot be promoted. What both ways do alike is in ways.test.ts.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eachScene, hour, patience, yes } from "./each.ts";
import { pipelineStatus, promote, rollback } from "../../reconciler/promote/promote.ts";
import { approve } from "../../reconciler/promote/words.ts";
import { good, newest, older, type Scene } from "./scene.ts";

let scene: Scene;
eachScene((opened) => {
  scene = opened;
});

async function reasons(stage: string): Promise<readonly string[]> {
  const { stages } = await scene.status();
  return stages.find((one) => one.stage === stage)?.reasons.map(({ code }) => code) ?? [];
}

describe("what a stage does by itself", patience, () => {
  it("is what somebody has granted", async () => {
    await scene.pipeline();
    const may = { ...scene.options.may, automatic: ["staging"] };
    await scene.promote({ may });
    expect(await scene.versions()).toMatchObject({ dev: older });
    const looked = good(await pipelineStatus({ ...scene.options, may }));
    expect(looked.status.stages[0]?.reasons).toMatchObject([{ code: "not-granted" }]);
    await expect(scene.promote({ may, to: "production", version: older })).rejects.toMatchObject({
      code: "refused",
      details: { confirmation: "approval" },
    });
    await scene.promote({ may: { ...may, automatic: [] }, to: "dev" });
    expect(await scene.versions()).toMatchObject({ dev: newest, "staging-a": older });
  });

  it("writes nothing where a check was not granted", async () => {
    await scene.pipeline();
    const { failures, done } = await scene.promote({ may: { ...scene.options.may, origins: [] } });
    expect(done).toEqual([]);
    expect(failures[0]?.remedy).toContain(`--allow-origin ${scene.site.url}`);
  });
});

describe("a version that fails", patience, () => {
  it("stops there, and what moved is told", async () => {
    await scene.pipeline();
    await scene.settle();
    scene.site.sick.set("/staging-b", 500);
    const { failures } = await scene.promote();
    expect(failures.map(({ message }) => message)).toEqual([
      `${newest} did not pass in staging: GET ${scene.site.url}/staging-b answered 500, expected 200`,
    ]);
    expect(await reasons("staging")).toEqual(["failed"]);
    expect((await scene.promote()).done).toEqual([]);
  });

  it("is withdrawn downstream when it fails later, or is too old to be trusted", async () => {
    await scene.pipeline([{}, { validFor: "1d", promotion: "approval" }, {}]);
    await scene.list(newest, "release");
    await scene.promote();
    good(await approve({ ...scene.options, stage: "staging" }));
    await scene.promote();
    good(await approve({ ...scene.options, stage: "production" }));
    scene.pass(25 * hour);
    expect(await reasons("production")).toContain("stale");
    scene.site.sick.set("/staging-a", 500);
    await scene.promote();
    expect(await scene.versions()).toMatchObject({ "staging-a": newest, prod: older });
    scene.site.sick.clear();
    scene.pass(25 * hour);
    await scene.promote();
    // It passes again, and the approval that stood on what failed is gone.
    expect(await reasons("production")).toEqual(["needs-approval"]);
    expect(await scene.versions()).toMatchObject({ prod: older });
  });
});

describe("a closed window", patience, () => {
  it("keeps candidates out until it opens, whoever closes it; the operator's keeps a rollback out too", async () => {
    const office = {
      effect: "allow",
      schedule: "0 9 * * mon-fri",
      duration: "8h",
      reason: "hours",
    };
    await scene.pipeline([{ windows: [office] }]);
    scene.pass(8 * hour);
    await scene.promote();
    const { stages } = await scene.status();
    expect(stages[0]?.reasons).toEqual([
      {
        code: "window",
        said: "outside the windows of the stage dev that allow changes (hours)",
        until: "2026-03-03T09:00:00.000Z",
      },
    ]);
    await expect(scene.promote({ to: "dev" })).rejects.toMatchObject({ code: "closed" });
    expect(await scene.versions()).toMatchObject({ dev: older });
    scene.pass(16 * hour);
    const freeze = { to: "2026-03-04T00:00:00Z", reason: "audit", owner: "ops" };
    const grants = { ...scene.options.grants, freezes: [freeze] };
    await expect(scene.promote({ to: "dev", grants })).rejects.toThrow("a freeze of the operator");
    await scene.promote();
    expect(await scene.versions()).toMatchObject({ dev: newest });
    const back = { ...scene.options, stage: "dev", way: "direct", approve: yes } as const;
    await expect(rollback({ ...back, grants })).rejects.toMatchObject({
      code: "closed",
      message: "dev must not change now: a freeze of the operator (audit)",
    });
    expect(await scene.versions()).toMatchObject({ dev: newest });
    good(await rollback({ ...back, grants: { ...grants, rollbackInFreeze: true } }));
    expect(await scene.versions()).toMatchObject({ dev: older });
  });
});

describe("holds", patience, () => {
  it("come with something older, and go with the candidate", async () => {
    await scene.pipeline([{}, {}]);
    await scene.promote();
    await scene.promote({ to: "dev", version: `v${older}` });
    expect(await scene.versions()).toMatchObject({ dev: older, "staging-a": newest });
    await scene.promote();
    expect(await reasons("dev")).toEqual(["held"]);
    await scene.promote({ to: "dev", version: newest });
    expect(await scene.versions()).toMatchObject({ dev: newest });
    expect((await scene.status()).stages[0]?.hold).toBeUndefined();
  });

  it("come with a rollback, which takes back what was promised", async () => {
    await scene.pipeline([{}, { promotion: "approval" }]);
    await scene.settle();
    await scene.promote();
    good(await rollback({ ...scene.options, stage: "dev", way: "direct", approve: yes }));
    expect(await scene.versions()).toMatchObject({ dev: older });
    const { stages, cells } = await scene.status();
    expect(stages[0]?.hold?.reason).toBe(`rolled back from ${newest} to ${older}`);
    expect(cells.find((one) => one.stage === "dev" && one.version === newest)).toMatchObject({
      verification: "failed",
    });
    await expect(approve({ ...scene.options, stage: "staging", version: newest })).rejects.toThrow(
      `${newest} does not pass in dev any more`,
    );
  });
});

describe("what cannot be promoted", patience, () => {
  it("is told: a version that the document pins, a stage or pipeline that is not there", async () => {
    await scene.pipeline([{}]);
    await scene.stack.write([
      {
        kind: "Deployment",
        name: "dev",
        spec: {
          name: "dev",
          region: "aws-us-east-1",
          release: { channel: "latest", version: older },
        },
      },
    ]);
    const { failures } = await scene.promote();
    expect(failures.map(({ code }) => code)).toEqual(["refused"]);
    expect(await scene.versions()).toMatchObject({ dev: older });
    await expect(scene.promote({ to: "deb" })).rejects.toMatchObject({
      remedy: 'did you mean "dev"?',
    });
    await expect(scene.promote({ pipeline: "other" })).rejects.toMatchObject({ code: "usage" });
  });

  it("is collected over the whole document, with places", async () => {
    await scene.pipeline([
      { enters: {}, verifies: [{}], soak: "2 hours" },
      { name: "dev", deployments: { names: ["dev", "stagging-a"] } },
      { enters: { stage: "stagin" }, atOnce: "0%" },
    ]);
    const verdict = await promote({ ...scene.options, way: "direct", approve: yes });
    expect(verdict.ok).toBe(false);
    const formal = verdict.diagnostics.map(({ code, path }) => `${code} ${path ?? ""}`);
    expect(formal).toEqual([
      "out-of-bounds /spec/stages/0/soak",
      "out-of-bounds /spec/stages/2/atOnce",
    ]);
    await scene.pipeline([
      { enters: { channel: "nightly" }, verifies: [{}] },
      { deployments: { names: ["dev", "stagging-a"] } },
      { enters: { stage: "stagin" } },
    ]);
    const other = await promote({ ...scene.options, way: "direct", approve: yes });
    expect(other.diagnostics.map(({ code, path }) => `${code} ${path ?? ""}`)).toEqual([
      "pipeline-stage /spec/stages/0/verifies/0",
      "pipeline-stage /spec/stages/2/enters/stage",
    ]);
    expect(other.diagnostics.every(({ place }) => place?.file === "pipeline.yaml")).toBe(true);
  });

  it("is told: an object that two pipelines would move", async () => {
    await scene.pipeline([{}]);
    const text = readFileSync(join(scene.stack.folder, "pipeline.yaml"), "utf8");
    writeFileSync(
      join(scene.stack.folder, "second.yaml"),
      text.replace('"name":"platform"', '"name":"other"').replace('"name":"dev"', '"name":"first"'),
    );
    const told = (await scene.stack.diagnosticsOfFiles()).map(({ code, summary, place }) => {
      return `${place?.file ?? ""}: ${code}: ${summary}`;
    });
    expect(told).toEqual([
      'second.yaml: pipeline-stage: Deployment/dev is in the stage "first" and in "dev" of the pipeline "platform"',
    ]);
    // What only follows from another mistake is not told.
    writeFileSync(join(scene.stack.folder, "documents.yaml"), "kind: {\n");
    const follows = await scene.stack.diagnosticsOfFiles();
    expect(follows.map(({ code }) => code)).not.toContain("pipeline-stage");
  });
});
