// A worker that computes too long is stopped by its CPU time; a worker that gets no CPU time is not reported as too
// large.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterEach, expect, test, vi } from "vitest";
import { limits } from "../../../core/limits/limits.ts";
import { createSeedCheck } from "../../../service/engine/check-seeds.ts";
import { createCompiler, type ModelSource } from "../../../service/model/compiler.ts";
import {
  limitCpuTime,
  watchWorker,
  type WorkLimits,
} from "../../../service/model/limit-cpu-time.ts";

const workers: Worker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.terminate();
});

const burns = "for (;;);";
/** Elapsed time passes without CPU time, as for a thread that the host does not run. */
const sleeps = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);";

/** Runs code in a worker that has started, with limits. */
async function runLimited(code: string, bounds: WorkLimits): Promise<unknown> {
  const start = "const { parentPort } = require('node:worker_threads');";
  const worker = new Worker(`${start} parentPort.once("message", () => { ${code} });`, {
    eval: true,
  });
  workers.push(worker);
  await once(worker, "online");
  const usedMs = watchWorker(worker);
  worker.postMessage("start");
  const ended = once(worker, "exit");
  return limitCpuTime(ended, { bounds, usedMs, tooLarge: (seconds) => `beyond ${seconds} s` });
}

const minute = 60_000;
const tooLarge = { code: "limit_reached", message: "beyond 0.3 s" };
const tooBusy = { code: "unavailable", retryAfter: 5 };

test("work that uses its CPU time is too large, and work that gets none is not", async () => {
  const burnt = runLimited(burns, { cpuMs: 300, elapsedMs: minute });
  await expect(burnt).rejects.toMatchObject(tooLarge);
  const starved = runLimited(sleeps, { cpuMs: minute, elapsedMs: 500 });
  await expect(starved).rejects.toMatchObject(tooBusy);
  expect(await runLimited("parentPort.close();", { cpuMs: minute, elapsedMs: minute })).toEqual([
    0,
  ]);
});

test("CPU time before the work does not count", async () => {
  const worker = new Worker("setInterval(() => undefined, 10);", { eval: true });
  workers.push(worker);
  await once(worker, "online");
  const { user, system } = await worker.cpuUsage();
  // A worker has used CPU time for its start, and none since.
  const used = await watchWorker(worker)();
  expect(used).toBeLessThan((user + system) / 1000);
});

test("a Node.js that does not report CPU time counts the time in which a worker is busy", async () => {
  const descriptor = Object.getOwnPropertyDescriptor(Worker.prototype, "cpuUsage");
  Reflect.deleteProperty(Worker.prototype, "cpuUsage");
  try {
    const burnt = runLimited(burns, { cpuMs: 300, elapsedMs: minute });
    await expect(burnt).rejects.toMatchObject(tooLarge);
  } finally {
    Object.defineProperty(Worker.prototype, "cpuUsage", descriptor ?? {});
  }
});

const dimensions = Array.from({ length: 9000 }, (_, at) => ({
  name: `d${at}`,
  sql: `{CUBE}.d${at}`,
  type: "string",
}));
const large: ModelSource = {
  files: async () => [
    {
      path: "model/large.yml",
      content: JSON.stringify({ cubes: [{ name: "large", sql_table: "large", dimensions }] }),
    },
  ],
  seeds: async () => [],
};

test("the compiler refuses a large model, and not one that a busy host delays", async () => {
  const compilerOf = (work: WorkLimits, waitMs = minute) =>
    createCompiler(async () => [], { work, waitMs });
  const refused = compilerOf({ cpuMs: 1, elapsedMs: minute }).compile("large", large);
  await expect(refused).rejects.toMatchObject({
    code: "limit_reached",
    message: expect.stringContaining("of CPU time to compile; split it"),
  });
  const starved = compilerOf({ cpuMs: minute, elapsedMs: 1 }).compile("large", large);
  await expect(starved).rejects.toMatchObject(tooBusy);

  // The request ends and the compilation continues, for the next request.
  const patient = compilerOf({ cpuMs: minute, elapsedMs: minute }, 1);
  const files = vi.fn(() => large.files());
  const ask = () => patient.compile("large", { ...large, files });
  await expect(ask()).rejects.toMatchObject(tooBusy);
  await vi.waitFor(async () => expect(await ask()).toMatchObject({ valid: true }), minute);
  expect(files).toHaveBeenCalledOnce();
});

test("JavaScript of one account that counts no steps ends by its CPU time, while other accounts compile", async () => {
  const compiler = createCompiler(async () => [], {
    work: { cpuMs: 3000, elapsedMs: minute },
    waitMs: minute,
  });
  const sourceOf = (content: string): ModelSource => ({
    files: async () => [{ path: "model/a.js", content }],
    seeds: async () => [],
  });
  const valid = sourceOf("cube('a', { sql_table: 'a' })");
  const account = compiler.forAccount();
  const refused = account.compile("hostile", sourceOf("new Array(4294967295).indexOf(1)"));
  const queued = Array.from({ length: limits.accountCompilesWaiting - 1 }, (_, key) =>
    account.compile(`valid ${key}`, valid),
  );
  await expect(account.compile("last", valid)).rejects.toMatchObject({ code: "unavailable" });
  const first = await Promise.race([
    refused.catch(() => "refused"),
    ...queued.map((one) => one.then(() => "queued")),
    compiler
      .forAccount()
      .compile("other", valid)
      .then(() => "other"),
  ]);
  expect(first).toBe("other");
  await expect(refused).rejects.toMatchObject({ code: "limit_reached" });
  await Promise.all(queued);
});

test("a template without a bound of memory ends, and the next model compiles", async () => {
  const compiler = createCompiler(async () => []);
  const sourceOf = (content: string): ModelSource => ({
    files: async () => [{ path: "model/a.yml", content }],
    seeds: async () => [],
  });
  const doubled = "{% set ns.x = ns.x ~ ns.x %}";
  const hostile = `{% set ns = namespace(x='x') %}{% for i in range(60) %}${doubled}{% endfor %}`;
  await expect(compiler.compile("hostile", sourceOf(hostile))).rejects.toMatchObject({
    code: "limit_reached",
    message: expect.stringContaining("Jinja templates of the data model need more than 128 MB"),
  });
  const next = sourceOf("cubes:\n  - name: {{ 'a' }}\n    sql_table: a\n");
  expect(await compiler.compile("next", next)).toMatchObject({ valid: true });
});

test("the check of seed files has the same limits", async () => {
  const rows = Array.from({ length: 300_000 }, (_, at) => `${at},${at / 7}`);
  const seeds = [{ path: "seeds/rows.csv", content: Buffer.from(`a,b\n${rows.join("\n")}\n`) }];
  const refused = createSeedCheck({ cpuMs: 1, elapsedMs: minute })(seeds);
  await expect(refused).rejects.toMatchObject({
    code: "limit_reached",
    message: expect.stringContaining("of CPU time to read; make them smaller"),
  });
  const starved = createSeedCheck({ cpuMs: minute, elapsedMs: 1 })(seeds);
  await expect(starved).rejects.toMatchObject(tooBusy);
  expect(await createSeedCheck({ cpuMs: minute, elapsedMs: minute })(seeds)).toEqual([]);
});
