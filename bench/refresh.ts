// Measures refreshing 1,000 groups one by one, as Terraform and Pulumi do, against only reading the same pages.
import { createClient } from "../client/client.ts";
import { limits } from "../core/limits/limits.ts";
import { Secret } from "../core/secret.ts";
import { createBridge } from "../provider/bridge/bridge.ts";
import { readTargetFor } from "../provider/bridge/read-target.ts";
import { embedGroup } from "../resources/embed-group.ts";
import { bareClient, readAll } from "./bare-client.ts";
import { printTable, formatMs, formatFactor } from "./report.ts";
import { median, medianRatio, interleavedRounds } from "./interleaved-rounds.ts";
import { serve, type Served } from "./server.ts";
import { groupFields, makeStack } from "./stack.ts";

const groups = 1000;
const count = 5;

/** Runs it in one embed tenant. */
export async function refreshBench(): Promise<void> {
  const server = await serve();
  const bare = bareClient(server);
  const stack = await makeStack(server, "refresh", { tenants: 1, groups });
  try {
    await stack.apply();
    const [embedTenant = ""] = stack.tenantNames;
    const path = `/api/v1/embed-tenants/${embedTenant}/groups`;
    let calls = 0;
    const took = await interleavedRounds(count, {
      bare: async () => void (await readAll(bare, path)),
      bridge: async () => {
        calls = await timeRefresh(server, embedTenant);
      },
    });
    const before = bare.calls();
    await readAll(bare, path);
    printTable(`Refresh of ${groups} groups, ${count} rounds`, [
      ["", "calls", "median", "to bare"],
      [
        "bare reading of the pages",
        String(bare.calls() - before),
        formatMs(median(took.bare)),
        "1 x",
      ],
      [
        "object by object through the bridge",
        `${calls} + 1 for the description`,
        formatMs(median(took.bridge)),
        formatFactor(medianRatio(took.bridge, took.bare)),
      ],
    ]);
  } finally {
    await stack.remove();
    await bare.close();
    await server.stop();
  }
}

/** As many concurrent calls as engines make by default; answers the calls that it took. */
async function timeRefresh({ url, apiKey }: Served, embedTenant: string): Promise<number> {
  const client = createClient({ url, credential: new Secret(apiKey) });
  const bridge = createBridge(client, await client.discoverApi());
  const before = client.stats.calls;
  const waiting = Array.from({ length: groups }, (_, at) => groupFields(at)).values();
  const worker = async (): Promise<void> => {
    for (const { name } of waiting) {
      if (!(await bridge.read(readTargetFor(embedGroup, { embedTenant, name }))))
        throw new Error(name);
    }
  };
  await Promise.all(Array.from({ length: limits.concurrency }, worker));
  const calls = client.stats.calls - before;
  await bridge.close();
  return calls;
}
