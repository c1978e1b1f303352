// Webhooks of Git providers that start syncs of a transformation project.
import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRemote, type TestRemote } from "../support/git-remotes.ts";
import { manifest } from "../support/transform-project.ts";
import { build, type ModelService, startModelService } from "./data-model-service.ts";
import { integration, projectOf, syncCalls, waiting } from "./sync-calls.ts";

let service: ModelService;
let remote: TestRemote;
beforeEach(async () => {
  service = await startModelService();
  remote = createRemote();
});
afterEach(() => service.close());

const { set, history, ended } = syncCalls(() => ({ service, remote }));

describe("a webhook", () => {
  const push = (event: object, headers: Readonly<Record<string, string>>) =>
    fetch(`${service.url}${integration}/webhook`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(event),
    });
  const token = { "x-gitlab-token": "s3cret" };

  it("of a push to the branch of the integration starts a sync, and one for repeated deliveries", async () => {
    const after = remote.commit({ "target/manifest.json": JSON.stringify(manifest) });
    await set({ webhookSecret: "s3cret" });
    const event = { ref: "refs/heads/main", after, repository: { default_branch: "main" } };
    const signature = createHmac("sha256", "s3cret").update(JSON.stringify(event)).digest("hex");
    const signed = { "x-hub-signature-256": `sha256=${signature}` };
    expect((await push(event, signed)).status).toBe(202);
    const [run] = await history("?trigger=webhook");
    expect(await ended(run?.["syncJobId"])).toMatchObject({ status: "COMPLETED" });
    expect((await push(event, signed)).status).toBe(202);
    const runs = await history();
    expect(runs).toMatchObject([
      {
        trigger: "webhook",
        gitRef: "main",
        triggerContext: { headSha: after, pushedBranch: "main", targetBranch: run?.["branchName"] },
      },
    ]);
    expect(runs[0]).not.toHaveProperty("userId");
    // Without a branch, the integration follows the default branch.
    await set({ branch: null });
    expect(run?.["branchName"]).toBe("sync/main");
    const next = remote.commit({ "a.txt": "a" });
    expect((await push({ ...event, after: next }, token)).status).toBe(202);
    const [second] = await history();
    expect(await ended(second?.["syncJobId"])).toMatchObject({ status: "COMPLETED" });
    expect(await history()).toMatchObject([{ triggerContext: { headSha: next } }, {}]);
  });

  it("of later pushes commits to the same branch, and none where no file changed", async () => {
    const commits = async () =>
      (await service.db.selectFrom("model_commits").select("message").execute()).filter(
        ({ message }) => message.startsWith("Sync"),
      ).length;
    const shared = async () => {
      const { items } = await service.done("GET", `${build}/branches`);
      return (items as { name: string }[])
        .map(({ name }) => name)
        .filter((name) => name !== "main");
    };
    const pushed = async (files: Readonly<Record<string, string>>) => {
      const after = remote.commit(files);
      await push({ ref: "refs/heads/main", after }, token);
      const [run] = await history();
      expect(run).toMatchObject({ branchName: "sync/main" });
      expect(await ended(run?.["syncJobId"])).toMatchObject({ status: "COMPLETED" });
      return [await shared(), await commits()];
    };
    await set({ webhookSecret: "s3cret" });
    // The deploy branch has no generated files either.
    expect(await pushed({ "target/manifest.json": projectOf({}) })).toEqual([[], 0]);
    const one = projectOf({ "model.a": "a" });
    expect(await pushed({ "target/manifest.json": one })).toEqual([["sync/main"], 1]);
    expect(await pushed({ "readme.txt": "r" })).toEqual([["sync/main"], 1]);
    const two = projectOf({ "model.b": "b" });
    expect(await pushed({ "target/manifest.json": two })).toEqual([["sync/main"], 2]);
    expect(await service.hashes("sync/main")).toEqual([
      "model/README.md",
      "model/cubes/transform/b.yml",
    ]);
    // Pushes do not change production.
    await service.db
      .updateTable("deployments")
      .set({ deploy_branch_name: "sync/main" })
      .where("id", "=", 1)
      .execute();
    const after = remote.commit({ "target/manifest.json": one });
    await push({ ref: "refs/heads/main", after }, token);
    const [run] = await history();
    expect(await ended(run?.["syncJobId"])).toMatchObject({
      status: "FAILED",
      error: expect.stringContaining("choose another deploy branch"),
    });
  });

  it("starts a sync however many run or wait, and one for all pushes while it waits", async () => {
    await set({ webhookSecret: "s3cret" });
    const rows = Array.from({ length: 10 }, (_, index) => ({ ...waiting(), job_id: `w${index}` }));
    // The server of an earlier push died, so that the next pushes wait.
    const pushed = { trigger_name: "webhook", git_ref: "main", attempts: 1 };
    await service.db
      .insertInto("sync_runs")
      .values([...rows, { ...waiting(), ...pushed, job_id: "pushed" }])
      .execute();
    const after = "a".repeat(40);
    expect((await push({ ref: "refs/heads/main", after }, token)).status).toBe(202);
    const [first] = await history("?trigger=webhook");
    expect(first).toMatchObject({ status: "RUNNING", gitRef: "main" });
    expect(first?.["syncJobId"]).not.toBe("pushed");
    expect((await push({ ref: "refs/heads/main", after: "b".repeat(40) }, token)).status).toBe(202);
    expect((await history("?trigger=webhook")).length).toBe(2);
    // The integration follows another branch before the sync starts.
    await set({ branch: "next", webhookSecret: "s3cret", outputPath: "model/next" });
    expect((await push({ ref: "refs/heads/next", after }, token)).status).toBe(202);
    expect(await history("?trigger=webhook")).toMatchObject([
      { syncJobId: first?.["syncJobId"], gitRef: "next", branchName: "sync/next" },
      { syncJobId: "pushed" },
    ]);
    const stored = service.db.selectFrom("sync_runs").select("output_path");
    const last = stored.orderBy("id", "desc").limit(1);
    expect(await last.executeTakeFirstOrThrow()).toEqual({ output_path: "model/next" });
  });

  it("of an annotated tag starts one for repeated deliveries", async () => {
    const commit = remote.commit({ "target/manifest.json": JSON.stringify(manifest) });
    remote.git("tag", "-a", "-m", "Release", "v1", "main");
    const after = remote.git("rev-parse", "v1").trim();
    expect(after).not.toBe(commit);
    await set({ branch: "v1", webhookSecret: "s3cret" });
    const event = { ref: "refs/tags/v1", after };
    const shapes = [
      { ...event, head_commit: { id: commit } },
      { ...event, checkout_sha: commit },
    ];
    for (const shape of shapes) {
      expect((await push(shape, token)).status).toBe(202);
      const [run] = await history();
      expect(await ended(run?.["syncJobId"])).toMatchObject({ status: "COMPLETED" });
    }
    expect(await history()).toMatchObject([{ triggerContext: { headSha: commit } }]);
  });

  it("of any other event starts none, and one that is not signed is refused", async () => {
    remote.commit({ "target/manifest.json": JSON.stringify(manifest) });
    const event = { ref: "refs/heads/main", after: "a".repeat(40) };
    expect((await push(event, token)).status).toBe(401);
    await set();
    expect((await push(event, token)).status).toBe(401);
    await set({ webhookSecret: "s3cret" });
    expect((await push(event, {})).status).toBe(401);
    expect((await push(event, { "x-gitlab-token": "other" })).status).toBe(401);
    const others = [
      { zen: "ping" },
      { ref: "main" },
      { ...event, ref: "refs/heads/other" },
      { ...event, after: "0".repeat(40) },
      { ref: { toString: "x" }, after: 7 },
    ];
    for (const other of others) expect((await push(other, token)).status).toBe(202);
    // Without a branch, the integration follows the default branch, but no tag of that name.
    await set({ branch: null, webhookSecret: "s3cret" });
    const unusual = ["../main", "--upload-pack=x", "main\n", "a b", "x".repeat(256)];
    const pushes = [
      { ...event, ref: "refs/tags/main", project: { default_branch: "main" } },
      ...unusual.map((name) => ({
        ...event,
        ref: `refs/heads/${name}`,
        repository: { default_branch: name },
      })),
    ];
    for (const one of pushes) expect((await push(one, token)).status).toBe(202);
    const nul = { ...event, ref: "refs/heads/main\u0000" };
    expect((await push(nul, token)).status).toBe(400);
    expect(await history()).toEqual([]);
  });
});
