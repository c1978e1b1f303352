// `npm run bench [-- NAME...]`: runs the named benches, or all, one after the other, prints their tables, and writes them to
// docs/reference/benchmarks.md.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";
import { applyBench } from "./apply.ts";
import { controllerBench } from "./controller.ts";
import { filesBench } from "./files.ts";
import { memoryBench } from "./memory.ts";
import { type BenchResult, updatePage } from "./page.ts";
import { pagesBench } from "./pages.ts";
import { planBench } from "./plan.ts";
import { queriesBench } from "./queries.ts";
import { replicasBench } from "./replicas.ts";
import { takePrintedTables } from "./report.ts";
import { sessionsBench } from "./sessions.ts";
import { startBench } from "./start.ts";
import { terraformBench } from "./terraform.ts";

const benches: Readonly<Record<string, () => Promise<void>>> = {
  plan: planBench,
  apply: applyBench,
  memory: memoryBench,
  sessions: sessionsBench,
  queries: queriesBench,
  start: startBench,
  terraform: terraformBench,
  replicas: replicasBench,
  controller: controllerBench,
  pages: pagesBench,
  files: filesBench,
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
  const load = minuteLoad();
  const from = performance.now();
  await bench();
  const seconds = Math.round((performance.now() - from) / 1000);
  console.log(`\n${name} took ${seconds} s`);
  const date = new Date().toISOString().slice(0, "2026-01-31".length);
  const measured = `Measured on ${date} at commit ${commitText()}, in ${seconds} s, with a load of ${load} before and ${minuteLoad()} after, on ${machineText()}.`;
  const tables = takePrintedTables();
  // A bench that cannot run here keeps its earlier results.
  if (tables.length > 0) results.push({ name, measured, tables });
}
const page = join(import.meta.dirname, "..", "docs", "reference", "benchmarks.md");
writeFileSync(page, updatePage(readFileSync(page, "utf8"), results, Object.keys(benches)));
console.log(`\nWrote ${page}`);

function minuteLoad(): string {
  return (loadavg()[0] ?? NaN).toFixed(1);
}

/** The commit, and whether files differ from it; the page does not count. */
function commitText(): string {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", "..", ":!../docs/reference/benchmarks.md");
  return `${git("rev-parse", "--short=7", "HEAD")}${changed === "" ? "" : " with local changes"}`;
}

function machineText(): string {
  const [cpu] = cpus();
  return `${availableParallelism()} cores of ${cpu?.model.trim() ?? "an unknown processor"}, Node.js ${process.versions.node}`;
}
