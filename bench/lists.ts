// Measures lists of many objects on both stores: the last page against the first, the memory of the service, and a start on
// a full store against an empty one.
import { readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres, postgresMissing, startPostgres } from "../test/support/postgres-server.ts";
import { seedGroups } from "./seed-groups.ts";
import { bareClient, type BareClient } from "./bare-client.ts";
import { printTable, formatMs, formatFactor } from "./report.ts";
import { median, medianRatio, interleavedRounds } from "./interleaved-rounds.ts";
import { serve, type Served } from "./server.ts";

const count = 100_000;
const pageLength = 100;
const pageRounds = 30;
const startRounds = 3;
const path = `/api/v1/user-groups?first=${pageLength}`;

/** The location of a store, filled or fresh. */
interface StoreLocation {
  readonly data: string;
  readonly options: readonly string[];
}

/** Runs them on SQLite, and on PostgreSQL where there is one. */
export async function listsBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "svc-bench-lists-"));
  try {
    const onFolder = (name: string): StoreLocation => {
      const data = join(folder, name);
      return { data, options: ["--data", data] };
    };
    await measure("SQLite", onFolder("filled"), (round) => onFolder(`fresh-${round}`));
    const source = findPostgres();
    if (source === undefined) {
      console.log(`\nNot measured: ${postgresMissing}.`);
      return;
    }
    const database = await startPostgres(source);
    try {
      const key = ["--secret-key-file", join(folder, "secret.key")];
      const onSchema = (schema: string): StoreLocation => {
        const options = ["--database", database.url, "--schema", schema, ...key];
        return { data: database.url, options };
      };
      const named = (schema: string): StoreLocation => onSchema(schema);
      await measure("PostgreSQL", named("svc"), (round) => named(`fresh_${round}`));
    } finally {
      await database.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  store: string,
  filled: StoreLocation,
  fresh: (round: number) => StoreLocation,
): Promise<void> {
  const begun = await serve(filled.options);
  const before = residentMemory(begun);
  await begun.stop();
  await seedGroups(filled.data, count);
  const server = await serve(filled.options);
  const client = bareClient(server);
  const after = await lastPageCursor(client);
  const read = (query: string) => async () =>
    void (await client.send({ method: "GET", path: query }));
  const pages = await interleavedRounds(pageRounds, {
    first: read(path),
    last: read(`${path}&after=${after}`),
    found: read(`${path}&search=group-099`),
  });
  const held = residentMemory(server);
  await client.close();
  await server.stop();
  let round = 0;
  const starts = await interleavedRounds(startRounds, {
    fresh: () => startupMs(fresh(round++)),
    filled: () => startupMs(filled),
  });
  printTable(`${store}: a list of ${count} groups, pages of ${pageLength}, ${pageRounds} rounds`, [
    ["", "median", "ratio"],
    ["first page", formatMs(median(pages.first)), formatFactor(1)],
    ["last page", formatMs(median(pages.last)), formatFactor(medianRatio(pages.last, pages.first))],
    [
      "a search",
      formatMs(median(pages.found)),
      formatFactor(medianRatio(pages.found, pages.first)),
    ],
    ["start, fresh store", formatMs(median(starts.fresh)), formatFactor(1)],
    [
      "start, filled store",
      formatMs(median(starts.filled)),
      formatFactor(medianRatio(starts.filled, starts.fresh)),
    ],
    ["memory, fresh", `${before.toFixed(0)} MiB`, formatFactor(1)],
    ["memory, after all pages were read", `${held.toFixed(0)} MiB`, formatFactor(held / before)],
  ]);
}

/** Reads the whole list in pages of a thousand; answers the cursor behind which the last short page begins. */
async function lastPageCursor(client: BareClient): Promise<string> {
  const limit = "/api/v1/user-groups?first=1000";
  let after = "";
  let seen = 0;
  for (;;) {
    const { items, pageInfo } = (await client.send({
      method: "GET",
      path: `${limit}${after}`,
    })) as {
      items: readonly unknown[];
      pageInfo: { endCursor?: string; hasNextPage: boolean };
    };
    seen += items.length;
    if (!pageInfo.hasNextPage) break;
    after = `&after=${pageInfo.endCursor}`;
    if (seen > count - 1000 - pageLength) break;
  }
  const rest = count - seen - pageLength;
  const query = `/api/v1/user-groups?first=${rest}${after}`;
  const { pageInfo } = (await client.send({ method: "GET", path: query })) as {
    pageInfo: { endCursor?: string };
  };
  if (seen + rest !== count - pageLength) throw new Error(`the list has other lengths: ${seen}`);
  return pageInfo.endCursor ?? "";
}

/** Time until the server answers; stopping it is not counted. */
async function startupMs({ options }: StoreLocation): Promise<number> {
  const from = performance.now();
  const server = await serve(options);
  const took = performance.now() - from;
  await server.stop();
  return took;
}

/** Returns the memory of the process, in MiB; 0 if the system does not report it. */
function residentMemory({ pid }: Served): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
