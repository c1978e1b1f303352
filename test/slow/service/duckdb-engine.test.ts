// The process of an engine: it starts on demand, ends when idle, and fails only its own queries when it ends.
import { existsSync, readdirSync, readlinkSync, readFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { limits } from "../../../core/limits/limits.ts";
import {
  createDuckDbEngine,
  type DuckDbEngine,
  type EngineLimits,
} from "../../../service/engine/duckdb-engine.ts";

const engines: DuckDbEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

function createEngine(more: Partial<EngineLimits> = {}): DuckDbEngine {
  const engine = createDuckDbEngine({ ...limits, ...more });
  engines.push(engine);
  return engine;
}

const never = new AbortController().signal;
const seedsOf = (amount: number) => ({
  key: String(amount),
  read: async () => [
    { table: "orders", format: "csv" as const, content: Buffer.from(`amount\n${amount}\n`) },
  ],
});

const endless = "SELECT count(*) FROM range(1000000000) a, range(1000000) b";

async function ask(on: DuckDbEngine, text: string, amount = 7, signal = never): Promise<unknown> {
  return (await on.run(seedsOf(amount), { text, values: [] }, signal)).rows;
}

test("a process runs the statements of a deployment on the tables of each build", async () => {
  const engine = createEngine();
  expect(engine.pid()).toBeUndefined();
  const total = "SELECT CAST(sum(amount) AS INTEGER) FROM orders";
  expect(await Promise.all([ask(engine, total), ask(engine, total, 8)])).toEqual([[[7]], [[8]]]);
  const pid = engine.pid();
  // More databases than stay open.
  for (const amount of [1, 2, 3, 4, 7])
    expect(await ask(engine, total, amount)).toEqual([[amount]]);
  expect(engine.pid()).toBe(pid);
  const many = "SELECT CAST(range AS INTEGER) FROM range(10000)";
  expect(await ask(engine, many)).toEqual(Array.from({ length: 10_000 }, (_, at) => [at]));
  const missing = ask(engine, "SELECT * FROM missing");
  await expect(missing).rejects.toMatchObject({ code: "invalid", cause: expect.any(Error) });
  await expect(ask(engine, "FROM duckdb_settings()")).rejects.toMatchObject({ code: "invalid" });
});

test.runIf(existsSync("/proc/self/environ"))(
  "a process has no environment, a folder of its own, and ends with its engine",
  async () => {
    const engine = createEngine();
    await ask(engine, "SELECT 1");
    const at = `/proc/${engine.pid()}`;
    expect(readFileSync(`${at}/environ`, "utf8")).not.toMatch(/PATH=|HOME=|SVC_/);
    const folder = readlinkSync(`${at}/cwd`);
    expect(folder).toMatch(/svc-engine-/);
    expect(readdirSync(folder)).toEqual([]);
    await engine.close();
    expect(existsSync(at)).toBe(false);
    await vi.waitFor(() => expect(existsSync(folder)).toBe(false));
    await expect(ask(engine, "SELECT 1")).rejects.toMatchObject({ code: "aborted" });
  },
);

test("the end of a process fails its statements with the reason, and the next one starts another", async () => {
  const [engine, other] = [createEngine(), createEngine()];
  await ask(engine, "SELECT 1");
  const pid = engine.pid();
  const slow = ask(engine, endless);
  const neighbour = ask(other, "SELECT 2");
  process.kill(Number(pid), "SIGKILL");
  await expect(slow).rejects.toMatchObject({
    code: "limit_reached",
    message: expect.stringContaining("the process of the query engine ended (SIGKILL)"),
  });
  expect(await neighbour).toEqual([[2]]);
  expect(await ask(engine, "SELECT 1")).toEqual([[1]]);
  expect(engine.pid()).not.toBe(pid);
});

test("a statement ends at its time limit and when it is canceled, and others continue", async () => {
  const engine = createEngine({ queryMs: 300 });
  await expect(ask(engine, endless)).rejects.toMatchObject({ code: "timeout" });
  const controller = new AbortController();
  const patient = createEngine();
  await ask(patient, "SELECT 1");
  const canceled = ask(patient, endless, 7, controller.signal);
  const quick = ask(patient, "SELECT 1");
  setTimeout(() => controller.abort(), 50);
  await expect(canceled).rejects.toMatchObject({ code: "aborted" });
  expect(await quick).toEqual([[1]]);
});

test("a process that does not end a statement in time is ended", async () => {
  const engine = createEngine({ queryMs: 3000, engineGraceMs: -1500 });
  await expect(ask(engine, endless)).rejects.toMatchObject({ code: "timeout" });
  expect(await ask(engine, "SELECT 1")).toEqual([[1]]);
});

test("an idle process ends, and the next statement starts another", async () => {
  const engine = createEngine({ engineIdleMs: 1 });
  expect(await ask(engine, "SELECT 1")).toEqual([[1]]);
  await vi.waitFor(() => expect(engine.pid()).toBeUndefined());
  expect(await ask(engine, "SELECT 1")).toEqual([[1]]);
});

test("a retired engine ends its process after the statements that run", async () => {
  const engine = createEngine();
  await ask(engine, "SELECT 1");
  const slow = ask(engine, "SELECT CAST(sum(range) AS VARCHAR) FROM range(20000000)");
  const pid = engine.pid();
  await engine.retire();
  expect(engine.pid()).toBe(pid);
  expect(await slow).toEqual([["199999990000000"]]);
  await vi.waitFor(() => expect(engine.pid()).toBeUndefined());
  expect(await ask(engine, "SELECT 2")).toEqual([[2]]);
  await vi.waitFor(() => expect(engine.pid()).toBeUndefined());
});

test("tables that use too much CPU time end the process, and a busy host is not their fault", async () => {
  const content = Buffer.from(`amount\n${"7.25\n".repeat(8_000_000)}`);
  const many = { key: "many", read: async () => [{ table: "t", format: "csv" as const, content }] };
  const open = (engine: DuckDbEngine) => engine.run(many, { text: "SELECT 1", values: [] }, never);
  const large = createEngine({ engineOpenCpuMs: 1 });
  await expect(open(large)).rejects.toMatchObject({
    code: "limit_reached",
    message: expect.stringContaining("of CPU time to read; make them smaller"),
  });
  expect(large.pid()).toBeUndefined();
  const busy = createEngine({ engineOpenElapsedMs: 1 });
  await expect(open(busy)).rejects.toMatchObject({ code: "unavailable", retryAfter: 5 });
  expect(busy.pid()).toBeUndefined();
});
