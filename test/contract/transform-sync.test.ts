// Syncs of transformation projects against a real Git remote: phases, branches, files, history, cancellation and failures.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRemote, lfsPointer, type TestRemote } from "../support/git-remotes.ts";
import { manifest } from "../support/transform-project.ts";
import { build, type ModelService, startModelService } from "./data-model-service.ts";
import { base, generated, integration, projectOf, syncCalls, waiting } from "./sync-calls.ts";

let service: ModelService;
let remote: TestRemote;
beforeEach(async () => {
  service = await startModelService();
  remote = createRemote();
});
afterEach(() => service.close());

const { set, start, status, history, log, ended } = syncCalls(() => ({ service, remote }));

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
    [
      "a pointer",
      { "shop/target/manifest.json": lfsPointer },
      "shop/target/manifest.json is a Git LFS pointer",
      "repo-clone",
    ],
    ["a submodule", { shop: { submodule: "1".repeat(40) } }, "shop is a submodule", "repo-clone"],
    [
      "no manifest, whatever is beside it",
      {
        "shop/target/manifest.json": null,
        "shop/README.md": { linkTo: "../README.md" },
        "shop/packages": { submodule: "1".repeat(40) },
      },
      "has no file",
      "repo-clone",
    ],
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

  it("cannot be one that has ended: the answer is 409", async () => {
    const { syncJobId } = await start({ source: "manifest", manifest, output: "files" });
    await ended(syncJobId);
    expect(await service.send("DELETE", `${base}/${String(syncJobId)}`)).toMatchObject({
      status: 409,
      body: { message: "the sync has ended: COMPLETED" },
    });
    expect((await service.send("DELETE", `${base}/unknown`)).status).toBe(404);
  });
});

it("a deployment has a bounded number of concurrent syncs", async () => {
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
