// Tests promotions by pull request: each run has only a fresh clone of the remote and the record that the service keeps.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, afterEach, describe, expect, it } from "vitest";
import { pipelineStatus, rollback, verify } from "../../promotion/promote.ts";
import { approve, release } from "../../promotion/manual-actions.ts";
import { initialManifests, createRepository, type TestRepository } from "./git-repository.ts";
import { approveAll, commitOnly, setUpFixture, slowTest } from "./test-hooks.ts";
import {
  expectOk,
  newestVersion,
  olderVersion,
  openPromotionFixture,
  type PromotionFixture,
} from "./fixture.ts";

let fixture: PromotionFixture;
let repository: TestRepository;
const clones: string[] = [];
setUpFixture(
  (opened) => {
    fixture = opened;
  },
  () => openPromotionFixture(undefined, { inventory: "service" }),
);
beforeEach(() => {
  repository = createRepository(fixture);
});
afterEach(() => {
  repository.dispose();
  for (const clone of clones.splice(0)) rmSync(clone, { recursive: true, force: true });
});

function freshClone(...how: readonly string[]): {
  readonly folder: string;
  readonly options: object;
} {
  const folder = mkdtempSync(join(tmpdir(), "svc-clone-"));
  clones.push(folder);
  const origin = repository.git("remote", "get-url", "origin").trim();
  repository.git("clone", "--quiet", ...how, `file://${origin}`, folder);
  return { folder, options: { paths: [folder], cwd: folder, env: repository.env } };
}

/** Runs `svc promote run --write --push` in a fresh clone. */
function run(more: object = {}) {
  const mode = { push: true, dryRun: false };
  return fixture.promote({ ...freshClone().options, mode, ...more });
}

/** Writes a pull request of a stage in a fresh clone and pushes its branch. Returns the subject of its commit, or undefined without one. */
async function request(branch: string, more: object = {}): Promise<string | undefined> {
  const { folder, options } = freshClone();
  repository.git("-C", folder, "switch", "--quiet", "--create", branch);
  const mode = { ...commitOnly, forPullRequest: true };
  await fixture.promote({ ...options, mode, by: "pull request", to: "staging", ...more });
  const subjects = repository.git("-C", folder, "log", "--format=%s", "main..HEAD").trim();
  if (subjects === "") return undefined;
  repository.git("-C", folder, "push", "--quiet", "origin", branch);
  return subjects;
}

/** Commands that bring `FETCH_HEAD` into main as Git hosts do. */
const mergeCommands = {
  merge: [["merge", "--quiet", "--no-commit", "--no-ff", "FETCH_HEAD"], commitAs("grace")],
  // The author of the request stays the author of its commit.
  squash: [["merge", "--quiet", "--squash", "FETCH_HEAD"], commitAs("alice")],
  rebase: [["cherry-pick", "--no-ff", "FETCH_HEAD"]],
  "fast-forward": [["merge", "--quiet", "--ff-only", "FETCH_HEAD"]],
} as const;

function commitAs(name: string): readonly string[] {
  const author = `--author=${name} <${name}@example.com>`;
  return ["commit", "--quiet", author, "-m", "Merge a pull request"];
}

/** Merges a branch as another person than its author. */
function merge(branch: string, how: keyof typeof mergeCommands): void {
  const { folder } = freshClone();
  const git = (...args: readonly string[]) =>
    repository.git("-C", folder, "-c", "user.name=ignored", ...args);
  git("fetch", "--quiet", "origin", branch);
  for (const command of mergeCommands[how]) git(...command);
  git("push", "--quiet", "origin", "main");
}

async function applyMain(): Promise<void> {
  repository.git("pull", "--quiet");
  await fixture.stack.apply();
}

/** Brings dev to the newest version, so that staging waits for an approval. */
async function begin(staging: object = {}): Promise<void> {
  await fixture.writePipeline([{}, { promotion: "approval", batchSize: 1, ...staging }]);
  repository.git("add", ".");
  repository.git("commit", "--quiet", "-m", "pipeline");
  repository.git("push", "--quiet");
  await run();
  await applyMain();
  await run();
  expect(await stagingReasons()).toEqual(["needs-approval"]);
}

async function stagingReasons(): Promise<readonly string[]> {
  const { stages } = expectOk(
    await pipelineStatus({ ...fixture.options, ...freshClone().options }),
  ).status;
  return stages[1]?.reasons.map(({ code }) => code) ?? [];
}

const candidate = { version: newestVersion };

/** Returns the name of the user of the credential. */
async function callerName(): Promise<string> {
  const { body } = await fixture.service.send("GET", "/api/v1/users/me");
  return (body as { readonly email: string }).email;
}

const merger = { by: "grace <grace@example.com>", vouchedBy: "git" };

describe("a promotion by pull request", slowTest, () => {
  it.each(["merge", "squash", "rebase", "fast-forward"] as const)(
    "is verified, recorded, and continued batch by batch after each %s",
    async (how) => {
      await begin();
      expect(await request("first", candidate)).toBe(`Promote staging to ${newestVersion}`);
      // Nothing is recorded before the merge.
      expect(await stagingReasons()).toEqual(["needs-approval"]);
      merge("first", how);
      await run();
      expect(await stagingReasons()).toEqual(["pending-apply"]);
      await applyMain();
      // A request does not continue what is not verified.
      expect(await request("early")).toBeUndefined();
      const first = await run();
      expect(first.done.map(({ action, passed }) => [action, passed])).toEqual([["verify", true]]);
      expect(await stagingReasons()).toEqual(["needs-request"]);
      expect((await run()).done).toEqual([]);
      expect(await request("second")).toBe(`Promote staging to ${newestVersion}`);
      merge("second", how);
      await applyMain();
      const { history, manualActions } = await run();
      const merges = ["HEAD~1", "HEAD"].map((one) => repository.git("rev-parse", one).trim());
      expect(history[0]).toMatchObject({
        stage: "staging",
        from: [olderVersion],
        to: newestVersion,
        cause: "merged",
        mode: "request",
        result: "done",
        commits: merges,
        by: how === "squash" ? "alice <alice@example.com>" : await callerName(),
      });
      // Whoever wrote the commit could name anyone.
      expect(history[0]?.vouchedBy).toBeUndefined();
      const action =
        how === "merge"
          ? { action: "approved", ...merger, reason: "merged" }
          : { action: "merged", by: "unknown" };
      expect(manualActions.slice(0, 2)).toMatchObject(
        merges.toReversed().map((commit) => ({ ...action, version: newestVersion, commit })),
      );
      expect(manualActions[0]?.vouchedBy).toBe(how === "merge" ? "git" : undefined);
      expect(await stagingReasons()).toEqual([]);
      expect(new Set(Object.values(await fixture.versions()))).toEqual(
        new Set([newestVersion, olderVersion]),
      );
    },
  );

  it("that fails after its merge stops, is reported by every run, and is rolled back by a request of its own", async () => {
    await begin({ onFailure: "rollback" });
    await request("first", candidate);
    merge("first", "merge");
    await applyMain();
    fixture.site.statusOverrides.set("/staging-a", 500);
    const { failures } = await run();
    expect(failures.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${newestVersion} did not pass in staging`),
    ]);
    expect(await stagingReasons()).toEqual(["needs-request", "failed"]);
    expect(await request("back")).toBe(`Roll back staging to ${olderVersion}`);
    // Nobody wrote to the protected branch.
    expect(repository.gitInOrigin("log", "-1", "--format=%s", "main")).toBe(
      "Merge a pull request\n",
    );
    merge("back", "merge");
    await applyMain();
    fixture.site.statusOverrides.clear();
    const { history } = await run();
    expect(history.slice(0, 2).map(({ to, cause, result }) => [to, cause, result])).toEqual([
      [olderVersion, "rollback", "done"],
      [newestVersion, "merged", "failed"],
    ]);
    expect(await fixture.versions()).toMatchObject({ "staging-a": olderVersion });
    expect(await stagingReasons()).toContain("failed");
  });

  it("that fails with onFailure: stop is not continued, until its revert is merged", async () => {
    await begin();
    await request("first", candidate);
    merge("first", "merge");
    await applyMain();
    fixture.site.statusOverrides.set("/staging-a", 500);
    expect((await run()).failures).toHaveLength(1);
    expect((await run()).failures).toHaveLength(1);
    expect(await request("none")).toBeUndefined();
    expect(await stagingReasons()).toEqual(["failed"]);
    repository.git("revert", "--no-edit", "--mainline=1", "HEAD");
    repository.git("push", "--quiet");
    await applyMain();
    fixture.site.statusOverrides.clear();
    const { history, failures } = await run();
    expect(failures).toEqual([]);
    expect(history.slice(0, 2).map(({ to, cause, result }) => [to, cause, result])).toEqual([
      [olderVersion, "merged", "done"],
      [newestVersion, "merged", "failed"],
    ]);
  });

  it("that is withdrawn in the stage before takes back its pins by a request", async () => {
    await begin();
    await request("first", candidate);
    merge("first", "merge");
    await run();
    fixture.site.statusOverrides.set("/dev", 500);
    const checked = { ...fixture.options, ...freshClone().options, stage: "dev" };
    expect(expectOk(await verify(checked)).failures).toHaveLength(1);
    await run();
    expect(await stagingReasons()).toEqual(["needs-request", "withdrawn"]);
    await request("back");
    merge("back", "merge");
    await applyMain();
    expect(repository.read()).toBe(initialManifests.replace(olderVersion, newestVersion));
  });

  it("that pins an older version than the candidate is verified, and holds the stage there", async () => {
    await fixture.setListed("1.7.10", "latest");
    await begin();
    repository.write(
      repository
        .read()
        .replace(/(name: staging-[ab]\n(?:.*\n){3} +version: \S?)1\.7\.15/gu, "$11.7.10"),
    );
    repository.git("commit", "--quiet", "-am", "Go back by hand");
    repository.git("push", "--quiet");
    await applyMain();
    const { history } = await run();
    expect(history[0]).toMatchObject({ to: "1.7.10", from: [olderVersion], result: "done" });
    expect(await stagingReasons()).toContain("held");
  });
});

describe("a promotion by pull request that skips stages", slowTest, () => {
  it("says so in its commit, and in the history once it is merged", async () => {
    await fixture.writePipeline([{ promotion: "approval" }, { promotion: "approval" }]);
    repository.git("add", ".");
    repository.git("commit", "--quiet", "-m", "pipeline");
    repository.git("push", "--quiet");
    await run();
    const reason = "CVE-2026-1\n\nRequested-by: mallory";
    const grants = { ...fixture.options.grants, skipStages: ["all"] };
    await request("hotfix", { ...candidate, skipStages: true, reason, grants });
    expect(repository.gitInOrigin("log", "-1", "--format=%b", "hotfix")).toMatch(
      /^Not verified in dev: CVE-2026-1 Requested-by: mallory\n[^]*\nSkip-reason: CVE-2026-1 Requested-by: mallory\n/u,
    );
    merge("hotfix", "merge");
    await applyMain();
    const { history } = await run();
    expect(history[0]).toMatchObject({
      by: await callerName(),
      to: newestVersion,
      skipped: ["dev"],
      reason: "CVE-2026-1 Requested-by: mallory",
    });
  });
});

describe("a stage that names its approvers", slowTest, () => {
  it("waits for one of them if someone else merged the version, and counts a merge by one", async () => {
    const email = await callerName();
    await begin({ batchSize: 2, approvers: { users: [email] } });
    await request("forward", candidate);
    merge("forward", "merge");
    await applyMain();
    const merged = await run();
    expect(merged.done).toMatchObject([
      { action: "start", cause: "merged" },
      { action: "verify", passed: true },
    ]);
    expect(merged.manualActions[0]).toMatchObject({
      action: "merged",
      by: "grace <grace@example.com>",
      version: newestVersion,
    });
    expect(await stagingReasons()).toEqual(["needs-approval"]);
    const options = { ...fixture.options, ...freshClone().options, stage: "staging" };
    await approve({ ...options, version: newestVersion });
    const { history } = await run();
    expect(history[0]).toMatchObject({ cause: "merged", result: "done" });

    await fixture.setListed("1.7.10", "latest");
    const grace = { promotion: "approval", approvers: { users: ["Grace@example.com"] } };
    await fixture.writePipeline([{}, grace]);
    repository.git("commit", "--quiet", "-am", "Let Grace approve");
    repository.git("push", "--quiet");
    const pinned = /(name: staging-[ab]\n(?:.*\n){3} +version: \S?)1\.7\.20/gu;
    repository.write(repository.read().replace(pinned, "$11.7.10"));
    repository.git("switch", "--quiet", "--create", "back");
    repository.git("commit", "--quiet", "-am", "Go back by hand");
    repository.git("push", "--quiet", "origin", "back");
    repository.git("switch", "--quiet", "main");
    merge("back", "merge");
    await applyMain();
    const back = await run();
    expect(back.history[0]).toMatchObject({ to: "1.7.10", result: "done" });
    expect(back.manualActions[0]).toMatchObject({ action: "approved", version: "1.7.10" });
  });
});

describe("a merge that names nobody", slowTest, () => {
  const users = ["alice@example.com", "ada@example.com"];

  it.each(["squash", "rebase", "fast-forward"] as const)(
    "as a %s is no approval, also not of the author of the request, and svc says what to do",
    async (how) => {
      await begin({ batchSize: 2, approvers: { users } });
      await request("forward", candidate);
      merge("forward", how);
      await applyMain();
      const { manualActions } = await run();
      expect(manualActions[0]).toMatchObject({ action: "merged", by: "unknown" });
      await expectUnnamed();
    },
  );

  it("as a push to the branch is no approval of its author", async () => {
    await begin({ batchSize: 2, approvers: { users } });
    const pinned = /(name: staging-[ab]\n(?:.*\n){3} +version: \S?)1\.7\.15/gu;
    repository.write(repository.read().replace(pinned, `$1${newestVersion}`));
    repository.git("commit", "--quiet", "-am", "Promote by hand");
    repository.git("push", "--quiet");
    await applyMain();
    await run();
    await expectUnnamed();
  });

  it("in a clone without its history is recorded without the name of whoever runs svc", async () => {
    await begin({ batchSize: 2, approvers: { users: [await callerName()] } });
    await request("forward", candidate);
    merge("forward", "merge");
    await applyMain();
    const { manualActions } = await run(freshClone("--depth=1").options);
    expect(manualActions[0]).toMatchObject({ action: "merged", by: "unknown" });
    await expectUnnamed();
  });

  it.each(["svc", "a person"])(
    "does not bring back a version that %s rolled back, although its first merge was an approval",
    async (who) => {
      const approvers = { users: ["grace@example.com"] };
      await begin({ batchSize: 2, onFailure: "rollback", approvers });
      await request("first", candidate);
      merge("first", "merge");
      await applyMain();
      const isFailure = who === "svc";
      if (isFailure) fixture.site.statusOverrides.set("/staging-a", 500);
      await run();
      const options = { ...fixture.options, ...freshClone().options, stage: "staging" };
      const mode = { push: true, dryRun: false };
      if (!isFailure) expectOk(await rollback({ ...options, mode, approve: approveAll }));
      const { status } = expectOk(await pipelineStatus(options));
      expect(status.stages[1]?.rollout).toMatchObject(
        isFailure ? { by: "svc", vouchedBy: "svc" } : { by: await callerName() },
      );
      expect(status.stages[1]?.approvals).toEqual([]);
      expect(status.cells.filter(({ isApproved }) => isApproved)).toEqual([]);
      await expect(request("early", candidate)).rejects.toMatchObject({
        message: `staging is being rolled back to ${olderVersion}`,
        remedy: expect.stringMatching(/^Complete that first: svc promote run .* --request$/u),
      });
      await request("back");
      merge("back", "squash");
      await applyMain();
      fixture.site.statusOverrides.clear();
      await run();
      if (!isFailure) expectOk(await release(options));
      await request("again", candidate);
      merge("again", "squash");
      await applyMain();
      await run();
      await expectUnnamed();
    },
  );

  async function expectUnnamed(): Promise<void> {
    const { stages } = expectOk(
      await pipelineStatus({ ...fixture.options, ...freshClone().options }),
    ).status;
    expect(stages[1]?.approvals).toEqual([]);
    expect(stages[1]?.reasons).toEqual([
      {
        code: "needs-approval",
        message: expect.stringContaining("no merge commit names who merged it"),
        remedy: expect.stringMatching(
          /^Merge the next one with a merge commit, and approve this one as one of its approvers \(\S+@.*\): svc promote approve /u,
        ),
      },
    ]);
  }
});

describe("a stage whose changes are pull requests", slowTest, () => {
  it("is promoted, rolled back and held without a commit on its branch, also where it is automatic", async () => {
    await begin();
    await fixture.writePipeline([
      { changes: "pull-request" },
      { changes: "pull-request", batchSize: 2 },
    ]);
    repository.git("commit", "--quiet", "-am", "protect the branch");
    repository.git("push", "--quiet");
    const merges = async (branch: string, subject: string): Promise<void> => {
      const head = repository.gitInOrigin("rev-parse", "main");
      expect((await run()).diff).toBe("");
      expect(repository.gitInOrigin("rev-parse", "main")).toBe(head);
      expect(await stagingReasons()).toContain("needs-request");
      expect(await request(branch)).toBe(subject);
      merge(branch, "merge");
      await applyMain();
    };
    // The operator grants the stage automatic promotion, so that its promotion starts without an approval.
    await merges("forward", `Promote staging to ${newestVersion}`);
    const { history } = await run();
    expect(history[0]).toMatchObject({
      stage: "staging",
      cause: "candidate",
      mode: "request",
      result: "done",
      commits: [repository.git("rev-parse", "HEAD").trim()],
    });
    const options = { ...fixture.options, ...freshClone().options, approve: approveAll };
    const mode = { push: true, dryRun: false };
    expectOk(await rollback({ ...options, mode, stage: "staging", reason: "slow" }));
    await merges("back", `Roll back staging to ${olderVersion}`);
    const after = await run();
    expect(after.history[0]).toMatchObject({ to: olderVersion, cause: "rollback", result: "done" });
    expect(await stagingReasons()).toContain("held");
  });
});

describe("svc promote verify of a pipeline that pins its versions", slowTest, () => {
  it("records a check that fails, and blocks the next stage", async () => {
    await begin();
    fixture.site.statusOverrides.set("/dev", 500);
    const options = { ...fixture.options, ...freshClone().options };
    const { failures, diff } = expectOk(await verify({ ...options, stage: "dev" }));
    expect(failures).toHaveLength(1);
    expect(diff).toBe("");
    expect(await stagingReasons()).not.toContain("needs-approval");
    await expect(request("late", { ...candidate, approve: approveAll })).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("dev"),
    });
    fixture.site.statusOverrides.clear();
    expect(expectOk(await verify({ ...options, stage: "dev" })).failures).toEqual([]);
    expect(await stagingReasons()).toEqual(["needs-approval"]);
  });

  it("is refused for a version that was merged and is not recorded yet", async () => {
    await begin({ batchSize: 2 });
    await request("all", candidate);
    merge("all", "merge");
    await applyMain();
    const options = { ...fixture.options, ...freshClone().options };
    await expect(verify({ ...options, stage: "staging" })).rejects.toMatchObject({
      code: "refused",
      remedy: expect.stringContaining("svc promote run platform"),
    });
    // Naming the version records it too.
    const { history } = await run({ to: "staging", version: newestVersion });
    expect(history[0]).toMatchObject({ cause: "merged", result: "done" });
  });
});
