// Tests what a promotion does not do: count skipped objects as done, change other stages, or revert one mode by the other.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { promoteByCommit, setUpFixture, hour, slowTest, approveAll } from "./test-hooks.ts";
import { pipelineStatus, promote, rollback } from "../../promotion/promote.ts";
import { approve } from "../../promotion/manual-actions.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Doc } from "../support/test-stack.ts";
import { createRepository } from "./git-repository.ts";
import {
  httpCheck,
  expectOk,
  newestVersion,
  olderVersion,
  defaultDeployments,
  type PromotionFixture,
} from "./fixture.ts";

let fixture: PromotionFixture;
setUpFixture((opened) => {
  fixture = opened;
});

/** Returns the documents of the scene, with rules for one of them. */
function documents(name: string, lifecycle: JsonObject): readonly Doc[] {
  return defaultDeployments.map((one) => ({
    kind: "Deployment",
    name: one.name,
    spec: { name: one.name, region: "aws-us-east-1", release: { channel: one.channel } },
    ...(one.name === name ? { lifecycle } : {}),
  }));
}

describe("an update without effect", slowTest, () => {
  it.each([
    ["is only observed", { manage: ["observe"] }],
    ["has what it runs ignored", { ignore: [{ path: "/spec/release", reason: "others move it" }] }],
  ])("is a failure: the object %s", async (_, lifecycle) => {
    await fixture.writePipeline([{}, {}]);
    await fixture.verifyOnly();
    await fixture.stack.write([...documents("dev", lifecycle)]);
    const { failures, done, status } = await fixture.promote();
    expect(failures.map(({ message }) => message)).toEqual([
      "Deployment/dev ignores its version: the document's lifecycle excludes updates of it",
    ]);
    expect(done).toEqual([]);
    expect(
      status.cells.find((one) => one.stage === "dev" && one.version === newestVersion),
    ).toMatchObject({ running: 0, verification: undefined, rollout: undefined });
    expect(await fixture.versions()).toMatchObject({
      dev: olderVersion,
      "staging-a": olderVersion,
    });
  });

  it("is a failure if the server accepts it and runs another version", async () => {
    await fixture.writePipeline([{}, {}]);
    await fixture.verifyOnly();
    fixture.alterResponses(({ method, path }, body) =>
      method === "GET" && path.endsWith("/settings")
        ? (JSON.parse(JSON.stringify(body).replaceAll(newestVersion, olderVersion)) as JsonValue)
        : body,
    );
    const { failures, status } = await fixture.promote();
    expect(failures.map(({ message }) => message)).toEqual([
      "dev was promoted in part: Deployment/dev: the server accepted the change, but the object still runs another version",
    ]);
    expect(status.stages.map(({ rollout }) => rollout?.version)).toEqual([
      newestVersion,
      undefined,
    ]);
    expect(
      status.cells.find((one) => one.stage === "dev" && one.version === newestVersion),
    ).toMatchObject({ running: 0, verification: undefined });
  });
});

describe("promoting one stage by name", slowTest, () => {
  it("changes no other stage", async () => {
    await fixture.writePipeline();
    await fixture.setListed(newestVersion, "release");
    await fixture.verifyOnly();
    for (const stage of ["staging", "production"]) {
      expectOk(await approve({ ...fixture.options, stage, version: newestVersion }));
    }
    const may = { ...fixture.options.grants, promotion: [] };
    await fixture.promote({ grants: may, to: "dev" });
    expect(await fixture.versions()).toEqual({
      dev: newestVersion,
      prod: olderVersion,
      "staging-a": olderVersion,
      "staging-b": olderVersion,
    });
  });

  it("rolls back no other stage, and verifies none", async () => {
    await fixture.writePipeline([{ validFor: "1d" }, {}]);
    await fixture.verifyOnly();
    await fixture.promote();
    fixture.advanceClock(25 * hour);
    const { done } = expectOk(
      await rollback({ ...fixture.options, stage: "staging", mode: "direct", approve: approveAll }),
    );
    expect(new Set(done.map(({ stage }) => stage))).toEqual(new Set(["staging"]));
  });
});

describe("a promotion in write mode", slowTest, () => {
  it("is not rolled back in direct mode, which the next apply would revert", async () => {
    const repository = createRepository(fixture);
    await fixture.writePipeline([{ onFailure: "rollback" }]);
    await promoteByCommit(fixture, repository);
    await promoteByCommit(fixture, repository);
    await fixture.stack.apply();
    fixture.site.nextStatus.set("/dev", 500);
    const { failures } = expectOk(
      await promote({ ...fixture.options, mode: "direct", approve: approveAll }),
    );
    expect(failures.at(-1)?.message).toContain("pins its version in the manifest");
    expect(await fixture.versions()).toMatchObject({ dev: newestVersion });
    await promoteByCommit(fixture, repository);
    expect(repository.read()).toContain(`version: ${olderVersion}`);
    repository.dispose();
  });

  it("is not rolled back in write mode if it was started in direct mode", async () => {
    const repository = createRepository(fixture);
    await fixture.stack.write([...documents("none", {})]);
    await fixture.writePipeline([{ onFailure: "rollback" }]);
    await fixture.verifyOnly();
    fixture.site.statusOverrides.set("/dev", 500);
    await fixture.writePipeline([{}]);
    await fixture.promote();
    await fixture.writePipeline([{ onFailure: "rollback" }]);
    const { failures } = await promoteByCommit(fixture, repository);
    expect(failures.map(({ code, message }) => [code, message])).toEqual([
      ["refused", expect.stringContaining("pins no version in its document")],
    ]);
    repository.dispose();
  });
});

describe("a stage whose members run different versions", slowTest, () => {
  it("rolls each object back to the version that it passed with last", async () => {
    const middle = "1.7.17";
    await fixture.setListed(middle, "latest");
    await fixture.writePipeline([{}, { batchSize: 1 }]);
    await fixture.verifyOnly();
    await fixture.promote({ to: "dev", version: middle });
    // The first member moves to the middle version; the second one does not reach it.
    fixture.proxy.arm(2, "conflict");
    await fixture.promote({ to: "staging", version: middle });
    fixture.proxy.arm();
    expect(await fixture.versions()).toMatchObject({
      "staging-a": middle,
      "staging-b": olderVersion,
    });
    await fixture.promote({ to: "dev" });
    fixture.site.nextStatus.set("/staging-a", 500);
    await fixture.promote({ to: "staging", version: newestVersion });
    expect(await fixture.versions()).toMatchObject({
      "staging-a": newestVersion,
      "staging-b": olderVersion,
    });
    const { done } = expectOk(
      await rollback({ ...fixture.options, stage: "staging", mode: "direct", approve: approveAll }),
    );
    expect(done[0]).toMatchObject({
      action: "start",
      each: { "Deployment/staging-a": middle, "Deployment/staging-b": olderVersion },
    });
    expect(await fixture.versions()).toMatchObject({
      "staging-a": middle,
      "staging-b": olderVersion,
    });
    const { stages } = await fixture.status();
    expect(stages[1]).toMatchObject({ rollout: undefined, candidate: newestVersion });
    expect(stages[1]?.reasons.map(({ code }) => code)).toContain("mixed-versions");
  });
});

describe("another server than the stack's", slowTest, () => {
  it("is refused for promotions and status", async () => {
    await fixture.writePipeline([{}]);
    // The same service at another address, for which the inventory is not valid.
    const connection = { ...fixture.options.connection, url: fixture.service.url };
    const message = expect.stringMatching(/^stack platform was applied to /u);
    const refused = { code: "refused", message };
    await expect(fixture.promote({ connection })).rejects.toMatchObject(refused);
    await expect(pipelineStatus({ ...fixture.options, connection })).rejects.toMatchObject(refused);
  });
});

describe("an inconclusive verification", slowTest, () => {
  it("is reported for a missing program; the record keeps no key of a URL", async () => {
    await fixture.writePipeline([
      { checks: [{ command: "smoke" }, httpCheck(fixture.site, "/x?token=s3cr3t")] },
    ]);
    const missing = { smoke: join(fixture.stack.folder, "missing") };
    const { failures, status } = await fixture.promote({
      grants: {
        ...fixture.options.grants,
        checks: { ...fixture.options.grants.checks, commands: missing },
      },
    });
    expect(failures.map(({ message }) => message)).toEqual([
      `the check smoke could not run: ${missing.smoke}: no such file or folder`,
    ]);
    expect(status.cells.every(({ verification }) => verification === undefined)).toBe(true);
    const { history } = await fixture.promote({
      grants: {
        ...fixture.options.grants,
        checks: { ...fixture.options.grants.checks, commands: { smoke: "/bin/true" } },
      },
    });
    expect(fixture.site.requestedPaths).toContain("/x?token=s3cr3t");
    expect(JSON.stringify(history)).toContain(`GET ${fixture.site.url}/x"`);
    expect(JSON.stringify(history)).not.toContain("s3cr3t");
  });

  it("is reported for a timeout", async () => {
    await fixture.writePipeline([
      { checks: [{ http: { url: fixture.site.url, timeout: "11m" } }] },
    ]);
    const { diagnostics } = await promote({
      ...fixture.options,
      mode: "direct",
      approve: approveAll,
    });
    expect(diagnostics.map(({ code, path }) => [code, path])).toEqual([
      ["invalid-stage", "/spec/stages/0/checks/0/http/timeout"],
    ]);
  });
});

describe("a stage that runs a failing version", slowTest, () => {
  it("fails every run until it passes", async () => {
    await fixture.writePipeline([{}]);
    fixture.site.statusOverrides.set("/dev", 500);
    const may = { ...fixture.options.grants, promotion: [] };
    expect((await fixture.promote({ grants: may })).failures).toHaveLength(1);
    expect((await fixture.promote({ grants: may })).failures).toHaveLength(1);
    fixture.site.statusOverrides.clear();
    expect((await fixture.promote({ grants: may })).failures).toEqual([]);
    fixture.site.statusOverrides.set("/dev", 500);
    expect((await fixture.promote()).failures).toHaveLength(1);
    // A failed rollout is not retried automatically, and is reported again.
    expect((await fixture.promote()).failures).toHaveLength(1);
  });
});
