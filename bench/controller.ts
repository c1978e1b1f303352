// Measures a controller of many stacks: reconciliations without changes, the processor time and memory of each at two sizes, the
// time from a webhook until its commit is applied, and two replicas against one.
import * as fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReconciliationEvent } from "../controller/events.ts";
import { limits } from "../core/limits/limits.ts";
import { findPostgres, startPostgres } from "../test/support/postgres-server.ts";
import {
  addObject,
  callWebhook,
  objects,
  type RunningController,
  startController,
  withRepositories,
} from "./controller-fleet.ts";
import { median } from "./interleaved-rounds.ts";
import { processCpuMs } from "./process-cpu.ts";
import { formatFactor, formatMs, printTable } from "./report.ts";
import type { Served } from "./server.ts";

const sizes = (process.env["BENCH_STACKS"] ?? "100 1000").split(" ").map(Number);
const measuredMs = 30_000;
/** After the first reconciliations, which apply; and until replicas have shared the sources. */
const settleMs = 5000;
const webhooks = 5;
const untilMs = 1_200_000;

/** What controllers used. */
interface Usage {
  /** Reconciliations a minute. */
  readonly rounds: number;
  readonly cpuMs: number;
  readonly mebibytes: number;
}

/** Measures each size with a server and repositories of its own. */
export async function controllerBench(): Promise<void> {
  const rows: (readonly string[])[] = [];
  let first: Usage | undefined;
  for (const size of sizes) {
    const { usage, webhookMs } = await withRepositories(size, async (home, server) => ({
      usage: await measure(home, server, { size, replicas: 1 }),
      webhookMs: await measureWebhooks(home, server, size),
    }));
    first ??= usage;
    const { rounds, cpuMs, mebibytes } = usage;
    const cpu = [formatMs(cpuMs), formatFactor(cpuMs / first.cpuMs)];
    const memory = [`${mebibytes.toFixed(0)} MiB`, `${((mebibytes * 1024) / size).toFixed(0)} KiB`];
    rows.push([`${size}`, rounds.toFixed(0), ...cpu, ...memory, formatMs(webhookMs)]);
  }
  const titles = ["stacks", "a minute", "CPU of one", "to the first", "memory", "each stack"];
  printTable(
    `Reconciliations of stacks of ${objects} objects without changes, and a webhook; aim 1.3 x at any size`,
    [[...titles, "webhook to applied"], ...rows],
  );
  await compareReplicas(sizes[0] ?? 0);
}

async function compareReplicas(size: number): Promise<void> {
  const source = findPostgres();
  if (source === undefined) return;
  const database = await startPostgres(source);
  try {
    const [one, two] = await withRepositories(size, async (home, server) => {
      const options = { size, database: database.url };
      return [
        await measure(home, server, { ...options, replicas: 1 }),
        await measure(home, server, { ...options, replicas: 2 }),
      ] as const;
    });
    // The cost of one decides how many more two cores reconcile than one.
    const factor = (2 * one.cpuMs) / two.cpuMs;
    const row = (name: string, { rounds, cpuMs }: Usage, more: number) =>
      [name, rounds.toFixed(0), formatMs(cpuMs), formatFactor(more)] as const;
    const titles = ["replicas", "a minute", "CPU of one", "of a core each"];
    printTable(
      `Reconciliations of ${size} stacks by replicas that share a database, on the cores of the service and of PostgreSQL; aim 1.6 x`,
      [titles, row("one", one, 1), row("two", two, factor)],
    );
  } finally {
    await database.stop();
  }
}

/** Measures reconciliations, each stack as often as possible. */
async function measure(
  home: string,
  server: Served,
  { size, replicas, database }: { size: number; replicas: number; database?: string },
): Promise<Usage> {
  const starts = Array.from({ length: replicas }, (_, place) =>
    startController(home, server, { name: `${place}`, interval: "1s", database }),
  );
  const all = await Promise.all(starts);
  const stacks = () =>
    new Set(all.flatMap(({ reconciled }) => reconciled.map((one) => one.source)));
  await until(() => stacks().size >= size);
  await sleep(settleMs);
  const sum = (value: (one: RunningController) => number) =>
    all.reduce((total, one) => total + value(one), 0);
  const cpu = () => sum(({ pid }) => processCpuMs(pid));
  const [before, counts] = [cpu(), all.map(({ reconciled }) => reconciled.length)];
  await sleep(measuredMs);
  // Without the processes of Git, which have ended.
  const used = cpu() - before;
  const rounds = all.flatMap(({ reconciled }, place) => reconciled.slice(counts[place]));
  const mebibytes = sum(({ pid }) => residentMebibytes(pid));
  for (const { stop } of all) await stop();
  const changed = rounds.find(({ result }) => result !== "unchanged");
  if (changed !== undefined) throw new Error(`${changed.source} is ${changed.result}`);
  if (all.some(({ reconciled }, place) => reconciled.length === counts[place]))
    throw new Error("a replica had nothing to do");
  return { rounds: (rounds.length * 60_000) / measuredMs, cpuMs: used / rounds.length, mebibytes };
}

function residentMebibytes(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/mu.exec(status)?.[1]) / 1024;
}

/** Returns the median time until a commit is applied, in a controller that looks for commits once an hour. */
async function measureWebhooks(home: string, server: Served, size: number): Promise<number> {
  const how = { name: "0", interval: "1h" };
  const { reconciled, stop, url } = await startController(home, server, how);
  await until(() => reconciled.length >= size);
  const took: number[] = [];
  for (let count = 1; count <= webhooks; count++) {
    // Stacks reconcile a new commit of their repository, and pause after that.
    await sleep(limits.hookPauseMs + settleMs);
    const stack = `s${count}`;
    const settled = reconciled.length;
    addObject(home, stack);
    const from = performance.now();
    await callWebhook(url, stack);
    const isApplied = ({ source, result }: ReconciliationEvent): boolean =>
      source === stack && result === "applied";
    await until(() => reconciled.slice(settled).some(isApplied));
    took.push(performance.now() - from);
  }
  await stop();
  return median(took);
}

async function until(isDone: () => boolean): Promise<void> {
  const end = performance.now() + untilMs;
  while (!isDone()) {
    if (performance.now() > end) throw new Error(`not within ${untilMs / 60_000} minutes`);
    await sleep(10);
  }
}
