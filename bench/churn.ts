// Measures whether the memory of the service grows over cycles of creates, updates, deletes, queries and sessions.
import { readFileSync } from "node:fs";
import { type BareClient, bareClient, inParallel } from "./bare-client.ts";
import { freePort, heapAfterCollection, inspectFlags } from "./inspect.ts";
import { median } from "./interleaved-rounds.ts";
import { deploy, load, type DataApi } from "./queries.ts";
import { printTable } from "./report.ts";
import { serve, type Served } from "./server.ts";

/** `BENCH_CHURN_MINUTES` sets another duration. */
const minutes = Number(process.env["BENCH_CHURN_MINUTES"] ?? 2);
const connections = 8;
/** Objects that one cycle creates and deletes, and the sessions that it generates. */
const ofCycle = 40;
/** External users of sessions. More of them would be data that accumulates. */
const externalUsers = 200;
const samples = 40;
/** Maximum difference between the medians of the second and the last quarter. */
const maxGrowth = { heap: 1.05, rss: 1.15 } as const;

interface Sample {
  /** Reachable memory, in MiB. */
  readonly heap: number;
  readonly rss: number;
}

/** Runs cycles against a real server, and fails if its memory grows after it has warmed up. */
export async function churnBench(): Promise<void> {
  if (!(minutes > 0 && minutes <= 24 * 60)) throw new Error("BENCH_CHURN_MINUTES is no duration");
  const port = await freePort();
  const server = await serve(undefined, { flags: inspectFlags(port) });
  const client = bareClient(server, connections);
  try {
    const api = await deploy(server, 0);
    const { taken, cycles } = await runCycles({ server, client, api }, port);
    printSamples(taken, cycles);
  } finally {
    await client.close();
    await server.stop();
  }
}

interface Fixture {
  readonly server: Served;
  readonly client: BareClient;
  readonly api: DataApi;
}

/** Samples the memory at equal intervals, each after a collection. */
async function runCycles(
  fixture: Fixture,
  port: number,
): Promise<{ readonly taken: readonly Sample[]; readonly cycles: number }> {
  const from = performance.now();
  const taken: Sample[] = [];
  let cycles = 0;
  while (taken.length < samples) {
    const until = from + ((taken.length + 1) / samples) * minutes * 60_000;
    do await cycle(fixture, cycles++);
    while (performance.now() < until);
    const heap = (await heapAfterCollection(port)) / 1024 / 1024;
    taken.push({ heap, rss: residentMiB(fixture.server.pid) });
  }
  return { taken, cycles };
}

/** Every object that a cycle creates is deleted in it. Its sessions are of users that other cycles have too. */
async function cycle({ client, api }: Fixture, number: number): Promise<void> {
  const numbers = Array.from({ length: ofCycle }, (_, at) => number * ofCycle + at);
  await inParallel(numbers, connections, async (at) => {
    const group = await create(client, "/api/v1/user-groups", { name: `group-${at}` });
    await client.send({ method: "PATCH", path: group, body: { description: `Number ${at}.` } });
    await client.send({ method: "GET", path: "/api/v1/user-groups?first=100" });
    const folder = await create(client, "/api/v1/deployments/1/folders", { name: `folder-${at}` });
    await client.send({ method: "GET", path: folder });
    const session = {
      deploymentId: 1,
      externalId: `user-${at % externalUsers}`,
      embedTenantName: "acme-inc",
    };
    await client.send({ method: "POST", path: "/api/v1/embed/generate-session", body: session });
    await client.send({ method: "DELETE", path: folder });
    await client.send({ method: "DELETE", path: group });
  });
  const days = { dimension: "orders.created_at", granularity: "day" };
  const query = { measures: ["orders.revenue"], timeDimensions: [days], limit: 1 + (number % 100) };
  await load(api, query, "no-cache");
}

/** Creates an object and returns its path. */
async function create(client: BareClient, path: string, body: object): Promise<string> {
  const { id } = (await client.send({ method: "POST", path, body })) as { readonly id: number };
  return `${path}/${id}`;
}

function residentMiB(pid: number): number {
  const [, kilobytes] =
    /^VmRSS:\s*(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes ?? NaN) / 1024;
}

function printSamples(taken: readonly Sample[], cycles: number): void {
  const quarter = (name: keyof Sample, of: number): number => {
    const size = taken.length / 4;
    return median(taken.slice((of - 1) * size, of * size).map((one) => one[name]));
  };
  const names = { heap: "reachable heap", rss: "resident memory" } as const;
  const measured = (["heap", "rss"] as const).map((name) => {
    const [before, after] = [quarter(name, 2), quarter(name, 4)];
    return { name, before, after, growth: after / before };
  });
  const mib = (value: number): string => `${value.toFixed(1)} MiB`;
  printTable(
    `Memory of the service over ${minutes} minutes, ${cycles * ofCycle} objects of each type`,
    [
      ["", "second quarter", "last quarter", "growth", "at most"],
      ...measured.map(({ name, before, after, growth }) => [
        names[name],
        mib(before),
        mib(after),
        `${growth.toFixed(3)} x`,
        `${maxGrowth[name]} x`,
      ]),
    ],
  );
  for (const { name, growth } of measured)
    if (!(growth <= maxGrowth[name])) throw new Error(`the ${names[name]} grew ${growth} times`);
}
