// Tests two servers with the syncs of one account: each sync runs once, continues after a crash or a stop, and ends once.
import { afterEach, beforeEach, expect, it } from "vitest";
import { createRemote } from "../support/git-remotes.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { manifest } from "../support/transform-project.ts";
import { loadCatalogue } from "../../service/accounts/version-catalogue.ts";
import { createSyncRunner } from "../../service/areas/transform-sync/runner.ts";
import { changeRun, claimRun, findDueRun } from "../../service/areas/transform-sync/runs.ts";
import { createRemotes } from "../../service/git/remote.ts";
import { createCompiler, type ModelCompiler } from "../../service/model/compiler.ts";
import { inTransaction } from "../../service/store/transaction.ts";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { generateModel } from "../../service/model/generate-model.ts";

let service: TestService;
let time: number;
const now = () => new Date(time);
beforeEach(async () => {
  service = await startService();
  time = Date.now();
});
afterEach(() => service.close());

/** Returns a compiler that counts, and waits for `until` in each generation. */
function countingCompiler(until: Promise<unknown> = Promise.resolve()) {
  const counter = { generations: 0 };
  const compiler: ModelCompiler = {
    ...createCompiler(async () => []),
    generate: async (text) => {
      counter.generations++;
      await until;
      return generateModel(text);
    },
  };
  return { compiler, counter };
}

const runnerOf = (compiler: ModelCompiler) =>
  createSyncRunner({
    db: service.db,
    compiler,
    now,
    catalogue: loadCatalogue(),
    remotes: createRemotes({ folders: [createRemote().path], privateHosts: [] }),
    sealer: undefined as never,
    wakePush: () => undefined,
  });

async function addSync(jobId: string, trigger = "api"): Promise<void> {
  const at = now().toISOString();
  await service.db
    .insertInto("sync_runs")
    .values({
      deployment_id: 1,
      job_id: jobId,
      status: "RUNNING",
      stage: "INITIALIZING",
      trigger_name: trigger,
      source: "manifest",
      manifest: JSON.stringify(manifest),
      output: "branch",
      output_path: "model/cubes/transform",
      branch_name: `sync/${jobId}`,
      attempts: 0,
      started_at: at,
      updated_at: at,
      phases: "[]",
    })
    .execute();
}

const statuses = async () =>
  (await service.db.selectFrom("sync_runs").select("status").orderBy("id").execute()).map(
    ({ status }) => status,
  );
const branches = async () =>
  (
    await service.db.selectFrom("branches").select("name").where("name", "like", "sync/%").execute()
  ).map(({ name }) => name);

async function claim() {
  const due = await findDueRun(service.db, now());
  if (!due) throw new Error("there is no sync to claim");
  return inTransaction(service.db, (tx) => claimRun(tx, due, now()));
}

it("two servers run each sync once", async () => {
  for (let number = 0; number < 5; number++) await addSync(`s${number}`);
  const { compiler, counter } = countingCompiler();
  await Promise.all([1, 2].map(() => runnerOf(compiler).runQueued()));
  expect(await statuses()).toEqual(Array.from({ length: 5 }, () => "COMPLETED"));
  expect([counter.generations, (await branches()).length]).toEqual([5, 5]);
});

it("the pushes of a deployment are synced one after another", async () => {
  await addSync("older", "webhook");
  await addSync("newer", "webhook");
  expect(await claim()).toMatchObject({ job_id: "older" });
  expect(await findDueRun(service.db, now())).toBeUndefined();
  await addSync("other");
  expect(await claim()).toMatchObject({ job_id: "other" });
  time += 600_000;
  expect(await claim()).toMatchObject({ job_id: "older" });
  await service.db
    .updateTable("sync_runs")
    .set({ status: "COMPLETED" })
    .where("job_id", "=", "older")
    .execute();
  expect(await claim()).toMatchObject({ job_id: "newer" });
});

it("the sync of a dead server is continued after its lease, and fails after three attempts", async () => {
  await addSync("dead");
  const dead = await claim();
  const { compiler, counter } = countingCompiler();
  await runnerOf(compiler).runQueued();
  expect([await statuses(), counter.generations]).toEqual([["RUNNING"], 0]);
  time += 600_000;
  await runnerOf(compiler).runQueued();
  expect([await statuses(), counter.generations]).toEqual([["COMPLETED"], 1]);
  // The server was slow instead of dead; its result changes nothing.
  if (!dead) throw new Error("nothing was claimed");
  const late = inTransaction(service.db, (tx) =>
    changeRun(tx, dead, { change: { status: "FAILED", phases: [] }, now: now() }),
  );
  await expect(late).rejects.toMatchObject({ code: "aborted" });

  await addSync("over");
  for (let attempt = 0; attempt < 3; attempt++) {
    await claim();
    time += 600_000;
  }
  await runnerOf(compiler).runQueued();
  expect(await statuses()).toEqual(["COMPLETED", "FAILED"]);
  expect(await branches()).toEqual(["sync/dead"]);
});

it("a sync that the host was too busy for starts again, and fails after three attempts", async () => {
  const busy = () => Promise.reject(new Failure("unavailable", "the server is too busy"));
  const { compiler, counter } = countingCompiler();
  const twice: ModelCompiler = {
    ...compiler,
    generate: (text, signal) =>
      ++counter.generations <= 2 ? busy() : compiler.generate(text, signal),
  };
  await addSync("delayed");
  await runnerOf(twice).runQueued();
  expect([await statuses(), counter.generations]).toEqual([["COMPLETED"], 4]);
  await addSync("over");
  counter.generations = 0;
  const always: ModelCompiler = {
    ...compiler,
    generate: () => {
      counter.generations++;
      return busy();
    },
  };
  await runnerOf(always).runQueued();
  expect([await statuses(), counter.generations]).toEqual([["COMPLETED", "FAILED"], 3]);
});

it("a server keeps its sync as long as it reaches the next phase in time", async () => {
  await addSync("slow");
  const slow = await claim();
  if (!slow) throw new Error("nothing was claimed");
  for (const stage of ["UPLOADING_PROJECT", "PROCESSING_MANIFEST"]) {
    time += limits.syncLeaseMs - 1000;
    expect(await findDueRun(service.db, now())).toBeUndefined();
    await inTransaction(service.db, (tx) =>
      changeRun(tx, slow, { change: { stage, phases: [] }, now: now() }),
    );
  }
  time += limits.syncLeaseMs + 1000;
  expect(await findDueRun(service.db, now())).toMatchObject({ id: slow.id });
  // A clock that was set back does not extend the lease.
  time -= 86_400_000;
  expect(await findDueRun(service.db, now())).toMatchObject({ id: slow.id });
});

it("a stopping server gives its sync back, and the next one completes it", async () => {
  await addSync("stopped");
  const stop = Promise.withResolvers<never>();
  stop.promise.catch(() => undefined);
  const { compiler, counter } = countingCompiler(stop.promise);
  const runner = runnerOf(compiler);
  runner.wake();
  await expect.poll(() => counter.generations).toBe(1);
  stop.reject(new Failure("aborted", "the compilation was stopped"));
  await runner.stop();
  expect(await statuses()).toEqual(["RUNNING"]);
  await runnerOf(countingCompiler().compiler).runQueued();
  expect(await statuses()).toEqual(["COMPLETED"]);
});

it("a sync that another server cancels while it runs writes no branch", async () => {
  await addSync("cancelled");
  const wait = Promise.withResolvers<undefined>();
  const { compiler, counter } = countingCompiler(wait.promise);
  const running = runnerOf(compiler).runQueued();
  await expect.poll(() => counter.generations).toBe(1);
  const path = "/api/v1/deployments/1/transform-sync/cancelled";
  expect((await service.send("DELETE", path)).status).toBe(200);
  wait.resolve(undefined);
  await running;
  expect([await statuses(), await branches()]).toEqual([["CANCELLED"], []]);
  const { body } = await service.send("GET", path);
  expect(body).toMatchObject({ status: "FAILED", phases: [{ phase: "compile" }] });
});
