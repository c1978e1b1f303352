// Tests promotions that write manifests in a real Git repository: what is committed, what stays unchanged, and what is
// refused.
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { svcProgram } from "../../support/svc-program.ts";
import {
  promoteByCommit,
  setUpRepository,
  slowTest,
  commitOnly,
  approveAll,
} from "../../promotion/test-hooks.ts";
import { blockedStages, exitCodeOfPromotion } from "../../../cli/shared/run/promote-exit-code.ts";
import { rollback } from "../../../promotion/promote.ts";
import { approve } from "../../../promotion/manual-actions.ts";
import { changeSummaries } from "../../support/test-stack.ts";
import { sampled } from "../../support/sampling.ts";
import { initialManifests, type TestRepository } from "../../promotion/git-repository.ts";
import {
  expectOk,
  newestVersion,
  olderVersion,
  startPromoteChild,
  type PromotionFixture,
} from "../../promotion/fixture.ts";

// The first file that needs the programs bundles them, which takes longer than a test may.
beforeAll(() => svcProgram());

let fixture: PromotionFixture;
let repository: TestRepository;
setUpRepository((opened, created) => {
  fixture = opened;
  repository = created;
});

const promoteOnce = (more: object = {}) => promoteByCommit(fixture, repository, more);

/** Returns the manifests after promotions of the named deployments. */
function manifestsPinning(...names: readonly string[]): string {
  return initialManifests
    .split("---\n")
    .map((one) =>
      names.some((name) => one.includes(`name: ${name} }`))
        ? one.replace(olderVersion, newestVersion)
        : one,
    )
    .join("---\n");
}

async function blockReasons(stage: string): Promise<readonly string[]> {
  const { stages } = await fixture.status();
  return stages.find((one) => one.stage === stage)?.reasons.map(({ code }) => code) ?? [];
}

describe("three stages", slowTest, () => {
  it("are committed one by one as each is applied, verified and approved", async () => {
    await fixture.writePipeline([{}, { batchSize: 1 }, {}]);
    repository.git("add", ".");
    repository.git("commit", "--quiet", "-m", "pipeline");
    chmodSync(join(fixture.stack.folder, "documents.yaml"), 0o640);
    await fixture.setListed(newestVersion, "release");
    const { diff } = await promoteOnce();
    expect(diff).toContain("+      version: 1.7.20   # promoted by svc");
    expect(repository.read()).toBe(manifestsPinning("dev"));
    expect(statSync(join(fixture.stack.folder, "documents.yaml")).mode & 0o777).toBe(0o640);
    expect(await fixture.versions()).toMatchObject({ dev: olderVersion });
    expect(await blockReasons("dev")).toEqual(["pending-apply"]);
    expect(repository.git("status", "--porcelain")).toBe("");
    const [subject, ...body] = repository.git("log", "-1", "--format=%B").split("\n");
    expect(subject).toBe(`Promote dev to ${newestVersion}`);
    expect(body).toContain("- Deployment/dev");
    expect(body).toContain("Requested-by: admin@svc.localhost");
    // A change that is not applied yet is not made twice.
    expect((await promoteOnce()).diff).toBe("");

    await fixture.stack.apply();
    await promoteOnce({ mode: { push: true, dryRun: false } });
    expect(repository.read()).toBe(manifestsPinning("dev", "staging-a"));
    expect(repository.gitInOrigin("log", "--format=%s", "main").split("\n").slice(0, 2)).toEqual([
      `Promote staging to ${newestVersion}`,
      `Promote dev to ${newestVersion}`,
    ]);
    await fixture.stack.apply();
    await promoteOnce();
    await fixture.stack.apply();
    await promoteOnce();
    expect(await blockReasons("production")).toEqual(["needs-approval"]);
    expectOk(await approve({ ...fixture.options, stage: "production" }));
    await promoteOnce();
    expect(repository.read()).toContain(`version: v${newestVersion}   # promoted by svc`);
    await fixture.stack.apply();
    await promoteOnce();
    expect(new Set(Object.values(await fixture.versions()))).toEqual(new Set([newestVersion]));
    expect(changeSummaries((await fixture.stack.plan()).changes)).toEqual([]);
  });
});

describe("a version that fails", slowTest, () => {
  it("is reverted by a manual rollback", async () => {
    await fixture.writePipeline([{}]);
    await promoteOnce();
    await fixture.stack.apply();
    await promoteOnce();
    const done = expectOk(
      await rollback({
        ...fixture.options,
        env: repository.env,
        stage: "dev",
        mode: commitOnly,
        approve: approveAll,
      }),
    );
    expect(repository.read()).toBe(initialManifests);
    expect(await blockReasons("dev")).toContain("pending-apply");
    expect(exitCodeOfPromotion(done, blockedStages(done, "dev"))).toBe(0);
  });
});

describe("a branch without a remote branch", slowTest, () => {
  it("is pushed under the same name", async () => {
    await fixture.writePipeline([{}]);
    await fixture.verifyOnly();
    repository.git("switch", "--quiet", "--create", "feature");
    await promoteOnce({ mode: { push: true, dryRun: false } });
    expect(repository.gitInOrigin("log", "-1", "--format=%s", "feature")).toBe(
      `Promote dev to ${newestVersion}\n`,
    );
  });
});

describe("write mode", slowTest, () => {
  it("writes nothing in a dry run", async () => {
    await fixture.writePipeline([{}]);
    await fixture.verifyOnly();
    const head = repository.git("rev-parse", "HEAD");
    const { diff } = await promoteOnce({ mode: { push: false, dryRun: true } });
    expect(diff).toMatch(/^diff --git a\/documents\.yaml b\/documents\.yaml$/mu);
    expect([repository.read(), repository.git("rev-parse", "HEAD")]).toEqual([
      initialManifests,
      head,
    ]);
    expect((await fixture.status()).stages[0]?.rollout).toBeUndefined();
  });

  it("refuses a manifest with uncommitted changes or a pin from a variable", async () => {
    await fixture.writePipeline([{}]);
    repository.write(initialManifests.replace("ask the platform team", "ask the network team"));
    const { failures } = await promoteOnce();
    expect(failures[0]?.message).toBe("documents.yaml has uncommitted changes");
    const other = initialManifests.replace(`version: ${olderVersion} `, "version: ${pinned} ");
    repository.write(other);
    repository.git("commit", "--quiet", "-am", "variable");
    const second = await promoteOnce({ variables: { pinned: olderVersion } });
    expect(second.failures[0]?.message).toContain("it comes from a variable");
    expect(repository.read()).toBe(other);
  });

  it("needs no approval for a pull request, and records none", async () => {
    await fixture.writePipeline([{}, { promotion: "approval" }]);
    await fixture.verifyOnly();
    await promoteOnce();
    await fixture.stack.apply();
    await promoteOnce();
    expect(await blockReasons("staging")).toContain("needs-approval");
    const to = { to: "staging", version: newestVersion };
    await expect(promoteOnce(to)).rejects.toMatchObject({ code: "refused" });
    repository.git("switch", "--quiet", "--create", "asked");
    await promoteOnce({ ...to, mode: { ...commitOnly, forPullRequest: true } });
    expect(repository.read()).toBe(manifestsPinning("dev", "staging-a", "staging-b"));
    repository.git("switch", "--quiet", "main");
    expect(repository.read()).toBe(manifestsPinning("dev"));
    expect(await blockReasons("staging")).toContain("needs-approval");
    repository.git("merge", "--quiet", "asked");
    await fixture.stack.apply();
    await promoteOnce();
    expect(await blockReasons("staging")).toEqual([]);
  });

  it("refuses a branch that has moved", async () => {
    await fixture.writePipeline([{}]);
    await fixture.verifyOnly();
    const other = `${fixture.stack.folder}-other`;
    repository.git("clone", "--quiet", repository.git("remote", "get-url", "origin").trim(), other);
    writeFileSync(join(other, "note.md"), "overtakes\n");
    repository.git("-C", other, "add", ".");
    repository.git("-C", other, "commit", "--quiet", "-m", "overtakes");
    repository.git("-C", other, "push", "--quiet");
    await expect(promoteOnce({ mode: { push: true, dryRun: false } })).rejects.toMatchObject({
      code: "conflict",
    });
    expect(repository.gitInOrigin("log", "-1", "--format=%s", "main")).toBe("overtakes\n");
    repository.git("pull", "--quiet", "--rebase");
    await promoteOnce({ mode: { push: true, dryRun: false } });
    expect(repository.gitInOrigin("log", "-1", "--format=%s", "main")).toBe(
      `Promote dev to ${newestVersion}\n`,
    );
    rmSync(other, { recursive: true, force: true });
  });
});

/** Kills a promotion, or the rollback of a stage, before it runs a Git command. */
async function killAtGitCommand(command: string, rolledBack?: string): Promise<void> {
  const bin = join(fixture.stack.folder, ".svc", "bin");
  mkdirSync(bin);
  const real = repository.env["PATH"];
  const script = `#!/bin/sh\nif [ "$1" = ${command} ]; then kill -9 $PPID; exit 1; fi\nPATH='${real}' exec git "$@"\n`;
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  const env = { ...repository.env, PATH: `${bin}:${real}` };
  const child = await startPromoteChild(fixture, { mode: commitOnly, env, rolledBack });
  await once(child, "close");
  expect(child.signalCode).toBe("SIGKILL");
}

/** Returns the commits, the newest first, and expects that no change is incomplete. */
function commits(): readonly string[] {
  expect(repository.git("status", "--porcelain", "documents.yaml")).toBe("");
  expect(existsSync(join(fixture.stack.folder, ".git", "index.lock"))).toBe(false);
  const all = repository.git("log", "--format=%s").split("\n");
  return all.filter((one) => /^(?:Promote|Roll back) /u.test(one));
}

describe.each(sampled(["update-ref", "reset"]))(
  "a run that is killed at git %s",
  slowTest,
  (command) => {
    it("completes a partial promotion in the next run", async () => {
      await fixture.writePipeline([{}]);
      await fixture.verifyOnly();
      await killAtGitCommand(command);
      await promoteOnce();
      expect(repository.read()).toBe(manifestsPinning("dev"));
      expect(commits()).toEqual([`Promote dev to ${newestVersion}`]);
    });

    it("completes a partial rollback in the next run", async () => {
      await fixture.writePipeline([{}]);
      await fixture.verifyOnly();
      await promoteOnce();
      await fixture.stack.apply();
      await promoteOnce();
      await killAtGitCommand(command, "dev");
      await promoteOnce();
      expect(repository.read()).toBe(initialManifests);
      expect(commits()).toEqual([
        `Roll back dev to ${olderVersion}`,
        `Promote dev to ${newestVersion}`,
      ]);
      await fixture.stack.apply();
      const { history } = await promoteOnce();
      expect(history[0]).toMatchObject({ to: olderVersion, cause: "rollback", result: "done" });
      expect(await fixture.versions()).toMatchObject({ dev: olderVersion });
      expect(await blockReasons("dev")).toContain("held");
    });
  },
);
