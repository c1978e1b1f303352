// Measures the memory of an idle controller for each of its sources, after all were reconciled.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { userGroup } from "../resources/user-group.ts";
import { printTable } from "./report.ts";
import { serve, type Served } from "./server.ts";

/** Sources of one size; a controller has few or many of them. */
interface SourceSet {
  readonly title: string;
  readonly counts: readonly [few: number, many: number];
  readonly documents: number;
  readonly mode: "apply" | "plan";
  /** True for stacks in one folder, whose parsed files the controller keeps once. */
  readonly sharesFolder: boolean;
}

/** The bound for each source, in MiB. */
const maxMiB = 0.3;

const applied: SourceSet = {
  title: "Memory of a controller, 5 documents a source",
  counts: [10, 110],
  documents: 5,
  mode: "apply",
  sharesFolder: false,
};
const pending: SourceSet = {
  title: "Memory of a controller, 1,000 pending changes a source",
  counts: [5, 25],
  documents: 1000,
  mode: "plan",
  sharesFolder: true,
};
const parsed: SourceSet = {
  ...pending,
  title: "Memory of a controller, 1,000 pending changes a source, and its own parsed files",
  sharesFolder: false,
};
const expected = { apply: ["applied", "unchanged"], plan: ["changes"] };

interface Reported {
  /** The reachable heap with its buffers, in MiB. */
  readonly memory: number;
  readonly results: readonly string[];
}

/** Fails where a source takes more memory than its bound. */
export async function controllerBench(): Promise<void> {
  const server = await serve();
  try {
    for (const set of [applied, pending, parsed]) await measure(server, set);
  } finally {
    await server.stop();
  }
}

async function measure(server: Served, set: SourceSet): Promise<void> {
  const [few, many] = set.counts;
  const [small, large] = [await run(server, set, few), await run(server, set, many)];
  const each = (large.memory - small.memory) / (many - few);
  printTable(set.title, [
    ["", "heap"],
    [`${few} sources`, `${small.memory.toFixed(1)} MiB`],
    [`${many} sources`, `${large.memory.toFixed(1)} MiB`],
    ["each source more", `${each.toFixed(3)} MiB`],
    ["at most", `${maxMiB} MiB`],
  ]);
  if (each > maxMiB) throw new Error(`a source of the controller takes ${each} MiB`);
}

async function run(server: Served, set: SourceSet, sources: number): Promise<Reported> {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-controller-"));
  try {
    const child = spawn(
      process.execPath,
      [
        "--expose-gc",
        join(import.meta.dirname, "controller-child.ts"),
        writeSources(folder, set, sources),
      ],
      {
        env: { ...process.env, HOME: folder, SVC_API_URL: server.url, SVC_API_KEY: server.apiKey },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    if (code !== 0)
      throw new Error(`a controller of ${sources} sources ended with ${String(code)}`);
    const reported = JSON.parse(output) as Reported;
    const unexpected = reported.results.filter((result) => !expected[set.mode].includes(result));
    if (unexpected.length > 0) throw new Error(`a reconciliation was ${unexpected.join(", ")}`);
    return reported;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes the stacks and the configuration; returns its path. */
function writeSources(
  home: string,
  { documents, mode, sharesFolder }: SourceSet,
  count: number,
): string {
  const sources = Array.from({ length: count }, (_, at) => {
    const name = `stack-${count}-${at}`;
    const stack = sharesFolder ? `stack-${count}` : name;
    const folder = join(home, stack);
    if (!existsSync(folder)) writeStack(folder, stack, documents);
    return { name, stack, folder, mode, interval: "1m", jitter: "1s" };
  });
  const file = join(home, "controller.json");
  writeFileSync(file, JSON.stringify({ state: "state", sources }));
  return file;
}

function writeStack(folder: string, stack: string, count: number): void {
  mkdirSync(folder);
  const head = `apiVersion: svc/v1\nkind: Stack\nmetadata: { name: ${stack} }\n`;
  writeFileSync(join(folder, "stack.yaml"), `${head}spec: { inventory: file }\n`);
  const documents = Array.from({ length: count }, (_, nth) => {
    const group = `${stack}-group-${nth}`;
    const top = `apiVersion: svc/v1\nkind: ${userGroup.name}\nmetadata: { name: ${group} }\n`;
    return `${top}spec: { name: ${group} }\n`;
  });
  writeFileSync(join(folder, "groups.yaml"), documents.join("---\n"));
}
