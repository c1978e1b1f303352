// Measures the peak memory of the reconciler over 10,000 and 100,000 objects, with each verb in a separate process.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { userGroup } from "../resources/user-group.ts";
import { seedGroups, groupName } from "./seed-groups.ts";
import { printTable, formatMs, formatFactor } from "./report.ts";
import { serve, type Served } from "./server.ts";
import { documentOf } from "./stack.ts";

const execute = promisify(execFile);
const sizes = [10_000, 100_000] as const;
/** Memory limits of adopting and of a plan, in MiB. A plan that takes more fails the bench. */
const maxMiB = { 10_000: 400, 100_000: 1_000 } as const;
/** Runs of each operation; the median of the peaks counts. Each adopt starts without the previous inventory. */
const runs = 3;
const documentsPerFile = 10_000;
/** Maximum ratio of memory for ten times as many objects, without the memory of an empty process. */
const maxGrowthFactor = 12;

/** The operations of a child process; see memory-child.ts. */
const workloads = ["nothing", "bare", "adopt", "plan"] as const;
type Workload = (typeof workloads)[number];

interface Measured {
  /** Peak memory of the process, in MiB. */
  readonly peak: number;
  readonly seconds: number;
  /** Number of objects that it read. */
  readonly seen: number;
}

/** Fails if memory is not linear in the number of objects, or exceeds its bound. */
export async function memoryBench(): Promise<void> {
  const rows: (readonly string[])[] = [
    ["", "objects", "time", "peak", "aim", "to bare", "each object"],
  ];
  const plans: number[] = [];
  const peaks: (readonly [size: (typeof sizes)[number], peak: number])[] = [];
  for (const size of sizes) {
    const measured = await measure(size);
    for (const work of workloads) {
      const { peak, seconds } = measured[work];
      const each = ((peak - measured.nothing.peak) * 1024) / size;
      rows.push([
        work,
        String(size),
        formatMs(seconds * 1000),
        `${peak.toFixed(0)} MiB`,
        work === "adopt" || work === "plan" ? `${maxMiB[size]} MiB` : "",
        formatFactor(peak / measured.bare.peak),
        work === "nothing" ? "" : `${each.toFixed(1)} KiB`,
      ]);
    }
    plans.push(measured.plan.peak - measured.nothing.peak);
    peaks.push([size, measured.plan.peak]);
  }
  printTable(`Memory of one process, ${runs} runs`, rows);
  for (const [size, peak] of peaks)
    if (peak > maxMiB[size]) throw new Error(`a plan of ${size} objects took ${peak} MiB`);
  const [few = 0, many = 0] = plans;
  if (many > few * maxGrowthFactor)
    throw new Error(`memory is not linear: ${few} MiB, then ${many} MiB`);
}

async function measure(size: number): Promise<Readonly<Record<Workload, Measured>>> {
  const folder = await mkdtemp(join(tmpdir(), "svc-bench-memory-"));
  const store = ["--data", join(folder, "data")];
  try {
    await (await serve(store)).stop();
    await seedGroups(join(folder, "data"), size);
    await writeStack(folder, size);
    const server = await serve(store);
    try {
      const found = {} as Record<Workload, Measured[]>;
      for (const work of workloads) found[work] = [];
      for (let run = 0; run < runs; run++)
        for (const work of workloads) {
          if (work === "adopt") await rm(join(folder, ".svc"), { recursive: true, force: true });
          found[work].push(await runInChildProcess(work, { folder, server, size }));
        }
      return medianRuns(found);
    } finally {
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function medianRuns(
  found: Readonly<Record<Workload, readonly Measured[]>>,
): Readonly<Record<Workload, Measured>> {
  const entries = workloads.map((work) => {
    const sorted = found[work].toSorted((one, other) => one.peak - other.peak);
    return [work, sorted[Math.floor(sorted.length / 2)]] as const;
  });
  return Object.fromEntries(entries) as Record<Workload, Measured>;
}

async function writeStack(folder: string, size: number): Promise<void> {
  const stack =
    "apiVersion: svc/v1\nkind: Stack\nmetadata: { name: large }\nspec: { inventory: file }\n";
  await writeFile(join(folder, "stack.yaml"), stack);
  for (let from = 0; from < size; from += documentsPerFile) {
    const documents = Array.from({ length: documentsPerFile }, (_, at) => {
      const name = groupName(from + at);
      return documentOf(userGroup, name, { name });
    });
    await writeFile(join(folder, `groups-${from}.yaml`), documents.join("---\n"));
  }
}

interface WorkloadOptions {
  readonly folder: string;
  readonly server: Served;
  readonly size: number;
}

async function runInChildProcess(
  work: Workload,
  { folder, server, size }: WorkloadOptions,
): Promise<Measured> {
  const file = join(import.meta.dirname, "memory-child.ts");
  const args = [file, work, folder, server.url, server.apiKey];
  const { stdout } = await execute(process.execPath, args);
  const measured = JSON.parse(stdout) as Measured;
  if (work !== "nothing" && measured.seen < size) throw new Error(`${work} saw ${measured.seen}`);
  return measured;
}
