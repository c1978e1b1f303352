// Measures the processor time of reads in two replicas on one PostgreSQL database, against one replica.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres, postgresMissing, startPostgres } from "../test/support/postgres-server.ts";
import { interleavedRounds, median, medianRatio } from "./interleaved-rounds.ts";
import { cpuMicroseconds } from "./process-cpu.ts";
import { formatFactor, printTable } from "./report.ts";
import { groupRead, sendRequests } from "./request-load.ts";
import { serve, type Served } from "./server.ts";

const requests = 1600;
const rounds = 4;
const aim = 1.6;

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
    // Later replicas show no key, because the first one created it.
    servers.push({ ...(await serve(store)), apiKey: first.apiKey });
    await compare(first, servers);
  } finally {
    for (const server of servers) await server.stop();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(first: Served, all: readonly Served[]): Promise<void> {
  const read = await groupRead(first);
  /** Returns the microseconds that the replicas spend on a read. */
  const measure = (replicas: readonly Served[]) => async (): Promise<number> => {
    const cpu = (): number => replicas.reduce((sum, { pid }) => sum + cpuMicroseconds(pid), 0);
    const before = cpu();
    await sendRequests(replicas, read, requests);
    return (cpu() - before) / requests;
  };
  const cpu = await interleavedRounds(rounds, { one: measure([first]), two: measure(all) });
  const row = (name: "one" | "two", replicas: number): readonly string[] => [
    `${name} of them`,
    `${median(cpu[name]).toFixed(0)} µs`,
    // The cost of one read decides how many more reads two cores serve than one.
    formatFactor(replicas * medianRatio(cpu.one, cpu[name])),
  ];
  printTable(
    `Reads of one group by replicas on PostgreSQL, ${rounds} rounds of ${requests}; aim ${aim} x`,
    [["", "CPU of one read", "reads of a core each"], row("one", 1), row("two", 2)],
  );
}
