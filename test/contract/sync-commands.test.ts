// `svc sync` against the real service: what it prints without and with a wait, and when the sync fails or is cancelled.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runSvc } from "../golden/run-cli.ts";
import { createRemote, type TestRemote } from "../support/git-remotes.ts";
import { manifest } from "../support/transform-project.ts";
import { type ModelService, startModelService } from "./data-model-service.ts";

let service: ModelService;
let remote: TestRemote;
let folder: string;
let file: string;
beforeAll(async () => {
  service = await startModelService();
  remote = createRemote();
  remote.commit({ "target/manifest.json": JSON.stringify(manifest) });
  folder = mkdtempSync(join(tmpdir(), "svc-sync-"));
  file = join(folder, "manifest.json");
  writeFileSync(file, JSON.stringify(manifest));
  const set = await svc(["sync", "integration", "set", "main", remote.path, "--branch", "main"]);
  expect(set).toMatchObject({ code: 0, err: "" });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.close();
});

const svc = (args: readonly string[], columns?: number) =>
  runSvc(args, {
    env: { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey },
    input: "",
    ...(columns !== undefined && { columns }),
  });

const wait = ["--wait", "--json"];

describe("svc sync start", () => {
  it("client area Sync, without waiting: prints syncJobId", async () => {
    const { code, out } = await svc(["sync", "start", "main"]);
    const { syncJobId, branchName } = JSON.parse(out) as Record<string, string>;
    expect({ code, syncJobId, branchName }).toEqual({
      code: 0,
      syncJobId: expect.stringMatching(/^[0-9a-f]{24}$/u),
      branchName: expect.stringMatching(/^sync\/main-/u),
    });
    const ended = await svc(["sync", "status", "main", syncJobId ?? "", "--wait"]);
    expect([ended.code, JSON.parse(ended.out)]).toMatchObject([0, { status: "COMPLETED" }]);
  });

  it("client area Sync, waiting: waits with --wait, and prints the branch, the ref, the phases and the counts", async () => {
    const { code, out } = await svc(["sync", "start", "main", "--ref", "main", ...wait]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      syncJobId: expect.any(String),
      workflowId: expect.any(String),
      branchName: expect.stringMatching(/^sync\/main-/u),
      status: "COMPLETED",
      error: null,
      gitRef: "main",
      refVerified: true,
      phases: [{ phase: "repo-clone" }, { phase: "compile" }, { phase: "write" }],
      stats: { models: 2, sources: 1, macros: 2 },
      result: { cubeCount: 2 },
    });
  });

  it("client area Sync, failed: writes the JSON document and exits with 1", async () => {
    const { code, out } = await svc(["sync", "start", "main", "--ref", "gone", ...wait]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      syncJobId: expect.any(String),
      branchName: expect.stringMatching(/^sync\/gone-/u),
      status: "FAILED",
      error: 'the Git remote has no branch or tag "gone"',
      failedPhase: "repo-clone",
      result: null,
    });
  });

  it("writes the JSON document when the wait is too short", async () => {
    await cancellable();
    const { code, out } = await svc(["sync", "status", "main", "held", ...wait, "--timeout", "1"]);
    expect([code, JSON.parse(out)]).toMatchObject([
      1,
      {
        syncJobId: "held",
        status: "INITIALIZING",
        error: "the sync did not end within 1 seconds",
        result: null,
      },
    ]);
  });

  it("writes the JSON document when the result cannot be read", async () => {
    await cancellable();
    await service.db
      .updateTable("sync_runs")
      .set({ status: "COMPLETED", stage: "COMPLETED", completed_at: "2026-01-01", paths: "?" })
      .where("job_id", "=", "held")
      .execute();
    const { code, out } = await svc(["sync", "status", "main", "held", ...wait]);
    expect([code, JSON.parse(out)]).toMatchObject([
      1,
      { syncJobId: "held", status: "COMPLETED", error: expect.any(String), result: null },
    ]);
  });

  it("refuses an empty ref and a commit SHA", async () => {
    const empty = await svc(["sync", "start", "main", "--ref", ""]);
    expect([empty.code, empty.err]).toEqual([64, expect.stringContaining("must not be empty")]);
    const sha = await svc(["sync", "start", "main", "--ref", "a".repeat(40)]);
    expect([sha.code, sha.err]).toEqual([1, expect.stringContaining("not a commit SHA")]);
  });

  it("takes a manifest, and keeps files with --into files", async () => {
    const args = ["sync", "start", "main", "--manifest", file, "--into", "files", ...wait];
    const { code, out } = await svc(args);
    const { syncJobId, refVerified } = JSON.parse(out) as Record<string, string | null>;
    expect([code, refVerified]).toEqual([0, null]);
    const files = await svc(["sync", "files", "main", syncJobId ?? ""]);
    expect(files.out).toBe("PATH\ncustomers.yml\norders.yml\n");
  });
});

describe("a cancelled sync", () => {
  it("is CANCELLED in the history, and a failure that says so in the status", async () => {
    await cancellable();
    expect(await svc(["sync", "cancel", "main", "held"])).toMatchObject({ code: 0, err: "" });
    const history = await svc(["sync", "history", "main", "--status", "CANCELLED"]);
    expect(history.out).toMatch(/^held +CANCELLED +api /mu);
    const { code, out } = await svc(["sync", "status", "main", "held", ...wait]);
    expect([code, JSON.parse(out)]).toMatchObject([
      1,
      { status: "FAILED", error: "The sync was cancelled." },
    ]);
  });
});

it("client area Sync, history: pages with --first and --after, and compares the status exactly", async () => {
  const first = await svc(["sync", "history", "main", "--first", "1", "--json"]);
  const { items, pageInfo } = JSON.parse(first.out) as {
    items: { syncJobId: string }[];
    pageInfo: { endCursor: string; hasNextPage: boolean };
  };
  expect([items.length, pageInfo.hasNextPage]).toEqual([1, true]);
  const after = ["--first", "1", "--after", pageInfo.endCursor, "--json"];
  const next = await svc(["sync", "history", "main", ...after]);
  expect(JSON.parse(next.out)).not.toMatchObject({ items });
  const lower = await svc(["sync", "history", "main", "--status", "completed"]);
  expect(lower.code).toBe(64);
});

it("client area Sync, logs: prints a line for each phase with its duration", async () => {
  const { out } = await svc(["sync", "start", "main", "--ref", "gone", ...wait]);
  const { syncJobId } = JSON.parse(out) as { syncJobId: string };
  const { out: text } = await svc(["sync", "logs", "main", syncJobId]);
  expect(text).toMatch(
    /^TIME +LEVEL +PHASE +MS +MESSAGE\n\S+ +error +repo-clone +\d+ +the Git remote has no/u,
  );
});

it("client area Sync, history: is a table that fits a terminal of 60 columns", async () => {
  await cancellable();
  await service.db
    .updateTable("sync_runs")
    .set({
      status: "FAILED",
      trigger_name: "webhook",
      git_ref: "release-2",
      error_text: "the model orders has no column customer_id",
      started_at: "2026-01-01T00:00:00.000Z",
      completed_at: "2026-01-01T00:00:01.250Z",
      duration_ms: 1250,
    })
    .where("job_id", "=", "held")
    .execute();
  let text = "";
  for (const line of ["", " --wide", " --columns syncJobId,phases"]) {
    const command = `sync history main --trigger webhook${line}`;
    const { code, out, err } = await svc(command.split(" "), 60);
    expect([command, code, err]).toEqual([command, 0, ""]);
    text += `$ svc ${command}\n${out}\n`;
  }
  await expect(text).toMatchFileSnapshot("../golden/tables/sync-history-60-columns.golden");
});

/** Adds a sync that another server runs. */
async function cancellable(): Promise<void> {
  const at = new Date().toISOString();
  await service.db
    .insertInto("sync_runs")
    .values({
      deployment_id: 1,
      job_id: "held",
      status: "RUNNING",
      stage: "INITIALIZING",
      trigger_name: "api",
      source: "git",
      output: "branch",
      output_path: "model/cubes/transform",
      branch_name: "sync/held",
      attempts: 1,
      leased_until: new Date(Date.now() + 600_000).toISOString(),
      started_at: at,
      updated_at: at,
      phases: "[]",
    })
    .onConflict((on) =>
      on
        .column("job_id")
        .doUpdateSet({ status: "RUNNING", stage: "INITIALIZING", completed_at: null, paths: null }),
    )
    .execute();
}
