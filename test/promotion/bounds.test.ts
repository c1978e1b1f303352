// What a promotion does not do: count what was not moved as done, touch other stages than the one asked for, or undo one way by the other.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { committed, eachScene, hour, patience, yes } from "./each.ts";
import { pipelineStatus, promote, rollback } from "../../reconciler/promote/promote.ts";
import { approve } from "../../reconciler/promote/words.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Doc } from "../support/stack.ts";
import { repositoryOf } from "./repository.ts";
import { asks, good, newest, older, ordinary, type Scene } from "./scene.ts";

let scene: Scene;
eachScene((opened) => {
  scene = opened;
});

/** The documents of the scene, with rules for one of them. */
function documents(name: string, lifecycle: JsonObject): readonly Doc[] {
  return ordinary.map((one) => ({
    kind: "Deployment",
    name: one.name,
    spec: { name: one.name, region: "aws-us-east-1", release: { channel: one.channel } },
    ...(one.name === name ? { lifecycle } : {}),
  }));
}

describe("a move that did not happen", patience, () => {
  it.each([
    ["is only observed", { manage: ["observe"] }],
    ["has what it runs ignored", { ignore: [{ path: "/spec/release", reason: "others move it" }] }],
  ])("is no move: the object %s", async (_, lifecycle) => {
    await scene.pipeline([{}, {}]);
    await scene.settle();
    await scene.stack.write([...documents("dev", lifecycle)]);
    const { failures, done, status } = await scene.promote();
    expect(failures.map(({ message }) => message)).toEqual([
      "Deployment/dev is not managed: its document leaves alone what it runs",
    ]);
    expect(done).toEqual([]);
    expect(status.cells.find((one) => one.stage === "dev" && one.version === newest)).toMatchObject(
      { running: 0, verification: undefined, rollout: undefined },
    );
    expect(await scene.versions()).toMatchObject({ dev: older, "staging-a": older });
  });

  it("is no move where the server takes it and runs another version", async () => {
    await scene.pipeline([{}, {}]);
    await scene.settle();
    scene.alter(({ method, path }, body) =>
      method === "GET" && path.endsWith("/settings")
        ? (JSON.parse(JSON.stringify(body).replaceAll(newest, older)) as JsonValue)
        : body,
    );
    const { failures, status } = await scene.promote();
    expect(failures.map(({ message }) => message)).toEqual([
      "dev could not be moved whole: Deployment/dev: not taken: it still runs another version",
    ]);
    expect(status.stages.map(({ rollout }) => rollout?.version)).toEqual([newest, undefined]);
    expect(status.cells.find((one) => one.stage === "dev" && one.version === newest)).toMatchObject(
      { running: 0, verification: undefined },
    );
  });
});

describe("a stage that is asked for", patience, () => {
  it("is the only one that is touched", async () => {
    await scene.pipeline();
    await scene.list(newest, "release");
    await scene.settle();
    for (const stage of ["staging", "production"]) {
      good(await approve({ ...scene.options, stage, version: newest }));
    }
    const may = { ...scene.options.may, automatic: [] };
    await scene.promote({ may, to: "dev" });
    expect(await scene.versions()).toEqual({
      dev: newest,
      prod: older,
      "staging-a": older,
      "staging-b": older,
    });
  });

  it("is the only one that is rolled back, and no other is verified meanwhile", async () => {
    await scene.pipeline([{ validFor: "1d" }, {}]);
    await scene.settle();
    await scene.promote();
    scene.pass(25 * hour);
    const { done } = good(
      await rollback({ ...scene.options, stage: "staging", way: "direct", approve: yes }),
    );
    expect(new Set(done.map(({ stage }) => stage))).toEqual(new Set(["staging"]));
  });
});

describe("a promotion that was begun by Git", patience, () => {
  it("is not rolled back directly, which the next apply would undo", async () => {
    const repository = repositoryOf(scene);
    await scene.pipeline([{ onFailure: "rollback" }]);
    await committed(scene, repository);
    await committed(scene, repository);
    await scene.stack.apply();
    scene.site.sickOnce.set("/dev", 500);
    const { failures } = good(await promote({ ...scene.options, way: "direct", approve: yes }));
    expect(failures.at(-1)?.message).toContain("pins its version in its document");
    expect(await scene.versions()).toMatchObject({ dev: newest });
    await committed(scene, repository);
    expect(repository.read()).toContain(`version: ${older}`);
    repository.dispose();
  });

  it("is not taken back by Git where it was begun directly", async () => {
    const repository = repositoryOf(scene);
    await scene.stack.write([...documents("none", {})]);
    await scene.pipeline([{ onFailure: "rollback" }]);
    await scene.settle();
    scene.site.sick.set("/dev", 500);
    await scene.pipeline([{}]);
    await scene.promote();
    await scene.pipeline([{ onFailure: "rollback" }]);
    const { failures } = await committed(scene, repository);
    expect(failures.map(({ code, message }) => [code, message])).toEqual([
      ["refused", expect.stringContaining("pins no version in its document")],
    ]);
    repository.dispose();
  });
});

describe("a stage whose members run different versions", patience, () => {
  it("is rolled back with each to what it passed with last", async () => {
    const middle = "1.7.17";
    await scene.list(middle, "latest");
    await scene.pipeline([{}, { atOnce: 1 }]);
    await scene.settle();
    await scene.promote({ to: "dev", version: middle });
    // The first member takes the middle version; the second does not come to it.
    scene.proxy.arm(2, "conflict");
    await scene.promote({ to: "staging", version: middle });
    scene.proxy.arm();
    expect(await scene.versions()).toMatchObject({ "staging-a": middle, "staging-b": older });
    await scene.promote({ to: "dev" });
    scene.site.sickOnce.set("/staging-a", 500);
    await scene.promote({ to: "staging", version: newest });
    expect(await scene.versions()).toMatchObject({ "staging-a": newest, "staging-b": older });
    const { done } = good(
      await rollback({ ...scene.options, stage: "staging", way: "direct", approve: yes }),
    );
    expect(done[0]).toMatchObject({
      do: "start",
      each: { "Deployment/staging-a": middle, "Deployment/staging-b": older },
    });
    expect(await scene.versions()).toMatchObject({ "staging-a": middle, "staging-b": older });
    const { stages } = await scene.status();
    expect(stages[1]).toMatchObject({ rollout: undefined, candidate: newest });
    expect(stages[1]?.reasons.map(({ code }) => code)).toContain("mixed");
  });
});

describe("another server than the stack's", patience, () => {
  it("is neither promoted nor looked at", async () => {
    await scene.pipeline([{}]);
    // The same service by another address, for which the inventory does not hold.
    const connection = { ...scene.options.connection, url: scene.service.url };
    const message = expect.stringMatching(/^stack platform was applied to /u);
    const refused = { code: "refused", message };
    await expect(scene.promote({ connection })).rejects.toMatchObject(refused);
    await expect(pipelineStatus({ ...scene.options, connection })).rejects.toMatchObject(refused);
  });
});

describe("what says nothing of a version", patience, () => {
  it("is a command that is not there, and a key in an address is not kept", async () => {
    await scene.pipeline([
      { verifies: [{ command: "smoke" }, asks(scene.site, "/x?token=s3cr3t")] },
    ]);
    const missing = { smoke: join(scene.stack.folder, "missing") };
    const { failures, status } = await scene.promote({
      may: { ...scene.options.may, commands: missing },
    });
    expect(failures.map(({ message }) => message)).toEqual([
      "the check smoke could not be carried out: ENOENT",
    ]);
    expect(status.cells.every(({ verification }) => verification === undefined)).toBe(true);
    const { history } = await scene.promote({
      may: { ...scene.options.may, commands: { smoke: "/bin/true" } },
    });
    expect(scene.site.asked).toContain("/x?token=s3cr3t");
    expect(JSON.stringify(history)).toContain(`GET ${scene.site.url}/x"`);
    expect(JSON.stringify(history)).not.toContain("s3cr3t");
  });

  it("is a timeout that nobody would wait for", async () => {
    await scene.pipeline([{ verifies: [{ http: { url: scene.site.url, timeout: "11m" } }] }]);
    const { diagnostics } = await promote({ ...scene.options, way: "direct", approve: yes });
    expect(diagnostics.map(({ code, path }) => [code, path])).toEqual([
      ["pipeline-stage", "/spec/stages/0/verifies/0/http/timeout"],
    ]);
  });
});

describe("a stage that runs what fails", patience, () => {
  it("is a failure of every run, until it passes", async () => {
    await scene.pipeline([{}]);
    scene.site.sick.set("/dev", 500);
    const may = { ...scene.options.may, automatic: [] };
    expect((await scene.promote({ may })).failures).toHaveLength(1);
    expect((await scene.promote({ may })).failures).toHaveLength(1);
    scene.site.sick.clear();
    expect((await scene.promote({ may })).failures).toEqual([]);
    scene.site.sick.set("/dev", 500);
    expect((await scene.promote()).failures).toHaveLength(1);
    // A rollout that failed is not tried again by itself, and is told again.
    expect((await scene.promote()).failures).toHaveLength(1);
  });
});
