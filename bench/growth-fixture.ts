// A service in this process and a stack folder, for the growth checks.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, startServer } from "../service/server/server.ts";
import { type BareClient, bareClient } from "./bare-client.ts";
import { verbOptionsFor } from "./stack.ts";
import type { VerbOptions } from "../reconciler/verbs/session.ts";

const insertBatch = 100;

/** A service in this process, and a stack on it. */
export interface GrowthFixture {
  readonly server: RunningServer;
  readonly client: BareClient;
  readonly folder: string;
  readonly options: VerbOptions;
  readonly close: () => Promise<void>;
}

/** Starts a service in memory, and makes a stack folder. */
export async function openFixture(inventory: "file" | "service" = "file"): Promise<GrowthFixture> {
  const server = await startServer({
    data: ":memory:",
    jobs: false,
    rates: { perUser: 0, perAddress: 0 },
  });
  const served = { url: server.url, apiKey: server.adminKey.reveal() };
  const client = bareClient(served);
  const folder = await mkdtemp(join(tmpdir(), "svc-growth-"));
  const policy = `policy: { prune: true, maxDeletes: 100000, maxDeletePercent: 100 }`;
  await writeFile(
    join(folder, "stack.yaml"),
    `apiVersion: svc/v1\nkind: Stack\nmetadata: { name: growth }\nspec: { inventory: ${inventory}, ${policy} }\n`,
  );
  return {
    server,
    client,
    folder,
    options: verbOptionsFor(folder, served),
    close: async () => {
      await client.close();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns `count` rows, in batches for the store: through the API they would take most of the time. */
export function batchesOf<Row>(count: number, rowAt: (index: number) => Row): readonly Row[][] {
  const rows = Array.from({ length: count }, (_, index) => rowAt(index));
  return Array.from({ length: Math.ceil(count / insertBatch) }, (_, batch) =>
    rows.slice(batch * insertBatch, (batch + 1) * insertBatch),
  );
}
