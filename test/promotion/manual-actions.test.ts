// Tests manual actions on a stage: they are recorded with actor, time, reason and commit, and a running promotion respects
// them.
import { existsSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { setUpFixture, slowTest, approveAll } from "./test-hooks.ts";
import { history } from "../../reconciler/verbs/history.ts";
import { pipelineStatus, type PromoteOptions, rollback } from "../../promotion/promote.ts";
import { approve, hold, release, withdraw } from "../../promotion/manual-actions.ts";
import { manualActionLines, stageLines } from "../../promotion/report.ts";
import { Secret } from "../../core/secret.ts";
import { startIssuer } from "../support/oidc-issuer.ts";
import { postForm } from "../support/sign-in.ts";
import { startService } from "../support/test-service.ts";
import { makeStack } from "../support/test-stack.ts";
import { createRepository } from "./git-repository.ts";
import { expectOk, newestVersion, olderVersion, type PromotionFixture } from "./fixture.ts";

let fixture: PromotionFixture;
setUpFixture((opened) => {
  fixture = opened;
});

/** Returns the user of the credential. */
async function caller(): Promise<{ readonly id: number; readonly email: string }> {
  const { body } = await fixture.service.send("GET", "/api/v1/users/me");
  return body as Awaited<ReturnType<typeof caller>>;
}

/** Runs a promotion of two batches, which waits in the check of the first batch until `meanwhile` has ended. */
async function promoteDuring(
  meanwhile: () => Promise<unknown>,
  more: Partial<PromoteOptions> = {},
): Promise<void> {
  const [started, on] = ["asked", "on"].map((name) => join(fixture.stack.folder, ".svc", name));
  const script = join(fixture.stack.folder, ".svc", "check");
  const text = `#!/bin/sh\ntouch ${started}\nwhile [ ! -e ${on} ]; do sleep 0.01; done\n`;
  writeFileSync(script, text, { mode: 0o755 });
  await fixture.writePipeline([{}, { batchSize: 1, checks: [{ command: "wait" }] }]);
  const commands = { wait: "/bin/true" };
  await fixture.promote({
    grants: {
      ...fixture.options.grants,
      promotion: ["dev"],
      checks: { ...fixture.options.grants.checks, commands },
    },
  });
  const may = {
    ...fixture.options.grants,
    checks: { ...fixture.options.grants.checks, commands: { wait: script } },
  };
  const going = fixture.promote({ grants: may, ...more });
  await vi.waitFor(() => expect(existsSync(started ?? "")).toBe(true), { timeout: 30_000 });
  await meanwhile();
  writeFileSync(on ?? "", "");
  await going;
}

describe("a hold during a promotion", slowTest, () => {
  it.each([
    ["promotes automatically", {}],
    ["promotes by name", { to: "staging" }],
  ])(
    "is recorded immediately, and respected before the next batch of what it %s",
    async (_, more) => {
      const staging = { ...fixture.options, stage: "staging" };
      await promoteDuring(async () => {
        expectOk(await hold({ ...staging, reason: "users complain" }));
        // The running promotion still holds the lock.
        await expect(fixture.promote()).rejects.toMatchObject({
          code: "locked",
          message: expect.stringMatching(/holds the lock .* \(promote platform\) since /u),
        });
      }, more);
      expect(await fixture.versions()).toMatchObject({
        "staging-a": newestVersion,
        "staging-b": olderVersion,
      });
      const { stages, manualActions } = await currentStatus();
      expect(stages[1]).toMatchObject({
        rollout: { version: newestVersion },
        hold: { by: (await caller()).email, vouchedBy: "server", reason: "users complain" },
        reasons: [{ code: "held" }],
      });
      expect(manualActions[0]).toMatchObject({
        action: "held",
        by: (await caller()).email,
        vouchedBy: "server",
        reason: "users complain",
      });
      expectOk(await release({ ...staging, reason: "it was the network" }));
      const commands = { wait: "/bin/true" };
      await fixture.promote({
        grants: {
          ...fixture.options.grants,
          checks: { ...fixture.options.grants.checks, commands },
        },
      });
      expect(await fixture.versions()).toMatchObject({
        "staging-a": newestVersion,
        "staging-b": newestVersion,
      });
    },
  );
});

it("a hold without a reason is refused, and holds nothing", slowTest, async () => {
  await fixture.writePipeline([{}, {}]);
  const staging = { ...fixture.options, stage: "staging", reason: "  " };
  await expect(hold(staging)).rejects.toMatchObject({ code: "usage" });
  expect((await currentStatus()).manualActions).toEqual([]);
});

async function currentStatus() {
  const { status, manualActions, history: ended } = expectOk(await pipelineStatus(fixture.options));
  return { stages: status.stages, manualActions, ended };
}

describe("an approval", slowTest, () => {
  it("is refused for a version that no stage lists", async () => {
    const staging = { ...fixture.options, stage: "staging" };
    await fixture.writePipeline([{}, { promotion: "approval" }]);
    await expect(approve({ ...staging, version: `${newestVersion}9` })).rejects.toMatchObject({
      code: "refused",
      message: `no stage of platform may run ${newestVersion}9: the server does not list it`,
      remedy: expect.stringContaining(`Did you mean "${newestVersion}"? The newest versions are `),
    });
    expect((await currentStatus()).manualActions).toEqual([]);
  });

  it("of a version that failed in the stage is recorded, and says that it promotes nothing alone", async () => {
    await fixture.writePipeline([{}, { promotion: "approval" }]);
    await fixture.promote();
    const staging = { ...fixture.options, stage: "staging", version: newestVersion };
    expect(expectOk(await approve(staging)).diagnostics).toEqual([]);
    fixture.site.statusOverrides.set("/staging-a", 500);
    await fixture.promote();
    fixture.site.statusOverrides.clear();
    const failed = await fixture.status();
    expect(failed.stages[1]?.approvals).toEqual([]);
    expect(failed.cells.filter(({ isApproved }) => isApproved)).toEqual([]);
    await expect(fixture.promote({ to: "staging", version: newestVersion })).rejects.toMatchObject({
      message: `${newestVersion} is not approved for staging`,
    });
    const approved = expectOk(await approve(staging));
    expect(approved.unchanged).toBeUndefined();
    expect(approved.diagnostics).toEqual([
      {
        code: "failed-version",
        severity: "warning",
        summary: expect.stringContaining(`${newestVersion} did not pass in staging: GET `),
        remedy: expect.stringContaining(`--to staging --version ${newestVersion} --direct`),
      },
    ]);
    await fixture.promote();
    expect((await fixture.status()).stages[1]?.reasons.map(({ code }) => code)).toEqual(["failed"]);
    await fixture.promote({ to: "staging", version: newestVersion });
    expect((await fixture.status()).stages[1]?.reasons).toEqual([]);
  });

  it("is asked for with a command for the current folder", async () => {
    await fixture.writePipeline([{}, { promotion: "approval" }]);
    await fixture.verifyOnly();
    await fixture.promote();
    const cwd = dirname(fixture.stack.folder);
    await expect(
      fixture.promote({ cwd, to: "staging", version: newestVersion }),
    ).rejects.toMatchObject({
      code: "refused",
      details: { confirmation: "approval" },
      remedy: `Approve it: svc promote approve platform ${basename(fixture.stack.folder)} --stage staging --version ${newestVersion}`,
    });
    const { stages } = await currentStatus();
    expect(stages[1]?.reasons).toEqual([
      {
        code: "needs-approval",
        message: `${newestVersion} is not approved for staging`,
        remedy: `Approve it: svc promote approve platform --stage staging --version ${newestVersion}`,
      },
    ]);
  });
});

describe("the release of a stage that is not held", slowTest, () => {
  it("names only stages that the pipeline still has", async () => {
    await fixture.writePipeline([{}, {}, {}]);
    for (const stage of ["dev", "production"]) {
      expectOk(await hold({ ...fixture.options, stage, reason: "audit" }));
    }
    const staging = { ...fixture.options, stage: "staging" };
    await expect(release(staging)).rejects.toMatchObject({
      remedy: "Pass --stage with a stage that is held: dev, production.",
    });
    await fixture.writePipeline([{}, {}]);
    await expect(release(staging)).rejects.toMatchObject({
      message: "staging is not held",
      remedy: "Pass --stage with a stage that is held: dev.",
    });
  });
});

describe("a withdrawn approval", slowTest, () => {
  it("promotes nothing, and is kept in the record with who withdrew it", async () => {
    await fixture.writePipeline([{}, { promotion: "approval" }]);
    await fixture.verifyOnly();
    await fixture.promote();
    const staging = { ...fixture.options, stage: "staging" };
    await expect(withdraw(staging)).rejects.toMatchObject({
      code: "not_found",
      message: "staging has no approval",
      remedy: "Nothing is approved for the stage, so there is nothing to withdraw.",
    });
    expectOk(await approve(staging));
    const other = withdraw({ ...staging, version: olderVersion });
    await expect(other).rejects.toMatchObject({
      message: `staging has no approval of ${olderVersion}`,
      remedy: `Pass --version with an approved version: ${newestVersion}.`,
    });
    const { version } = expectOk(await withdraw({ ...staging, reason: "too early" }));
    expect(version).toBe(newestVersion);
    await fixture.promote();
    expect(await fixture.versions()).toMatchObject({ "staging-a": olderVersion });
    const { email } = await caller();
    const { stages, manualActions } = await currentStatus();
    expect(stages[1]).toMatchObject({ approvals: [], reasons: [{ code: "needs-approval" }] });
    expect(manualActions.slice(0, 2)).toMatchObject([
      { action: "approval-withdrawn", by: email, version: newestVersion, reason: "too early" },
      { action: "approved", by: email, version: newestVersion },
    ]);
    expectOk(await approve(staging));
    await fixture.promote();
    expect(await fixture.versions()).toMatchObject({ "staging-a": newestVersion });
    // The status keeps the approval of what now runs.
    const { cells, stages: now } = await fixture.status();
    expect(cells.find((one) => one.stage === "staging" && one.isApproved)?.version).toBe(
      newestVersion,
    );
    expect(now[1]).toMatchObject({
      running: newestVersion,
      approvals: [{ version: newestVersion }],
    });
    // What already runs needs no approval to be requested by name.
    expectOk(await withdraw(staging));
    await fixture.promote({ to: "staging", version: newestVersion });
  });
});

describe("the record", slowTest, () => {
  it("keeps the actor, time, reason and run of each request, hold, release, approval and rollback", async () => {
    const repository = createRepository(fixture);
    const commit = repository.git("rev-parse", "HEAD").trim();
    await fixture.stack.write(
      ["dev", "staging-a", "staging-b", "prod"].map((name) => ({
        kind: "Deployment",
        name,
        spec: { name, region: "aws-us-east-1", release: { channel: "latest" } },
      })),
    );
    await fixture.writePipeline([{}, { promotion: "approval" }]);
    await fixture.verifyOnly();
    await fixture.promote();
    const staging = { ...fixture.options, stage: "staging" };
    const dev = { ...fixture.options, stage: "dev" };
    expectOk(await approve({ ...staging, reason: "tested by hand" }));
    fixture.advanceClock(1000);
    await fixture.promote({ to: "dev", version: olderVersion, reason: "to look at a fault" });
    expectOk(await release(dev));
    const { history: before } = await fixture.promote({ to: "dev" });
    expectOk(await rollback({ ...dev, reason: "slow", mode: "direct", approve: approveAll }));
    const { manualActions, stages, ended } = await currentStatus();
    const at = "2026-03-02T09:00:01.000Z";
    const { email } = await caller();
    const who = { by: email, vouchedBy: "server" };
    const back = `rolled back from ${newestVersion} to ${olderVersion}: slow`;
    expect(manualActions).toEqual([
      {
        action: "rolled-back",
        stage: "dev",
        ...who,
        at,
        version: olderVersion,
        commit,
        reason: "slow",
        promotion: ended[0]?.id,
      },
      {
        action: "approval-withdrawn",
        stage: "staging",
        by: "svc",
        vouchedBy: "svc",
        at,
        version: newestVersion,
        reason: `dev was rolled back from ${newestVersion} by ${email}: slow`,
      },
      {
        action: "requested",
        stage: "dev",
        ...who,
        at,
        version: newestVersion,
        commit,
        promotion: before[0]?.id,
      },
      { action: "released", stage: "dev", ...who, at, commit },
      {
        action: "requested",
        stage: "dev",
        ...who,
        at,
        version: olderVersion,
        commit,
        reason: "to look at a fault",
        promotion: before[1]?.id,
      },
      {
        action: "approved",
        stage: "staging",
        ...who,
        at: "2026-03-02T09:00:00.000Z",
        version: newestVersion,
        reason: "tested by hand",
        commit,
      },
    ]);
    expect(stages[0]?.hold).toEqual({ ...who, at, reason: back, version: olderVersion });
    expect(manualActionLines(manualActions)[1]).toBe(
      `  ${at} dev: ${email} rolled back to ${olderVersion}: slow (commit ${commit.slice(0, 12)})`,
    );
    const reasons = stages[0]?.reasons.map(({ message }) => message);
    expect(reasons).toContain(`dev was rolled back from ${newestVersion} by ${email}: slow`);
    const { cells } = await fixture.status();
    expect(cells.find((one) => one.stage === "dev" && one.version === newestVersion)).toMatchObject(
      { verification: "rolled-back" },
    );
    // A request that changes nothing is not recorded.
    await fixture.promote({ to: "dev", version: olderVersion, reason: "again" });
    expect((await currentStatus()).manualActions).toEqual(manualActions);
    // Each promotion names its runs in the history of the stack.
    const runs = expectOk(await history(fixture.options)).runs.map(({ id }) => id);
    expect(ended.map((one) => one.runs)).toEqual(ended.map((_, index) => [runs[index]]));
    const again = await fixture.promote({ to: "dev", version: newestVersion });
    expect(again.status.cells).toContainEqual(
      expect.objectContaining({
        stage: "dev",
        version: newestVersion,
        running: 1,
        verification: "promotable",
      }),
    );
    repository.dispose();
  });
});

it(
  "who acts is the user of the credential, or a name for which nobody vouches",
  slowTest,
  async () => {
    await fixture.writePipeline([{}, {}]);
    const { email } = await caller();
    const staging = { ...fixture.options, stage: "staging" };
    const claims = { code: "usage", message: `the server knows who acts: ${email}` };
    const claimed = { by: "bob", claimedBy: "bob" };
    await expect(hold({ ...staging, ...claimed, reason: "a" })).rejects.toMatchObject(claims);
    await expect(fixture.promote(claimed)).rejects.toMatchObject(claims);
    expectOk(await hold({ ...staging, ...claimed, connection: undefined, reason: "no login" }));
    const { stages, manualActions } = await currentStatus();
    expect(stages[1]?.hold).toMatchObject({ by: "bob", reason: "no login" });
    expect(stages.flatMap((stage) => stageLines(stage, { color: false }))).toContainEqual(
      expect.stringContaining("  held by bob (unauthenticated) since"),
    );
    expect(manualActionLines(manualActions)[1]).toContain("staging: bob (unauthenticated) held");
    expectOk(await release(staging));
    const { history: ended } = await fixture.promote();
    expect(ended[0]).toMatchObject({ stage: "staging", by: email, vouchedBy: "server" });
    // The history of the stack has the name of the program.
    expect(expectOk(await history(fixture.options)).runs[0]?.by).toBe("ada");
  },
);

describe("an approval", slowTest, () => {
  const approvers = async (more: JsonObject): Promise<void> => {
    await fixture.writePipeline([{}, { promotion: "approval", approvers: more }]);
    await fixture.promote();
  };
  const approveStaging = (more: object = {}) =>
    approve({ ...fixture.options, stage: "staging", version: newestVersion, ...more });
  const staging = async () => (await fixture.status()).stages[1];

  it("is that of the user whom the server names, by a name or a group", async () => {
    const { id, email } = await caller();
    await approvers({ users: ["someone@example.com"], groups: ["release"] });
    await expect(approveStaging({ claimedBy: "someone@example.com" })).rejects.toMatchObject({
      code: "usage",
      message: `the server knows who acts: ${email}`,
    });
    await expect(approveStaging({ by: "someone@example.com" })).rejects.toMatchObject({
      code: "forbidden",
      remedy: "Ask one of its approvers: someone@example.com, the group release.",
    });
    expect((await staging())?.approvals).toEqual([]);
    const created = await fixture.service.send("POST", "/api/v1/user-groups", {
      body: { name: "release" },
    });
    const group = (created.body as { readonly id: number }).id;
    await fixture.service.send("POST", `/api/v1/user-groups/${group}/users`, {
      body: { members: [{ userId: id }] },
    });
    expectOk(await approveStaging());
    expect((await staging())?.approvals).toMatchObject([
      { by: email, vouchedBy: "server", groups: ["release"] },
    ]);
    await fixture.promote();
    expect(await fixture.versions()).toMatchObject({ "staging-a": newestVersion });
  });

  it("is not given by a pipeline for the owner of its workload trust", async () => {
    const { email, id } = await caller();
    await approvers({ users: [email] });
    const issuer = await startIssuer();
    onTestFinished(() => issuer.close());
    const { service, options } = fixture;
    const audience = "https://acme.example.com";
    const body = {
      name: "deploy",
      issuer: issuer.url,
      audience,
      claims: [{ name: "ref", value: "main" }],
      ownerUserId: id,
    };
    const created = await service.send("POST", "/api/v1/workload-trusts", { body });
    expect(created).toMatchObject({ status: 200 });
    // The service has a clock of its own.
    const iat = Math.floor(Date.parse((created.body as { createdAt: string }).createdAt) / 1000);
    const job = { sub: "repo:acme/shop", ref: "main", aud: audience, iat, exp: iat + 300 };
    const token = await issuer.sign(job);
    const exchanged = await postForm(`${service.url}/auth/oauth2/token`, {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      client_id: "svc-cli",
      subject_token: token,
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    });
    expect(exchanged).toMatchObject({ status: 200 });
    const { access_token } = exchanged.body as { readonly access_token: string };
    const connection = { ...options.connection, credential: new Secret(access_token) };
    await expect(approveStaging({ connection })).rejects.toMatchObject({
      code: "forbidden",
      message: "deploy (repo:acme/shop) is no approver of staging",
    });
    expectOk(await hold({ ...options, connection, stage: "staging", reason: "a" }));
    expect((await staging())?.hold).toMatchObject({
      by: "deploy (repo:acme/shop)",
      vouchedBy: "server",
    });
  });

  it("no longer counts once its user is no approver", async () => {
    await fixture.writePipeline([{}, { promotion: "approval" }]);
    await fixture.promote();
    expectOk(await approveStaging());
    await approvers({ users: ["someone@example.com"] });
    expect((await staging())?.reasons.map(({ code }) => code)).toEqual(["needs-approval"]);
    expect(await fixture.versions()).toMatchObject({ "staging-a": olderVersion });
  });
});

it("another server vouches for nobody", slowTest, async () => {
  await fixture.writePipeline();
  await fixture.promote();
  const other = await startService();
  onTestFinished(() => other.close());
  const elsewhere = await makeStack({ url: other.url, key: other.adminKey });
  onTestFinished(() => elsewhere.dispose());
  const { connection } = elsewhere.options;
  const held = hold({ ...fixture.options, connection, stage: "dev", reason: "migration" });
  await expect(held).rejects.toMatchObject({
    code: "refused",
    message: expect.stringContaining(`you are connected to ${other.url}`),
  });
});
