// `npm run bench [-- NAME...]`: runs the named benches, or all, one after the other, prints their tables, and writes them to
// docs/reference/benchmarks.md and the pages that it links.
import { execFileSync, spawnSync } from "node:child_process";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { applyBench } from "./apply.ts";
import { churnBench } from "./churn.ts";
import { compileBench } from "./compile.ts";
import { controllerBench } from "./controller.ts";
import { listsBench } from "./lists.ts";
import { memoryBench } from "./memory.ts";
import { type BenchResult, updatePages } from "./page.ts";
import { readPages, writePages } from "./page-files.ts";
import { permissionsBench } from "./permissions.ts";
import { planBench } from "./plan.ts";
import { earlierProfilesBench, profilesBench } from "./profiles.ts";
import { pulumiBench } from "./pulumi.ts";
import { queriesBench } from "./queries.ts";
import { recipientsBench } from "./recipients.ts";
import { refreshBench } from "./refresh.ts";
import { replicasBench } from "./replicas.ts";
import { requestsBench } from "./requests.ts";
import { scimBench } from "./scim.ts";
import { takePrintedTables } from "./report.ts";
import { sessionsBench } from "./sessions.ts";
import { startBench } from "./start.ts";
import { terraformBench } from "./terraform.ts";

const benches: Readonly<Record<string, () => Promise<void>>> = {
  plan: planBench,
  apply: applyBench,
  memory: memoryBench,
  controller: controllerBench,
  refresh: refreshBench,
  pulumi: pulumiBench,
  recipients: recipientsBench,
  requests: requestsBench,
  scim: scimBench,
  churn: churnBench,
  sessions: sessionsBench,
  start: startBench,
  terraform: terraformBench,
  lists: listsBench,
  permissions: permissionsBench,
  queries: queriesBench,
  compile: compileBench,
  replicas: replicasBench,
  profiles: profilesBench,
  "earlier profiles": earlierProfilesBench,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  const known = Object.keys(benches).join(", ");
  console.error(`no such bench: ${unknown.join(", ")}; there are ${known}`);
  process.exit(64);
}
const results: BenchResult[] = [];
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const before = { load: minuteLoad(), others: await busyCores() };
  const from = performance.now();
  await bench();
  const seconds = Math.round((performance.now() - from) / 1000);
  console.log(`\n${name} took ${seconds} s`);
  const measurement = {
    seconds,
    date: new Date().toISOString().slice(0, "2026-01-31".length),
    commit: commitText(),
    load: [before.load, minuteLoad()] as const,
    othersCores: [before.others, await busyCores()] as const,
    machine: machineText(),
  };
  const tables = takePrintedTables();
  // A bench that cannot run here keeps its earlier results.
  if (tables.length > 0) results.push({ name, measurement, tables });
}
const reference = join(import.meta.dirname, "..", "docs", "reference");
const pages = updatePages(readPages(reference), results, {
  names: Object.keys(benches),
  isInHistory,
});
writePages(reference, pages);
console.log(`\nWrote ${join(reference, "benchmarks.md")}`);

function minuteLoad(): number {
  return loadavg()[0] ?? NaN;
}

/** Returns how many cores are busy while this process waits. */
async function busyCores(): Promise<number> {
  const seconds = 2;
  const before = idleMs();
  await setTimeout(seconds * 1000);
  return Math.max(0, availableParallelism() - (idleMs() - before) / (seconds * 1000));
}

function idleMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0);
}

/** The commit, and whether files differ from it; the pages do not count. */
function commitText(): string {
  const written = [":!../docs/reference/benchmarks.md", ":!../docs/reference/benchmarks"];
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", "..", ...written);
  return `${git("rev-parse", "--short=7", "HEAD")}${changed === "" ? "" : " with local changes"}`;
}

function isInHistory(commit: string): boolean {
  const args = ["merge-base", "--is-ancestor", commit, "HEAD"];
  return spawnSync("git", args, { cwd: import.meta.dirname }).status === 0;
}

function machineText(): string {
  const [cpu] = cpus();
  return `${availableParallelism()} cores of ${cpu?.model.trim() ?? "an unknown processor"}, Node.js ${process.versions.node}`;
}
