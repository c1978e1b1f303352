// Tests reverts of committed pins that are not applied yet and whose version is no longer promoted, commits of one stage,
// and different clones.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { promoteByCommit, setUpRepository, hour, slowTest } from "../../promotion/test-hooks.ts";
import { approve } from "../../../promotion/manual-actions.ts";
import { initialManifests, type TestRepository } from "../../promotion/git-repository.ts";
import {
  expectOk,
  newestVersion,
  olderVersion,
  type PromotionFixture,
} from "../../promotion/fixture.ts";

let fixture: PromotionFixture;
let repository: TestRepository;
setUpRepository((opened, created) => {
  fixture = opened;
  repository = created;
});

const promoteOnce = (more: object = {}) => promoteByCommit(fixture, repository, more);

function commitSubjects(): readonly string[] {
  return repository.git("log", "--format=%s").trimEnd().split("\n").toReversed().slice(1);
}

async function stagingStatus() {
  const { stages } = await fixture.status();
  return stages[1];
}

/**
 * Creates a state in which dev runs the newest version, which is verified. Both deployments of staging pin it, but no
 * run has applied the pins.
 */
async function commitUnapplied(onFailure: string, more: object = {}): Promise<void> {
  await fixture.writePipeline([{ validFor: "1d" }, { promotion: "approval", onFailure, ...more }]);
  await promoteOnce();
  await fixture.stack.apply();
  await promoteOnce();
  expectOk(await approve({ ...fixture.options, stage: "staging" }));
  await promoteOnce();
  expect(await stagingStatus()).toMatchObject({ reasons: [{ code: "pending-apply" }] });
}

describe("a version that fails upstream after it was committed", slowTest, () => {
  it.each(["stop", "rollback"])(
    "is reverted in the manifests with onFailure: %s",
    async (onFailure) => {
      await commitUnapplied(onFailure);
      fixture.advanceClock(25 * hour);
      fixture.site.statusOverrides.set("/dev", 500);
      const { done, failures } = await promoteOnce();
      expect(failures.map(({ message }) => message)).toEqual([
        expect.stringContaining(`${newestVersion} did not pass in dev`),
      ]);
      // Reverts only pins that are not applied: dev already runs the version, and its own rule stops there.
      expect(repository.read()).toBe(initialManifests.replace(olderVersion, newestVersion));
      const [dev, first, back] = commitSubjects();
      expect([dev, first, back]).toEqual([
        `Promote dev to ${newestVersion}`,
        `Promote staging to ${newestVersion}`,
        `${onFailure === "rollback" ? "Roll back" : "Promote"} staging to ${olderVersion}`,
      ]);
      expect(done.filter((one) => one.stage === "staging").map((one) => one.action)).toEqual(
        onFailure === "stop" ? ["revert"] : ["start", "move", "verify", "finish"],
      );
      await fixture.stack.apply();
      expect(await fixture.versions()).toMatchObject({
        "staging-a": olderVersion,
        "staging-b": olderVersion,
      });
      // The pin returns only with a new approval.
      fixture.site.statusOverrides.clear();
      await promoteOnce();
      expect((await stagingStatus())?.reasons.map(({ code }) => code)).toContain("needs-approval");
      expect(repository.read()).toBe(initialManifests.replace(olderVersion, newestVersion));
    },
  );

  it("stays where it is applied with onFailure: stop, and is reverted elsewhere", async () => {
    await commitUnapplied("stop");
    const [own, other] = ["staging-a", "staging-b"];
    const all = repository.read();
    // A run applies only some of the pins.
    repository.write(
      all
        .split("---\n")
        .with(2, initialManifests.split("---\n")[2] ?? "")
        .join("---\n"),
    );
    await fixture.stack.apply();
    repository.write(all);
    expect(await fixture.versions()).toMatchObject({ [own]: newestVersion, [other]: olderVersion });
    fixture.site.statusOverrides.set("/staging-a", 500);
    const { failures } = await promoteOnce();
    expect(failures.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${newestVersion} did not pass in staging`),
    ]);
    const parts = repository.read().split("---\n");
    expect([parts[1], parts[2]].map((one) => one?.includes(newestVersion))).toEqual([true, false]);
  });
});

describe("a version that is no longer listed after its commit", slowTest, () => {
  it("is reverted before the next apply, and reported", async () => {
    await fixture.writePipeline([{}, { deployments: { names: ["prod"] } }]);
    await fixture.setListed(newestVersion, "release");
    await promoteOnce();
    await fixture.stack.apply();
    await promoteOnce();
    expect(repository.read()).toContain(`version: v${newestVersion} `);
    await fixture.setListed(newestVersion, "release", false);
    const { done } = await promoteOnce();
    expect(done.map((one) => `${one.action} ${one.stage}`)).toEqual(["revert staging"]);
    expect((await stagingStatus())?.reasons.map(({ code }) => code)).toContain(
      "version-not-listed",
    );
    // Dev runs it already.
    expect(repository.read()).toBe(initialManifests.replace(olderVersion, newestVersion));
    await fixture.stack.apply();
    expect(await fixture.versions()).toMatchObject({ dev: newestVersion, prod: olderVersion });
  });
});

describe("a verification that expires after the commit", slowTest, () => {
  it("reverts the pin, keeps the approval, and continues after a new verification", async () => {
    await commitUnapplied("stop");
    fixture.advanceClock(25 * hour);
    // The check of dev cannot be reached, so it has no result.
    const grants = {
      ...fixture.options.grants,
      checks: { ...fixture.options.grants.checks, origins: [] },
    };
    const { done } = await promoteOnce({ grants });
    expect(done.map((one) => one.action)).toEqual(["revert"]);
    expect((await stagingStatus())?.reasons).toMatchObject([{ code: "stale" }]);
    await promoteOnce();
    expect(commitSubjects().slice(-2)).toEqual([
      `Promote staging to ${olderVersion}`,
      `Promote staging to ${newestVersion}`,
    ]);
  });
});

describe("one stage by name", slowTest, () => {
  it("makes one commit, whatever other stages could do", async () => {
    await fixture.writePipeline([{}, {}, {}]);
    await fixture.setListed(newestVersion, "release");
    await promoteOnce({ to: "dev" });
    await fixture.stack.apply();
    await promoteOnce({ to: "dev" });
    const head = repository.git("rev-parse", "HEAD").trim();
    const { done } = await promoteOnce({ to: "staging" });
    expect(done.map((one) => `${one.action} ${one.stage}`)).toEqual([
      "start staging",
      "move staging",
    ]);
    expect(repository.git("rev-list", `${head}..HEAD`).trim().split("\n")).toHaveLength(1);
    const body = repository.git("log", "-1", "--format=%B");
    expect(body).toContain("- Deployment/staging-a\n- Deployment/staging-b\n");
  });
});

describe("a clone", slowTest, () => {
  it("on no branch is refused before any change", async () => {
    await fixture.writePipeline([{}]);
    await fixture.verifyOnly();
    repository.git("checkout", "--quiet", "--detach");
    await expect(promoteOnce()).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("no branch is checked out in"),
      remedy: expect.stringContaining("git switch --force-create"),
    });
    expect((await fixture.status()).stages[0]?.rollout).toBeUndefined();
  });

  it("of depth one commits the promotion and pushes it", async () => {
    await fixture.writePipeline([{}]);
    await fixture.verifyOnly();
    repository.git("add", ".");
    repository.git("commit", "--quiet", "-m", "pipeline");
    repository.git("push", "--quiet");
    const clone = mkdtempSync(join(tmpdir(), "svc-shallow-"));
    const url = `file://${repository.git("remote", "get-url", "origin").trim()}`;
    repository.git("clone", "--quiet", "--depth=1", url, clone);
    cpSync(join(fixture.stack.folder, ".svc"), join(clone, ".svc"), { recursive: true });
    const mode = { push: true, dryRun: false };
    await promoteOnce({ paths: [clone], cwd: clone, mode });
    expect(repository.git("-C", clone, "rev-list", "--count", "HEAD").trim()).toBe("2");
    expect(repository.gitInOrigin("log", "-1", "--format=%s", "main")).toBe(
      `Promote dev to ${newestVersion}\n`,
    );
    rmSync(clone, { recursive: true, force: true });
  });
});
