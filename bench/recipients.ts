// Measures subscribing 1,000 recipients in one call, against 1,000 bare inserts into another file.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { limits } from "../core/limits/limits.ts";
import { bareClient, type BareClient } from "./bare-client.ts";
import { printTable, formatMs, formatFactor } from "./report.ts";
import { median, medianRatio, interleavedRounds } from "./interleaved-rounds.ts";
import { serve } from "./server.ts";

const count = limits.recipients;
const sampleCount = 15;
const deployment = "/api/v1/deployments/1";

/** Measures calls that make every user, that find every user, and that change nothing. */
export async function recipientsBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "svc-bench-recipients-"));
  const floor = openBaseline(join(folder, "bare.db"));
  const server = await serve();
  const client = bareClient(server);
  try {
    const dashboardId = await publish(client);
    let round = 0;
    let path = "";
    const took = await interleavedRounds(sampleCount, {
      together: async () => floor.together(),
      alone: async () => floor.alone(),
      fresh: async () => {
        path = await notification(client, dashboardId);
        return timeSubscribe(client, { path, tenant: `tenant-${++round}`, list: "created" });
      },
      unchanged: () =>
        timeSubscribe(client, { path, tenant: `tenant-${round}`, list: "unchanged" }),
      known: async () => {
        path = await notification(client, dashboardId);
        return timeSubscribe(client, { path, tenant: `tenant-${round}`, list: "created" });
      },
    });
    const row = (name: string, of: readonly number[]): readonly string[] => [
      name,
      formatMs(median(of)),
      formatFactor(medianRatio(of, took.together)),
      formatFactor(medianRatio(of, took.alone)),
    ];
    printTable(`${count} recipients in one call, ${sampleCount} rounds`, [
      ["", "median", "to one transaction", "to one each"],
      row(`${count} bare inserts in one transaction`, took.together),
      row(`${count} bare inserts, each on disk`, took.alone),
      row("one call, every user made", took.fresh),
      row("one call, every user known", took.known),
      row("one call, nothing changed", took.unchanged),
    ]);
  } finally {
    await client.close();
    await server.stop();
    floor.close();
    await rm(folder, { recursive: true });
  }
}

/** As durable as the service: data is on disk before the response. */
function openBaseline(path: string): { together(): void; alone(): void; close(): void } {
  const database = new Sqlite(path);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec("create table recipients (id integer primary key, user text not null)");
  const insert = database.prepare("insert into recipients (user) values (?)");
  const alone = (): void => {
    for (let at = 0; at < count; at++) insert.run(`user-${at}@example.com`);
  };
  return { alone, together: database.transaction(alone), close: () => database.close() };
}

async function publish(client: BareClient): Promise<number> {
  const workbooks = `${deployment}/workbooks`;
  const { id } = await createObject(client, workbooks, { name: "Sales" });
  const body = { workbookId: id, config: {} };
  return (await createObject(client, `${workbooks}/${id}/publish`, body)).id;
}

async function notification(client: BareClient, dashboardId: number): Promise<string> {
  const path = `${deployment}/notifications`;
  const { id } = await createObject(client, path, { dashboardId, scheduleType: "DAILY", hour: 9 });
  return `${path}/${id}/recipients`;
}

async function createObject(
  client: BareClient,
  path: string,
  body: object,
): Promise<{ id: number }> {
  return (await client.send({ method: "POST", path, body })) as { id: number };
}

interface SubscribeOptions {
  readonly path: string;
  readonly tenant: string;
  /** For requests that must report all of them. */
  readonly list: "created" | "unchanged";
}

/** Milliseconds of the call alone. */
async function timeSubscribe(
  client: BareClient,
  { path, tenant, list }: SubscribeOptions,
): Promise<number> {
  const recipients = Array.from({ length: count }, (_, at) => ({
    type: "EMBED_USER",
    embedTenantName: tenant,
    externalId: `user-${at}@example.com`,
    securityContext: { store: at },
  }));
  const from = performance.now();
  const answer = (await client.send({ method: "POST", path, body: { recipients } })) as Record<
    string,
    readonly unknown[]
  >;
  const took = performance.now() - from;
  if (answer[`${list}Recipients`]?.length !== count) throw new Error(`not all were ${list}`);
  return took;
}
