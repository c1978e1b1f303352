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
  type Fleet,
  objects,
  openFleet,
  type RunningController,
  startController,
} from "./controller-fleet.ts";
import { interleavedRounds, median, medianRatio } from "./interleaved-rounds.ts";
import { processCpuMs } from "./process-cpu.ts";
import { formatFactor, formatMs, printTable } from "./report.ts";

const sizes = (process.env["BENCH_STACKS"] ?? "100 1000").split(" ").map(Number);
/** Measurements of each size, in turns, and the reconciliations of one: other load on the machine changes only how long it takes. */
const turns = 4;
const reconciliations = 250;
/** Reconciliations until a controller is measured: each stack has at least one. */
const warmUp = Math.max(...sizes);
/** Until replicas have shared the sources, and after reconciliations of a commit. */
const settleMs = 5000;
const webhooks = 3;
const untilMs = 1_200_000;

/** What a controller used. */
interface Usage {
  /** Reconciliations a minute. */
  readonly rate: number;
  /** Processor time of one. */
  readonly cpuMs: number;
}

/** Measures fleets of each size with a server of their own. */
export async function controllerBench(): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const fleets: Fleet[] = [];
  for (const size of sizes) fleets.push(resources.use(await openFleet(size)));
  const webhookMs: number[] = [];
  for (const fleet of fleets) webhookMs.push(await measureWebhooks(fleet));
  const measured = await measureInTurns(fleets);
  const [first] = measured;
  if (first === undefined) return;
  const cpuOf = ({ usages }: Measured) => usages.map(({ cpuMs }) => cpuMs);
  const rows = measured.map(({ size, usages, mebibytes }, index) => [
    `${size}`,
    median(usages.map(({ rate }) => rate)).toFixed(0),
    formatMs(median(usages.map(({ cpuMs }) => cpuMs))),
    formatFactor(medianRatio(cpuOf(measured[index] ?? first), cpuOf(first))),
    `${mebibytes.toFixed(0)} MiB`,
    `${((mebibytes * 1024) / size).toFixed(0)} KiB`,
    formatMs(webhookMs[index] ?? NaN),
  ]);
  const titles = ["stacks", "a minute", "CPU of one", "to the first", "memory", "each stack"];
  printTable(
    `Reconciliations of stacks of ${objects} objects without changes, and a webhook; aim 1.3 x at any size`,
    [[...titles, "webhook to applied"], ...rows],
  );
  const [smallest] = fleets;
  if (smallest !== undefined) await compareReplicas(smallest);
}

/** The controller of a fleet under measurement. */
interface Measured {
  readonly size: number;
  readonly usages: readonly Usage[];
  readonly mebibytes: number;
}

/** Measures the controllers of fleets in turns, in which the others are stopped. */
async function measureInTurns(fleets: readonly Fleet[]): Promise<readonly Measured[]> {
  const all: { size: number; controller: RunningController; usages: Usage[] }[] = [];
  for (const fleet of fleets) {
    const controller = await startController(fleet, { name: "0", interval: "1s" });
    await until(() => controller.sources.size >= fleet.size);
    await until(() => controller.reconciled.length >= warmUp);
    controller.pause();
    all.push({ size: fleet.size, controller, usages: [] });
  }
  const contestants = all.map(({ size, controller, usages }) => {
    const measureTurn = async (): Promise<void> => {
      controller.resume();
      usages.push(await measure([controller]));
      controller.pause();
    };
    return [`${size}`, measureTurn] as const;
  });
  await interleavedRounds(turns, Object.fromEntries(contestants));
  return Promise.all(
    all.map(async ({ size, controller, usages }) => {
      const mebibytes = residentMebibytes(controller.pid);
      await controller.stop();
      // The first turn warms up.
      return { size, usages: usages.slice(1), mebibytes };
    }),
  );
}

async function compareReplicas(fleet: Fleet): Promise<void> {
  const source = findPostgres();
  if (source === undefined) return;
  const database = await startPostgres(source);
  try {
    const one = await measureReplicas(fleet, database.url, 1);
    const two = await measureReplicas(fleet, database.url, 2);
    // The cost of one decides how many more two cores reconcile than one.
    const factor = (2 * one.cpuMs) / two.cpuMs;
    const row = (name: string, { rate, cpuMs }: Usage, more: number) =>
      [name, rate.toFixed(0), formatMs(cpuMs), formatFactor(more)] as const;
    const titles = ["replicas", "a minute", "CPU of one", "of a core each"];
    printTable(
      `Reconciliations of ${fleet.size} stacks by replicas that share a database, on the cores of the service and of PostgreSQL; aim 1.6 x`,
      [titles, row("one", one, 1), row("two", two, factor)],
    );
  } finally {
    await database.stop();
  }
}

async function measureReplicas(fleet: Fleet, database: string, replicas: number): Promise<Usage> {
  const starts = Array.from({ length: replicas }, (_, index) =>
    startController(fleet, { name: `${index}`, interval: "1s", database }),
  );
  const all = await Promise.all(starts);
  await until(() => new Set(all.flatMap(({ sources }) => [...sources])).size >= fleet.size);
  await until(() => countOf(all) >= warmUp);
  await sleep(settleMs);
  const counts = all.map(({ reconciled }) => reconciled.length);
  const usage = await measure(all, turns * reconciliations);
  for (const { stop } of all) await stop();
  if (all.some(({ reconciled }, index) => reconciled.length === counts[index]))
    throw new Error("a replica had nothing to do");
  return usage;
}

/** Measures the next reconciliations of controllers that share sources, each as often as possible. */
async function measure(
  all: readonly RunningController[],
  wanted = reconciliations,
): Promise<Usage> {
  const cpu = () => all.reduce((total, { pid }) => total + processCpuMs(pid), 0);
  const counts = all.map(({ reconciled }) => reconciled.length);
  const [before, count, from] = [cpu(), countOf(all), performance.now()];
  await until(() => countOf(all) >= count + wanted);
  // Without the processes of Git, which have ended.
  const [used, tookMs] = [cpu() - before, performance.now() - from];
  const rounds = all.flatMap(({ reconciled }, index) => reconciled.slice(counts[index]));
  const changed = rounds.find(({ result }) => result !== "unchanged");
  if (changed !== undefined) throw new Error(`${changed.source} is ${changed.result}`);
  return { rate: (rounds.length * 60_000) / tookMs, cpuMs: used / rounds.length };
}

function countOf(all: readonly RunningController[]): number {
  return all.reduce((total, { reconciled }) => total + reconciled.length, 0);
}

function residentMebibytes(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/mu.exec(status)?.[1]) / 1024;
}

/** Returns the median time until a commit is applied, in a controller that looks for commits once an hour. */
async function measureWebhooks(fleet: Fleet): Promise<number> {
  const how = { name: "0", interval: "1h" };
  const { reconciled, sources, stop, url } = await startController(fleet, how);
  await until(() => sources.size >= fleet.size);
  const took: number[] = [];
  for (let count = 1; count <= webhooks; count++) {
    // Stacks reconcile a new commit of their repository, and pause after that.
    await sleep(limits.hookPauseMs + settleMs);
    const stack = `s${count}`;
    const settled = reconciled.length;
    addObject(fleet, stack);
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
