// The memory of a controller for each of its sources, once all were reconciled and nothing is due.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { userGroup } from "../resources/user-group.ts";
import { printTable } from "./report.ts";
import { serve, type Served } from "./server.ts";

const [few, many] = [10, 110] as const;
const documentsOfEach = 5;
const maxMiB = 0.3;
const expected = new Set(["applied", "unchanged"]);

interface Reported {
  /** The reachable heap, in MiB. */
  readonly heap: number;
  readonly results: readonly string[];
}

/** Fails where a source takes more memory than its bound. */
export async function controllerBench(): Promise<void> {
  const server = await serve();
  try {
    const [small, large] = [await run(server, few), await run(server, many)];
    const each = (large.heap - small.heap) / (many - few);
    printTable(`Memory of a controller, ${documentsOfEach} documents a source`, [
      ["", "heap"],
      [`${few} sources`, `${small.heap.toFixed(1)} MiB`],
      [`${many} sources`, `${large.heap.toFixed(1)} MiB`],
      ["each source more", `${each.toFixed(3)} MiB`],
      ["at most", `${maxMiB} MiB`],
    ]);
    if (each > maxMiB) throw new Error(`a source of the controller takes ${each} MiB`);
  } finally {
    await server.stop();
  }
}

async function run(server: Served, sources: number): Promise<Reported> {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-controller-"));
  try {
    const child = spawn(
      process.execPath,
      [
        "--expose-gc",
        join(import.meta.dirname, "controller-child.ts"),
        writeSources(folder, sources),
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
    const unexpected = reported.results.filter((result) => !expected.has(result));
    if (unexpected.length > 0) throw new Error(`a reconciliation was ${unexpected.join(", ")}`);
    return reported;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes a stack for each source, and the configuration; returns its path. */
function writeSources(home: string, count: number): string {
  const sources = Array.from({ length: count }, (_, at) => {
    const name = `stack-${count}-${at}`;
    const folder = join(home, name);
    mkdirSync(folder);
    const head = `apiVersion: svc/v1\nkind: Stack\nmetadata: { name: ${name} }\n`;
    writeFileSync(join(folder, "stack.yaml"), `${head}spec: { inventory: file }\n`);
    const documents = Array.from({ length: documentsOfEach }, (_item, nth) => {
      const group = `${name}-group-${nth}`;
      const top = `apiVersion: svc/v1\nkind: ${userGroup.name}\nmetadata: { name: ${group} }\n`;
      return `${top}spec: { name: ${group} }\n`;
    });
    writeFileSync(join(folder, "groups.yaml"), documents.join("---\n"));
    return { name, folder, mode: "apply", interval: "1m", jitter: "1s" };
  });
  const file = join(home, "controller.json");
  writeFileSync(file, JSON.stringify({ state: "state", sources }));
  return file;
}
