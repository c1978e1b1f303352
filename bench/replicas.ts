// Reads of two replicas on one PostgreSQL, against the reads of one.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres, postgresMissing, startPostgres } from "../test/support/postgres-server.ts";
import { interleavedRounds, median, medianRatio } from "./interleaved-rounds.ts";
import { cpuMicroseconds } from "./process-cpu.ts";
import { formatFactor, printTable } from "./report.ts";
import { requestCases, sendRequests } from "./request-load.ts";
import { serve, type Served } from "./server.ts";

const requests = 800;
const rounds = 4;
const aim = 1.6;
/** Replicas, the database and the load need a core each, for the rate to show what replicas add. */
const coresForRates = 4;

/** Runs on PostgreSQL, where there is one. */
export async function replicasBench(): Promise<void> {
  const source = findPostgres();
  if (source === undefined) {
    console.log(`\nNot measured: ${postgresMissing}.`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-replicas-"));
  const database = await startPostgres(source);
  const servers: Served[] = [];
  try {
    const store = ["--database", database.url, "--secret-key-file", join(folder, "secret.key")];
    const first = await serve(store);
    servers.push(first);
    // A replica shows no key: the first one created it.
    servers.push({ ...(await serve(store)), apiKey: first.apiKey });
    pinToCores(servers);
    await compare(servers);
  } finally {
    for (const server of servers) await server.stop();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(servers: readonly Served[]): Promise<void> {
  const [first] = servers;
  if (first === undefined) return;
  const [read] = await requestCases(first);
  if (read === undefined) return;
  const rates = { one: [] as number[], two: [] as number[] };
  const run = (name: "one" | "two", used: readonly Served[]) => async (): Promise<number> => {
    const before = used.map(({ pid }) => cpuMicroseconds(pid));
    const from = performance.now();
    await Promise.all(
      used.map((server) => sendRequests(server, read.ours, requests / used.length)),
    );
    const seconds = (performance.now() - from) / 1000;
    const spent = used.map(({ pid }, at) => cpuMicroseconds(pid) - (before[at] ?? NaN));
    rates[name].push(requests / seconds);
    return spent.reduce((sum, microseconds) => sum + microseconds, 0) / requests;
  };
  const cpu = await interleavedRounds(rounds, {
    one: run("one", [first]),
    two: run("two", servers),
  });
  // Each replica has a core: what one request costs decides how many more requests two cores serve.
  const servedFactor = (used: readonly number[], replicas: number): number =>
    replicas * medianRatio(cpu.one, used);
  // The first round warms up.
  const faster = medianRatio(rates.two.slice(1), rates.one.slice(1));
  const rateText = availableParallelism() >= coresForRates ? formatFactor(faster) : "too few cores";
  printTable(`Reads of one group on PostgreSQL, ${rounds} rounds of ${requests}; aim ${aim} x`, [
    ["", "CPU of one read", "reads of a core each", "reads a second"],
    ["one replica", `${median(cpu.one).toFixed(0)} µs`, formatFactor(1), formatFactor(1)],
    [
      "two replicas",
      `${median(cpu.two).toFixed(0)} µs`,
      formatFactor(servedFactor(cpu.two, 2)),
      rateText,
    ],
  ]);
}

/** Gives each replica a core of its own, where enough are left for the database and the load. */
function pinToCores(servers: readonly Served[]): void {
  if (availableParallelism() < coresForRates) return;
  for (const [core, { pid }] of servers.entries())
    execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", String(core), String(pid)]);
}
