// Measures the processor time of reads in two replicas on one PostgreSQL database, against one replica.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres, postgresMissing, startPostgres } from "../test/support/postgres-server.ts";
import { bareClient, inParallel } from "./bare-client.ts";
import { interleavedRounds, median, medianRatio } from "./interleaved-rounds.ts";
import { processCpuMs } from "./process-cpu.ts";
import { formatFactor, printTable } from "./report.ts";
import { serve, type Served } from "./server.ts";

const requests = 1600;
const connections = 16;
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
    await compare(servers);
  } finally {
    for (const server of servers) await server.stop();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(all: readonly Served[]): Promise<void> {
  const clients = all.map((server) => bareClient(server, connections));
  const path = "/api/v1/user-groups";
  const [creator] = clients;
  const group = await creator?.send({ method: "POST", path, body: { name: "everybody" } });
  const read = { method: "GET", path: `${path}/${(group as { id: number }).id}` } as const;
  /** Returns the microseconds that the first replicas spend on a read. The faster replica gets more of them. */
  const measure = (count: number) => async (): Promise<number> => {
    const cpu = () => all.slice(0, count).reduce((sum, { pid }) => sum + processCpuMs(pid), 0);
    const before = cpu();
    const reads = Array.from({ length: requests }, () => read).values();
    const used = clients.slice(0, count);
    await Promise.all(
      used.map((client) => inParallel(reads, connections, (one) => client.send(one))),
    );
    return ((cpu() - before) * 1000) / requests;
  };
  const cpu = await interleavedRounds(rounds, { one: measure(1), two: measure(2) });
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
  for (const client of clients) await client.close();
}
