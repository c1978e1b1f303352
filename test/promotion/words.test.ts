// What people say of a stage: remembered with who, when, why and from which commit, and heeded by a promotion that runs.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { eachScene, patience, yes } from "./each.ts";
import { history } from "../../reconciler/runs/history.ts";
import { pipelineStatus, type PromoteOptions, rollback } from "../../reconciler/promote/promote.ts";
import { approve, hold, release } from "../../reconciler/promote/words.ts";
import { repositoryOf } from "./repository.ts";
import { good, newest, older, type Scene } from "./scene.ts";

let scene: Scene;
eachScene((opened) => {
  scene = opened;
});

/** A promotion of two batches that waits in the check of the first until `meanwhile` is over. */
async function during(
  meanwhile: () => Promise<unknown>,
  more: Partial<PromoteOptions> = {},
): Promise<void> {
  const [asked, on] = ["asked", "on"].map((name) => join(scene.stack.folder, ".svc", name));
  const script = join(scene.stack.folder, ".svc", "check");
  const text = `#!/bin/sh\ntouch ${asked}\nwhile [ ! -e ${on} ]; do sleep 0.01; done\n`;
  writeFileSync(script, text, { mode: 0o755 });
  await scene.pipeline([{}, { atOnce: 1, verifies: [{ command: "wait" }] }]);
  const commands = { wait: "/bin/true" };
  await scene.promote({ may: { ...scene.options.may, automatic: ["dev"], commands } });
  const may = { ...scene.options.may, commands: { wait: script } };
  const going = scene.promote({ may, ...more });
  await vi.waitFor(() => expect(existsSync(asked ?? "")).toBe(true), { timeout: 30_000 });
  await meanwhile();
  writeFileSync(on ?? "", "");
  await going;
}

describe("a hold that comes while a promotion runs", patience, () => {
  it.each([
    ["lets in by itself", {}],
    ["was asked for", { to: "staging" }],
  ])("is taken at once, and seen before the next batch of what it %s", async (_, more) => {
    const staging = { ...scene.options, stage: "staging" };
    await during(async () => {
      good(await hold({ ...staging, by: "bob", reason: "users complain" }));
      // The one who promotes is still the only one who may.
      await expect(scene.promote()).rejects.toMatchObject({
        code: "locked",
        message: expect.stringMatching(/holds the lock .* \(promote platform\) since /u),
      });
    }, more);
    expect(await scene.versions()).toMatchObject({ "staging-a": newest, "staging-b": older });
    const { stages, words } = await looked();
    expect(stages[1]).toMatchObject({
      rollout: { version: newest },
      hold: { by: "bob", reason: "users complain" },
      reasons: [{ code: "held" }],
    });
    expect(words[0]).toMatchObject({ did: "held", by: "bob", reason: "users complain" });
    good(await release({ ...staging, reason: "it was the network" }));
    const commands = { wait: "/bin/true" };
    await scene.promote({ may: { ...scene.options.may, commands } });
    expect(await scene.versions()).toMatchObject({ "staging-a": newest, "staging-b": newest });
  });
});

it("a hold without a reason is refused, and holds nothing", patience, async () => {
  await scene.pipeline([{}, {}]);
  const staging = { ...scene.options, stage: "staging", reason: "  " };
  await expect(hold(staging)).rejects.toMatchObject({ code: "usage" });
  expect((await looked()).words).toEqual([]);
});

async function looked() {
  const { status, words, history: ended } = good(await pipelineStatus(scene.options));
  return { stages: status.stages, words, ended };
}

describe("the record", patience, () => {
  it("keeps who asked, held, released, approved and rolled back, when, why, and by which run", async () => {
    const repository = repositoryOf(scene);
    const commit = repository.git("rev-parse", "HEAD").trim();
    await scene.stack.write(
      ["dev", "staging-a", "staging-b", "prod"].map((name) => ({
        kind: "Deployment",
        name,
        spec: { name, region: "aws-us-east-1", release: { channel: "latest" } },
      })),
    );
    await scene.pipeline([{}, { promotion: "approval" }]);
    await scene.settle();
    await scene.promote();
    const staging = { ...scene.options, stage: "staging" };
    const dev = { ...scene.options, stage: "dev" };
    good(await approve({ ...staging, by: "bob", reason: "tested by hand" }));
    scene.pass(1000);
    await scene.promote({ to: "dev", version: older, reason: "to look at a fault" });
    good(await release(dev));
    const { history: before } = await scene.promote({ to: "dev" });
    good(await rollback({ ...dev, by: "eve", reason: "slow", way: "direct", approve: yes }));
    const { words, stages, ended } = await looked();
    const at = "2026-03-02T09:00:01.000Z";
    const back = `rolled back from ${newest} to ${older}: slow`;
    expect(words).toEqual([
      {
        did: "rolled back",
        stage: "dev",
        by: "eve",
        at,
        version: older,
        commit,
        reason: back,
        promotion: ended[0]?.id,
      },
      {
        did: "withdrew",
        stage: "staging",
        by: "eve",
        at,
        version: newest,
        commit,
        reason: `${newest} did not pass in dev`,
        promotion: ended[0]?.id,
      },
      {
        did: "asked",
        stage: "dev",
        by: "ada",
        at,
        version: newest,
        commit,
        promotion: before[0]?.id,
      },
      { did: "released", stage: "dev", by: "ada", at, commit },
      {
        did: "asked",
        stage: "dev",
        by: "ada",
        at,
        version: older,
        commit,
        reason: "to look at a fault",
        promotion: before[1]?.id,
      },
      {
        did: "approved",
        stage: "staging",
        by: "bob",
        at: "2026-03-02T09:00:00.000Z",
        version: newest,
        reason: "tested by hand",
        commit,
      },
    ]);
    expect(stages[0]?.hold).toEqual({ by: "eve", at, reason: back, version: older });
    // Each promotion names its runs in the history of the stack.
    const runs = good(await history(scene.options)).runs.map(({ id }) => id);
    expect(ended.map((one) => one.runs)).toEqual(ended.map((_, index) => [runs[index]]));
    repository.dispose();
  });
});
