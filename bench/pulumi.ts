// Measures a Pulumi program of 1,000 groups: the first update, a second one and a refresh, against the same creates as bare
// requests.
import type { Kind } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import * as svc from "../provider/pulumi/sdk/index.ts";
import { SecretValue } from "../provider/pulumi/property-values.ts";
import { embedGroup } from "../resources/embed-group.ts";
import { embedTenant } from "../resources/embed-tenant.ts";
import type { RunResult } from "../test/engines/pulumi/engine.ts";
import { StandInEngine } from "../test/engines/pulumi/stand-in-engine.ts";
import { startProxy } from "../test/support/fault-proxy.ts";
import { bareClient, inParallel } from "./bare-client.ts";
import { printTable, formatMs, formatFactor } from "./report.ts";
import { median, medianRatio, interleavedRounds } from "./interleaved-rounds.ts";
import { serve, type Served } from "./server.ts";
import { groupFields } from "./stack.ts";

const groups = 1000;
const count = 3;

/** Runs it over new tenants each round. A round through a counting proxy counts the calls, and is not timed. */
export async function pulumiBench(): Promise<void> {
  const server = await serve();
  let turn = 0;
  try {
    const counted = await countCalls(server, `counted-${++turn}`);
    const again = { same: [] as number[], refresh: [] as number[] };
    const took = await interleavedRounds(count, {
      bare: () => bareRun(server, `bare-${++turn}`),
      ours: async () => {
        const engine = engineOf(server, server.url);
        const program = programOf(`ours-${++turn}`);
        const create = await timed(() => engine.up(program));
        again.same.push(await timed(() => engine.up(program)));
        again.refresh.push(await timed(() => engine.refresh()));
        return create;
      },
    });
    const row = (name: string, calls: string, of: readonly number[]): readonly string[] => [
      name,
      calls,
      formatMs(median(of)),
      formatFactor(medianRatio(of, took.bare)),
    ];
    printTable(
      `A Pulumi program of ${groups} groups under a stand-in for the engine, ${count} rounds`,
      [
        ["", "calls (writes)", "median", "to bare"],
        row("bare POSTs", `${groups} (${groups})`, took.bare),
        row("up that creates", counted.create, took.ours),
        row("up with nothing to do", counted.same, again.same),
        row("refresh", counted.refresh, again.refresh),
      ],
    );
  } finally {
    await server.stop();
  }
}

function engineOf({ apiKey }: Served, url: string): StandInEngine {
  return new StandInEngine({ url, apiKey: new SecretValue(apiKey) });
}

/** The class that the SDK has for a kind. */
function classOf({ name }: Kind) {
  const classes: Readonly<Record<string, unknown>> = { ...svc };
  return classes[name] as new (name: string, args: object) => { readonly name: unknown };
}

function programOf(name: string) {
  const [Tenant, Group] = [classOf(embedTenant), classOf(embedGroup)];
  return async (): Promise<void> => {
    const tenant = new Tenant(name, { name });
    const declared = Array.from({ length: groups }, (_, at) => {
      const group = groupFields(at);
      return new Group(group.name, { embedTenant: tenant.name, ...group });
    });
    if (declared.length !== groups) throw new Error("not every group was declared");
  };
}

async function countCalls(
  server: Served,
  name: string,
): Promise<Readonly<Record<"create" | "same" | "refresh", string>>> {
  const proxy = await startProxy(server.url);
  try {
    const engine = engineOf(server, proxy.url);
    const program = programOf(name);
    const callsOf = async (run: () => Promise<RunResult>): Promise<string> => {
      proxy.arm();
      assertNoErrors(await run());
      return `${proxy.requests.length} (${proxy.writes().length})`;
    };
    return {
      create: await callsOf(() => engine.up(program)),
      same: await callsOf(() => engine.up(program)),
      refresh: await callsOf(() => engine.refresh()),
    };
  } finally {
    await proxy.close();
  }
}

async function bareRun(server: Served, tenant: string): Promise<number> {
  const bare = bareClient(server);
  try {
    const path = `/api/v1/embed-tenants/${tenant}/groups`;
    const body = {
      deploymentId: 1,
      externalId: "seed",
      embedTenantName: tenant,
      creatorMode: true,
    };
    await bare.send({ method: "POST", path: "/api/v1/embed/generate-session", body });
    const bodies = Array.from({ length: groups }, (_, at) => groupFields(at));
    const from = performance.now();
    await inParallel(bodies, limits.concurrency, (one) =>
      bare.send({ method: "POST", path, body: one }),
    );
    return performance.now() - from;
  } finally {
    await bare.close();
  }
}

async function timed(run: () => Promise<RunResult>): Promise<number> {
  const from = performance.now();
  assertNoErrors(await run());
  return performance.now() - from;
}

function assertNoErrors({ errors }: RunResult): void {
  if (errors.length > 0) throw new Error(errors.join("\n"));
}
