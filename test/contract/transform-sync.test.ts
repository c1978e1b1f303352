// Syncs of transformation projects against a real Git remote: phases, branches, files, history, cancellation and failures.
import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRemote, type TestRemote } from "../support/git-remotes.ts";
import { manifest } from "../support/transform-project.ts";
import { type Answer, build, type ModelService, startModelService } from "./data-model-service.ts";

const base = "/api/v1/deployments/1/transform-sync";
const integration = "/api/v1/deployments/1/transform-integration";
const generated = "model/cubes/transform/orders.yml";

let service: ModelService;
let remote: TestRemote;
beforeEach(async () => {
  service = await startModelService();
  remote = createRemote();
});
afterEach(() => service.close());

const set = (more: object = {}) =>
  service.done("PUT", integration, { repoUrl: remote.path, branch: "main", ...more });
const start = (body: object = {}) => service.done("POST", base, body);
const status = (id: unknown) => service.done("GET", `${base}/${String(id)}`);
const history = async (query = "") =>
  (await service.done("GET", `${base}${query}`))["items"] as Answer["body"][];
const log = async (id: unknown) =>
  (await service.done("GET", `${base}/${String(id)}/logs`))["items"] as Answer["body"][];

/** Returns the manifest of a project with models by ID. */
const projectOf = (names: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    nodes: Object.fromEntries(
      Object.entries(names).map(([id, name]) => [
        id,
        { resource_type: "model", name, schema: "s" },
      ]),
    ),
  });

/** Returns the status of a sync when it has ended. */
async function ended(id: unknown): Promise<Answer["body"]> {
  const isEnded = async () =>
    ["COMPLETED", "FAILED"].includes(String((await status(id))["status"]));
  await expect.poll(isEnded, { timeout: 20_000, interval: 20 }).toBe(true);
  return status(id);
}

describe("a sync from a Git remote", () => {
  beforeEach(async () => {
    remote.commit({ "shop/target/manifest.json": JSON.stringify(manifest) });
    await set({ projectRoot: "shop" });
  });

  it("writes the generated files to a new shared branch, and nothing to production", async () => {
    const started = await start();
    const { syncJobId, branchName } = started;
    expect(started["workflowId"]).toBe(syncJobId);
    expect(branchName).toMatch(/^sync\/main-\d{14}-[0-9a-f]{8}$/u);
    expect(await ended(syncJobId)).toMatchObject({
      status: "COMPLETED",
      progress: { stage: "COMPLETED", percentComplete: 100 },
      gitRef: "main",
      stats: { models: 2, cubeCount: 2, toolVersion: "1.9.2" },
    });
    const texts = await service.texts(String(branchName));
    expect(texts[generated]).toContain("sql_table: analytics.orders");
    expect(Object.keys(await service.texts("main"))).toEqual(["model/README.md"]);
    const { items } = await service.done("GET", `${build}/branches`);
    expect(items).toContainEqual(
      expect.objectContaining({ name: branchName, parentBranch: "main" }),
    );
    const result = await service.done("GET", `${base}/${String(syncJobId)}/result`);
    expect(result).toMatchObject({
      generatedFiles: [{ path: "model/cubes/transform/customers.yml" }, { path: generated }],
      manifestStats: { models: 2, sources: 1, macros: 2 },
      cubeCount: 2,
    });
    const files = await service.send("GET", `${base}/${String(syncJobId)}/generated-files`);
    expect(files.status).toBe(404);
  });

  it("replaces what an earlier sync generated, and keeps other files", async () => {
    const branch = await service.enter();
    await service.put("cubes: []\n", "model/cubes/transform/old.yml");
    await service.put("cubes: []\n", "model/cubes/own.yml");
    await service.commit();
    expect(branch).toMatch(/^dev-/u);
    const { syncJobId, branchName } = await start({ branchName: "transform/next" });
    expect(branchName).toBe("transform/next");
    await ended(syncJobId);
    expect(await service.hashes("transform/next")).toEqual([
      "model/README.md",
      "model/cubes/own.yml",
      "model/cubes/transform/customers.yml",
      generated,
    ]);
    const swept = await service.send("POST", base, { branchName: "svc-apply-next" });
    expect(swept.status).toBe(400);
    const taken = await service.send("POST", base, { branchName: "transform/next" });
    expect(taken.status).toBe(409);
  });

  it("logs each phase with its duration; offsets and durations are of one clock", async () => {
    const { syncJobId } = await start();
    const { durationMs, phases } = (await ended(syncJobId)) as {
      durationMs: number;
      phases: { phase: string; startedOffsetMs: number; durationMs: number }[];
    };
    expect(phases.map(({ phase }) => phase)).toEqual(["repo-clone", "compile", "write"]);
    let end = 0;
    for (const phase of phases) {
      expect(phase.startedOffsetMs).toBeGreaterThanOrEqual(end);
      end = phase.startedOffsetMs + phase.durationMs;
    }
    expect(end).toBeLessThanOrEqual(durationMs);
    expect(await log(syncJobId)).toEqual(
      phases.map((one) => ({
        timestamp: expect.any(String),
        level: "info",
        stream: "system",
        message: "The phase succeeded.",
        phase: one.phase,
        durationMs: one.durationMs,
      })),
    );
  });

  it("takes a branch or a tag, and refuses a commit SHA and an empty ref", async () => {
    const sha = remote.commit({ "a.txt": "a" }, "Next", "feature/a");
    remote.git("tag", "-a", "-m", "One", "v1.0", sha);
    for (const ref of ["feature/a", "v1.0"]) {
      const { syncJobId, branchName } = await start({ ref });
      expect(branchName).toContain(`sync/${ref.replace("/", "-")}-`);
      expect(await ended(syncJobId)).toMatchObject({ status: "COMPLETED", gitRef: ref });
      const [run] = await history();
      expect(run).toMatchObject({ triggerContext: { headSha: sha } });
    }
    for (const ref of [sha, sha.toUpperCase(), "", "--all", "a..b", "a b"]) {
      const refused = await service.send("POST", base, { ref });
      expect({ ref, status: refused.status }).toEqual({ ref, status: 400 });
    }
    expect(await history()).toHaveLength(2);
    const odd = await service.send("PUT", integration, { repoUrl: remote.path, branch: "../main" });
    expect(odd.status).toBe(400);
  });

  it("fails in the phase that fails, with the reason in the status, the history and the log", async () => {
    const message = 'the Git remote has no branch or tag "gone"';
    const { syncJobId, branchName } = await start({ ref: "gone" });
    expect(await ended(syncJobId)).toMatchObject({
      status: "FAILED",
      error: message,
      failedPhase: "repo-clone",
      phases: [{ phase: "repo-clone", outcome: "failed" }],
    });
    expect(await history("?status=FAILED")).toMatchObject([
      { syncJobId, errorMessage: message, failedPhase: "repo-clone" },
    ]);
    expect(await log(syncJobId)).toMatchObject([{ level: "error", message, phase: "repo-clone" }]);
    const { items } = await service.done("GET", `${build}/branches`);
    expect(items).not.toContainEqual(expect.objectContaining({ name: branchName }));
    expect((await service.send("GET", `${base}/${String(syncJobId)}/result`)).status).toBe(404);
  });

  it.each([
    [
      "a file that is no manifest",
      { "shop/target/manifest.json": "[]" },
      "has no nodes",
      "compile",
    ],
    [
      "a model whose name is no name of a file",
      { "shop/target/manifest.json": projectOf({ "model.a": "x".repeat(300) }) },
      "longer than 255 bytes",
      "write",
    ],
    [
      "models of one name, one of them with a null character in its ID",
      { "shop/target/manifest.json": projectOf({ "model.a\0": "x", "model.b": "x" }) },
      "would both become x",
      "compile",
    ],
    ["no manifest", { "shop/target/manifest.json": null }, "has no file", "repo-clone"],
  ])("fails for %s", async (_, files, error, failedPhase) => {
    remote.commit({ ...files, "a.txt": "a" });
    const { syncJobId } = await start();
    expect(await ended(syncJobId)).toMatchObject({
      status: "FAILED",
      error: expect.stringContaining(error),
      failedPhase,
    });
  });
});

describe("a sync of a manifest in the request", () => {
  const body = { source: "manifest", manifest };

  it("needs no repository, and keeps files for an hour without a branch", async () => {
    const { syncJobId, branchName } = await start({ ...body, output: "files" });
    expect(await ended(syncJobId)).toMatchObject({ status: "COMPLETED" });
    const { items } = await service.done("GET", `${base}/${String(syncJobId)}/generated-files`);
    expect(items).toMatchObject([
      { path: "customers.yml", content: expect.stringContaining("dim_customers") },
      { path: "orders.yml" },
    ]);
    const first = await service.done("GET", `${base}/${String(syncJobId)}/generated-files?first=1`);
    expect(first).toMatchObject({
      items: [{ path: "customers.yml" }],
      pageInfo: { hasNextPage: true },
    });
    const branches = await service.done("GET", `${build}/branches`);
    expect(branches["items"]).not.toContainEqual(expect.objectContaining({ name: branchName }));
    expect((await history())[0]).toMatchObject({ source: "manifest", status: "COMPLETED" });
    await service.db
      .updateTable("sync_runs")
      .set({ completed_at: "2020-01-01T00:00:00.000Z" })
      .execute();
    const late = await service.send("GET", `${base}/${String(syncJobId)}/generated-files`);
    expect(late.status).toBe(404);
  });

  it.each<[string, object]>([
    ["manifest is required", { source: "manifest" }],
    ["send source: manifest", { manifest }],
    ["ref is for the source git only", { ...body, ref: "main" }],
    ["has no integration", {}],
  ])("is refused: %s", async (message, input) => {
    const refused = await service.send("POST", base, input);
    expect([refused.status, refused.body["message"]]).toEqual([
      400,
      expect.stringContaining(message),
    ]);
  });
});

describe("the history", () => {
  it("limits page size of sync history: filters by exact status and trigger, and has at most 100 syncs a page", async () => {
    const { syncJobId } = await start({ source: "manifest", manifest, output: "files" });
    await ended(syncJobId);
    const row = await service.db.selectFrom("sync_runs").selectAll().executeTakeFirstOrThrow();
    const copies = Array.from({ length: 120 }, (_, index) => {
      const { id: _id, ...copy } = row;
      return { ...copy, job_id: `copy-${index}`, trigger_name: index < 3 ? "webhook" : "api" };
    });
    await service.db.insertInto("sync_runs").values(copies).execute();
    const page = await service.done("GET", `${base}?first=500`);
    expect(page["items"]).toHaveLength(100);
    expect(page["pageInfo"]).toMatchObject({ hasNextPage: true });
    const { endCursor } = page["pageInfo"] as { endCursor: string };
    expect(await history(`?first=500&after=${endCursor}`)).toHaveLength(21);
    expect(await history("?trigger=webhook")).toHaveLength(3);
    expect(await history("?status=CANCELLED")).toEqual([]);
    for (const query of ["?status=completed", "?trigger=API", "?status=DONE"]) {
      expect((await service.send("GET", `${base}${query}`)).status).toBe(400);
    }
  });
});

describe("a cancelled sync", () => {
  it("states rule 1: is CANCELLED in the history, failed in the status, and writes nothing", async () => {
    await set();
    // Without a claim, no server runs it.
    await service.db.insertInto("sync_runs").values(waiting()).execute();
    const cancelled = await service.done("DELETE", `${base}/waiting`);
    expect(cancelled["message"]).toBe("The sync was cancelled.");
    expect(await status("waiting")).toMatchObject({
      status: "FAILED",
      error: "The sync was cancelled.",
    });
    expect(await history()).toMatchObject([{ syncJobId: "waiting", status: "CANCELLED" }]);
    expect(await log("waiting")).toMatchObject([
      { level: "error", message: "The sync was cancelled." },
    ]);
    expect((await service.send("DELETE", `${base}/waiting`)).status).toBe(200);
  });

  it("cannot have ended", async () => {
    const { syncJobId } = await start({ source: "manifest", manifest, output: "files" });
    await ended(syncJobId);
    expect(await service.send("DELETE", `${base}/${String(syncJobId)}`)).toMatchObject({
      status: 409,
      body: { message: "the sync has ended: COMPLETED" },
    });
    expect((await service.send("DELETE", `${base}/unknown`)).status).toBe(404);
  });
});

/** A sync that another server runs. */
function waiting() {
  const at = new Date().toISOString();
  return {
    deployment_id: 1,
    job_id: "waiting",
    status: "RUNNING",
    stage: "INITIALIZING",
    trigger_name: "api",
    source: "git",
    output: "branch",
    output_path: "model/cubes/transform",
    branch_name: "sync/waiting",
    attempts: 1,
    leased_until: new Date(Date.now() + 60_000).toISOString(),
    started_at: at,
    updated_at: at,
    phases: "[]",
  };
}

it("a deployment has a bounded number of syncs at once", async () => {
  const rows = Array.from({ length: 10 }, (_, index) => ({ ...waiting(), job_id: `w${index}` }));
  await service.db.insertInto("sync_runs").values(rows).execute();
  expect((await service.send("POST", base, { source: "manifest", manifest })).status).toBe(429);
});

describe("permissions", () => {
  it.each([
    ["AIBIViewer", 403, 403],
    ["AIBIUser", 200, 403],
    ["Developer", 200, 200],
  ])("the role %s reads with %i and starts with %i", async (role, reads, starts) => {
    const { syncJobId } = await start({ source: "manifest", manifest, output: "files" });
    await ended(syncJobId);
    const calls = service.as(await service.userKey(role));
    const path = `${base}/${String(syncJobId)}`;
    for (const read of [base, path, `${path}/logs`, `${path}/result`, `${path}/generated-files`]) {
      expect([read, (await calls.send("GET", read)).status]).toEqual([read, reads]);
    }
    const body = { source: "manifest", manifest, output: "files" };
    expect((await calls.send("POST", base, body)).status).toBe(starts);
    // A developer may cancel, but this sync has ended.
    expect((await calls.send("DELETE", path)).status).toBe(starts === 200 ? 409 : 403);
  });
});

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
    // Pushes change no production.
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

describe("the integration", () => {
  it("is set, read without secrets, and deleted", async () => {
    const url = "https://git.example.com/shop.git";
    await set({ repoUrl: url, token: "t0ken", manifestPath: "out/manifest.json" });
    const shown = await service.done("GET", integration);
    expect(shown).toEqual({
      deploymentId: 1,
      repoUrl: url,
      branch: "main",
      projectRoot: "",
      manifestPath: "out/manifest.json",
      outputPath: "model/cubes/transform",
      hasCredential: true,
      hasWebhookSecret: false,
    });
    // The token goes to no other host.
    expect(await set({ repoUrl: "https://other.example.com/shop.git" })).toMatchObject({
      hasCredential: false,
    });
    await service.done("DELETE", integration);
    expect((await service.send("GET", integration)).status).toBe(404);
  });

  it.each([
    [{ outputPath: "seeds" }, "outputPath must be a folder below model or schema"],
    [{ projectRoot: "../other" }, ""],
    [{ repoUrl: "ext::sh -c id" }, "the URL of the remote"],
    [{ repoUrl: "ssh://git@h.example/x" }, "knownHosts is required"],
  ])("refuses %j", async (more, message) => {
    const refused = await service.send("PUT", integration, { repoUrl: remote.path, ...more });
    expect([refused.status, refused.body["message"]]).toEqual([
      400,
      expect.stringContaining(message),
    ]);
  });
});
