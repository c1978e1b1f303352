// Pins that are committed and not applied when their version is not promised any more; commits of one stage; clones of every sort.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { committed, eachRepository, hour, patience } from "./each.ts";
import { approve } from "../../reconciler/promote/words.ts";
import { manifests, type TestRepository } from "./repository.ts";
import { good, newest, older, type Scene } from "./scene.ts";

let scene: Scene;
let repository: TestRepository;
eachRepository((opened, made) => {
  scene = opened;
  repository = made;
});

const promoted = (more: object = {}) => committed(scene, repository, more);

function subjects(): readonly string[] {
  return repository.git("log", "--format=%s").trimEnd().split("\n").toReversed().slice(1);
}

async function staging() {
  const { stages } = await scene.status();
  return stages[1];
}

/** Dev runs the newest version, verified; both of staging pin it, and nobody has applied that yet. */
async function written(onFailure: string, more: object = {}): Promise<void> {
  await scene.pipeline([{ validFor: "1d" }, { promotion: "approval", onFailure, ...more }]);
  await promoted();
  await scene.stack.apply();
  await promoted();
  good(await approve({ ...scene.options, stage: "staging" }));
  await promoted();
  expect(await staging()).toMatchObject({ reasons: [{ code: "waits-for-apply" }] });
}

describe("a version that fails upstream after it was committed", patience, () => {
  it.each(["stop", "rollback"])("is written back, with onFailure: %s", async (onFailure) => {
    await written(onFailure);
    scene.pass(25 * hour);
    scene.site.sick.set("/dev", 500);
    const { done, failures } = await promoted();
    expect(failures.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${newest} did not pass in dev`),
    ]);
    // Only what is not applied: dev runs it, and its own rule says to stop.
    expect(repository.read()).toBe(manifests.replace(older, newest));
    const [dev, first, back] = subjects();
    expect([dev, first, back]).toEqual([
      `Promote dev to ${newest}`,
      `Promote staging to ${newest}`,
      `Promote staging to ${older}`,
    ]);
    expect(done.filter((one) => one.stage === "staging").map((one) => one.do)).toEqual(
      onFailure === "stop" ? ["revert"] : ["start", "move", "verify", "finish"],
    );
    await scene.stack.apply();
    expect(await scene.versions()).toMatchObject({ "staging-a": older, "staging-b": older });
    // It comes back with a new approval, and not before.
    scene.site.sick.clear();
    await promoted();
    expect((await staging())?.reasons.map(({ code }) => code)).toContain("needs-approval");
    expect(repository.read()).toBe(manifests.replace(older, newest));
  });

  it("stays where it is applied, with onFailure: stop; what is not is written back", async () => {
    await written("stop");
    const [own, other] = ["staging-a", "staging-b"];
    const all = repository.read();
    // Somebody applies only a part.
    repository.write(
      all
        .split("---\n")
        .with(2, manifests.split("---\n")[2] ?? "")
        .join("---\n"),
    );
    await scene.stack.apply();
    repository.write(all);
    expect(await scene.versions()).toMatchObject({ [own]: newest, [other]: older });
    scene.site.sick.set("/staging-a", 500);
    const { failures } = await promoted();
    expect(failures.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${newest} did not pass in staging`),
    ]);
    const parts = repository.read().split("---\n");
    expect([parts[1], parts[2]].map((one) => one?.includes(newest))).toEqual([true, false]);
  });
});

describe("a version that leaves the list after it was committed", patience, () => {
  it("is written back before anybody applies it, and told", async () => {
    await scene.pipeline([{}, { deployments: { names: ["prod"] } }]);
    await scene.list(newest, "release");
    await promoted();
    await scene.stack.apply();
    await promoted();
    expect(repository.read()).toContain(`version: v${newest} `);
    await scene.list(newest, "release", false);
    const { done } = await promoted();
    expect(done.map((one) => `${one.do} ${one.stage}`)).toEqual(["revert staging"]);
    expect((await staging())?.reasons.map(({ code }) => code)).toContain("off-list");
    // Dev runs it already.
    expect(repository.read()).toBe(manifests.replace(older, newest));
    await scene.stack.apply();
    expect(await scene.versions()).toMatchObject({ dev: newest, prod: older });
  });
});

describe("a verification that is too old after the commit", patience, () => {
  it("takes the pin back, keeps the approval, and goes on once it is fresh again", async () => {
    await written("stop");
    scene.pass(25 * hour);
    // The check of dev cannot be asked, so it says nothing.
    const may = { ...scene.options.may, origins: [] };
    const { done } = await promoted({ may });
    expect(done.map((one) => one.do)).toEqual(["revert"]);
    expect((await staging())?.reasons).toMatchObject([{ code: "stale" }]);
    await promoted();
    expect(subjects().slice(-2)).toEqual([
      `Promote staging to ${older}`,
      `Promote staging to ${newest}`,
    ]);
  });
});

describe("one stage that is asked for", patience, () => {
  it("is one commit, whatever else could go on", async () => {
    await scene.pipeline([{}, {}, {}]);
    await scene.list(newest, "release");
    await promoted({ to: "dev" });
    await scene.stack.apply();
    await promoted({ to: "dev" });
    const head = repository.git("rev-parse", "HEAD").trim();
    const { done } = await promoted({ to: "staging" });
    expect(done.map((one) => `${one.do} ${one.stage}`)).toEqual(["start staging", "move staging"]);
    expect(repository.git("rev-list", `${head}..HEAD`).trim().split("\n")).toHaveLength(1);
    const body = repository.git("log", "-1", "--format=%B");
    expect(body).toContain("- Deployment/staging-a\n- Deployment/staging-b\n");
  });
});

describe("a clone", patience, () => {
  it("that is on no branch is told so, and nothing is begun", async () => {
    await scene.pipeline([{}]);
    await scene.settle();
    repository.git("checkout", "--quiet", "--detach");
    await expect(promoted()).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("no branch is checked out in"),
      remedy: expect.stringContaining("git switch --force-create"),
    });
    expect((await scene.status()).stages[0]?.rollout).toBeUndefined();
  });

  it("with nothing but its last commit takes the promotion, and pushes it", async () => {
    await scene.pipeline([{}]);
    await scene.settle();
    repository.git("add", ".");
    repository.git("commit", "--quiet", "-m", "pipeline");
    repository.git("push", "--quiet");
    const clone = mkdtempSync(join(tmpdir(), "svc-shallow-"));
    const url = `file://${repository.git("remote", "get-url", "origin").trim()}`;
    repository.git("clone", "--quiet", "--depth=1", url, clone);
    cpSync(join(scene.stack.folder, ".svc"), join(clone, ".svc"), { recursive: true });
    const way = { push: true, dry: false };
    await promoted({ paths: [clone], cwd: clone, way });
    expect(repository.git("-C", clone, "rev-list", "--count", "HEAD").trim()).toBe("2");
    expect(repository.origin("log", "-1", "--format=%s", "main")).toBe(
      `Promote dev to ${newest}\n`,
    );
    rmSync(clone, { recursive: true, force: true });
  });
});
