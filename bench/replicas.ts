// Measures reads of two replicas on one PostgreSQL database, against reads of one replica.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import {
  findPostgres,
  postgresMissing,
  runSql,
  startPostgres,
} from "../test/support/postgres-server.ts";
import { createCpuQuotas } from "./cpu-quota.ts";
import { interleavedRounds, median, medianRatio } from "./interleaved-rounds.ts";
import { cpuMicroseconds } from "./process-cpu.ts";
import { formatFactor, printTable } from "./report.ts";
import { groupRead, sendRequests } from "./request-load.ts";
import { serve, type Served } from "./server.ts";

const requests = 1600;
const rounds = 4;
const aim = 1.6;
/** With this many cores, each replica has one, and the database and the load have the others. */
const coresToPin = 4;
/**
 * The fraction of a core: small enough to leave cores free next to two replicas, the database, the load, and other work
 * on two cores.
 */
const quotaOfReplica = 0.3;

/** Runs on PostgreSQL, where there is one. */
export async function replicasBench(): Promise<void> {
  const source = findPostgres();
  if (source === undefined) {
    console.log(`\nNot measured: ${postgresMissing}.`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-replicas-"));
  const database = await startPostgres(source);
  const quotas = availableParallelism() < coresToPin ? createCpuQuotas(quotaOfReplica) : undefined;
  const servers: Served[] = [];
  try {
    const store = ["--database", database.url, "--secret-key-file", join(folder, "secret.key")];
    const first = await serve(store);
    servers.push(first);
    // Later replicas show no key, because the first one created it.
    servers.push({ ...(await serve(store)), apiKey: first.apiKey });
    if (quotas === undefined) pinToCores(servers);
    for (const { pid } of servers) quotas?.limit(pid);
    const share = quotas === undefined ? shareOfCores() : `${quotaOfReplica} of a core by quota`;
    // The processes of a server that a variable names may be on another machine.
    const databaseUrl = "url" in source ? undefined : database.url;
    await compare(servers, { share, databaseUrl });
  } finally {
    for (const server of servers) await server.stop();
    quotas?.remove();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Setup {
  /** The cores of each replica; undefined if both share cores with the rest. */
  readonly share: string | undefined;
  /** The database, if its processes are on this machine. */
  readonly databaseUrl: string | undefined;
}

/** The time of one round of reads. */
interface Round {
  readonly readsPerSecond: number;
  /** Of one core; NaN if unknown. */
  readonly databaseShare: number;
}

async function compare(servers: readonly Served[], { share, databaseUrl }: Setup): Promise<void> {
  const [first] = servers;
  if (first === undefined) return;
  const read = await groupRead(first);
  const measured = { one: [] as Round[], two: [] as Round[] };
  const run = (name: "one" | "two", used: readonly Served[]) => async (): Promise<number> => {
    const before = await cpuOf(used, databaseUrl);
    const from = performance.now();
    await sendRequests(used, read, requests);
    const seconds = (performance.now() - from) / 1000;
    const after = await cpuOf(used, databaseUrl);
    measured[name].push({
      readsPerSecond: requests / seconds,
      databaseShare: (after.database - before.database) / 1e6 / seconds,
    });
    return (after.replicas - before.replicas) / requests;
  };
  const cpu = await interleavedRounds(rounds, {
    one: run("one", [first]),
    two: run("two", servers),
  });
  // The first round warms up.
  const ratesOf = (name: "one" | "two"): readonly number[] =>
    measured[name].slice(1).map(({ readsPerSecond }) => readsPerSecond);
  const row = (name: "one" | "two", replicas: number): readonly string[] => [
    replicas === 1 ? "one replica" : "two replicas",
    `${median(cpu[name]).toFixed(0)} µs`,
    // The cost of one read decides how many more reads two cores serve than one.
    formatFactor(replicas * medianRatio(cpu.one, cpu[name])),
    ...(share === undefined
      ? ["too few cores", "too few cores"]
      : [
          median(ratesOf(name)).toFixed(0),
          formatFactor(medianRatio(ratesOf(name), ratesOf("one"))),
        ]),
    shareText(median(measured[name].slice(1).map(({ databaseShare }) => databaseShare))),
  ];
  const each = share === undefined ? "" : `; each replica has ${share}`;
  printTable(
    `Reads of one group on PostgreSQL, ${rounds} rounds of ${requests}; aim ${aim} x${each}`,
    [
      ["", "CPU of one read", "reads of a core each", "rate", "reads a second", "database busy"],
      row("one", 1),
      row("two", 2),
    ],
  );
}

function shareText(share: number): string {
  return Number.isNaN(share) ? "-" : `${(share * 100).toFixed(0)} % of a core`;
}

/** Returns the microseconds of processor time so far. */
async function cpuOf(
  replicas: readonly Served[],
  databaseUrl: string | undefined,
): Promise<{ readonly replicas: number; readonly database: number }> {
  const sum = (pids: readonly number[]): number =>
    pids.reduce((total, pid) => total + cpuMicroseconds(pid), 0);
  const database = databaseUrl === undefined ? NaN : sum(await databaseProcesses(databaseUrl));
  return { replicas: sum(replicas.map(({ pid }) => pid)), database };
}

/** Returns the processes that serve connections, which the replicas keep open. */
async function databaseProcesses(url: string): Promise<readonly number[]> {
  const text = "select pid from pg_stat_activity where pid <> pg_backend_pid()";
  return (await runSql(url, text)).map((row) => (row as { readonly pid: number }).pid);
}

/** Returns the cores of each replica that {@link pinToCores} pinned. */
function shareOfCores(): string | undefined {
  return availableParallelism() < coresToPin ? undefined : "a core of its own";
}

/** Gives each replica a dedicated core if enough cores are left for the database and the load. */
function pinToCores(servers: readonly Served[]): void {
  if (availableParallelism() < coresToPin) return;
  for (const [core, { pid }] of servers.entries())
    execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", String(core), String(pid)]);
}
