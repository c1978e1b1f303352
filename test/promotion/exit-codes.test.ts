// Tests the exit codes of `svc promote` for every state in which a run can leave a pipeline.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { approve, hold } from "../../promotion/manual-actions.ts";
import { pipelineStatus } from "../../promotion/promote.ts";
import { type CommandResult, runSvc } from "../golden/run-cli.ts";
import { expectOk, newestVersion, olderVersion, type PromotionFixture } from "./fixture.ts";
import { setUpFixture, slowTest } from "./test-hooks.ts";

let fixture: PromotionFixture;
setUpFixture((opened) => {
  fixture = opened;
});

/** Runs a command, and omits the warning that no operator grants the limit of the Stack. */
async function run(...args: readonly string[]): Promise<CommandResult> {
  const done = await runSvc(["promote", ...args, "--grant", `checks.origins=${fixture.site.url}`], {
    cwd: fixture.stack.folder,
    env: {
      SVC_API_URL: fixture.proxy.url,
      SVC_API_KEY: fixture.service.adminKey,
      SVC_ACTOR: "grace",
    },
  });
  const lines = done.err.split("\n").filter((line) => !/^stack\.yaml|^ +(?:at|→) |^$/u.test(line));
  return { ...done, err: lines.join("\n") };
}

const direct = ["platform", "--direct", "--yes"];
const all = [...direct, "--grant", "promotion=all"];
const closed: JsonObject = {
  effect: "allow",
  schedule: "0 9 1 1 *",
  duration: "1h",
  reason: "new year",
};

describe("svc promote exits with", slowTest, () => {
  it("5 while a stage waits for an approval or a grant, and names it; 0 once it has it", async () => {
    await fixture.writePipeline([{ promotion: "approval" }]);
    const waiting = await run(...all);
    const reason = `dev: needs-approval: ${newestVersion} is not approved for dev`;
    expect([waiting.code, waiting.err]).toEqual([5, reason]);
    expect((await run("platform")).code).toBe(0);
    expect((await run("status", "platform")).code).toBe(0);
    expectOk(await approve({ ...fixture.options, stage: "dev" }));
    const twice = await run("approve", "platform", "--stage", "dev");
    expect([twice.code, twice.out]).toEqual([
      0,
      expect.stringContaining(
        `${newestVersion} is already approved for dev, by admin@svc.localhost at 2026-`,
      ),
    ]);
    const done = await run(...direct);
    expect([done.code, done.err]).toEqual([0, ""]);
    const running = await run("approve", "platform", "--stage", "dev", "--version", newestVersion);
    expect([running.code, running.out]).toEqual([0, `dev already runs ${newestVersion}.\n`]);
    const { manualActions } = expectOk(await pipelineStatus(fixture.options));
    expect(manualActions.map(({ action }) => action)).toEqual(["approved"]);
    expect((await run(...direct)).code).toBe(0);
    await fixture.writePipeline([{}, {}]);
    const ungranted = await run(...direct);
    expect([ungranted.code, ungranted.err]).toEqual([
      5,
      expect.stringMatching(/^staging: not-granted: /u),
    ]);
    // The other stage does not count.
    expect((await run(...direct, "--to", "dev")).code).toBe(0);
  });

  it("1 while a version failed in a stage, also after the rollback, and 0 once the stage is held", async () => {
    await fixture.writePipeline([{ onFailure: "rollback" }]);
    await fixture.verifyOnly();
    fixture.site.nextStatus.set("/dev", 500);
    expect((await run(...all)).code).toBe(1);
    expect(await fixture.versions()).toMatchObject({ dev: olderVersion });
    const later = await run(...all);
    expect([later.code, later.err]).toEqual([1, expect.stringMatching(/^dev: failed: /u)]);
    expectOk(await hold({ ...fixture.options, stage: "dev", reason: "we know" }));
    const again = await run("hold", "platform", "--stage", "dev", "--reason", "we know");
    expect([again.code, again.out]).toEqual([
      0,
      expect.stringMatching(
        /^dev is already held by admin@svc\.localhost since 2026-\S+: we know\.\n$/u,
      ),
    ]);
    const other = await run("hold", "platform", "--stage", "dev", "--reason", "audit");
    expect(other.out).toMatch(
      /^dev is held\. This replaces the hold by admin@svc\.localhost since 2026-\S+: we know\.\n$/u,
    );
    const held = await run(...all);
    expect([held.code, held.err]).toEqual([0, ""]);
  });

  it("1 while what runs fails, with one message for each version", async () => {
    await fixture.writePipeline([{}]);
    fixture.site.statusOverrides.set("/dev", 500);
    const failed = await run(...all);
    expect(failed.code).toBe(1);
    const lines = failed.err.split("\n").filter((line) => line.includes("did not pass in dev"));
    expect(lines).toEqual([
      expect.stringMatching(`^error: ${olderVersion} .* \\[refused\\]$`),
      expect.stringMatching(`^error: ${newestVersion} .* \\[refused\\]$`),
    ]);
    // The status has more details about a stage that cannot roll back.
    await fixture.writePipeline([{ onFailure: "rollback" }]);
    const again = await run(...all);
    expect(again.out).toContain("no other verified version to roll back to");
    expect(again.err.match(/did not pass in dev/gu)).toHaveLength(1);
  });

  it("5 and what would change without a confirmation, also if what the stage leaves failed", async () => {
    await fixture.writePipeline([{}]);
    await fixture.verifyOnly();
    fixture.site.statusOverrides.set("/dev", 500);
    expect((await run(...all)).code).toBe(1);
    const back = await run("rollback", "platform", "--stage", "dev", "--direct");
    expect(back.code, back.err).toBe(5);
    expect(back.out).toContain(`${olderVersion} was not confirmed for dev`);
    expect(back.out).toMatch(
      new RegExp(
        `^roll back dev to ${olderVersion}:\n  Deployment/dev: ${newestVersion} → ${olderVersion}\nThe stage is then held: newer versions wait until .svc promote release.\\.\n\nPipeline platform\n`,
        "u",
      ),
    );
    expect(await fixture.versions()).toMatchObject({ dev: newestVersion });
  });

  it("0 after a rollback, and while stages wait for time", async () => {
    await fixture.writePipeline([{ soak: "2h" }, {}]);
    await fixture.verifyOnly();
    const soaking = await run(...all);
    expect([soaking.code, soaking.err]).toEqual([0, ""]);
    const back = await run("rollback", "platform", "--stage", "dev", "--direct", "--yes");
    expect([back.code, back.err]).toEqual([0, ""]);
    expect(back.out).toMatch(
      /\n {2}held: dev is held by .*\n {4}→ Release it: svc promote release platform --stage dev\n/u,
    );
    await fixture.writePipeline([{ windows: [closed] }]);
    expect((await run(...all)).code).toBe(0);
  });

  it("6 if the window of the stage that is named is closed", async () => {
    await fixture.writePipeline([{ windows: [closed] }]);
    expect((await run(...all)).code).toBe(0);
    expect((await run(...direct, "--to", "dev")).code).toBe(6);
  });
});
