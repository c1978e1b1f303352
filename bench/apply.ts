// Creating 1,000 groups and changing 10 of them, against the same writes sent bare with the same concurrency.
import { limits } from "../core/limits.ts";
import type { Applied } from "../reconciler/model.ts";
import { type BareClient, bareClient, inParallel, readAll } from "./http.ts";
import { report, time, times } from "./report.ts";
import { median, ratio, rounds } from "./rounds.ts";
import { groupAt, makeStack } from "./stack.ts";
import { serve, type Served } from "./server.ts";

const groups = 1000;
const edited = 10;
const count = 3;

interface Timed {
  readonly create: number;
  readonly change: number;
}

interface Counted {
  /** All calls of the plan and the apply. */
  readonly all: number;
  readonly writes: number;
}

/** Runs it over fresh tenants each round. */
export async function applyBench(): Promise<void> {
  const server = await serve();
  const bare = bareClient(server);
  let turn = 0;
  try {
    const counts = { create: new Set<string>(), change: new Set<string>() };
    const changes = { ours: [] as number[], bare: [] as number[] };
    const created = await rounds(count, {
      bare: async () => {
        const { create, change } = await bareRun(bare, `bare-${++turn}`);
        changes.bare.push(change);
        return create;
      },
      ours: async () => {
        const { create, change } = await ourRun(server, `ours-${++turn}`, counts);
        changes.ours.push(change);
        return create;
      },
    });
    const row = (
      name: string,
      of: readonly number[],
      [floor, calls]: [readonly number[], string],
    ) => [name, calls, time(median(of)), times(ratio(of, floor))];
    report(`Create ${groups} groups, then change ${edited} of them, ${count} rounds`, [
      ["", "calls (writes)", "median", "to bare"],
      row("bare POSTs", created.bare, [created.bare, `${groups} (${groups})`]),
      row("apply that creates", created.ours, [created.bare, [...counts.create].join(" or ")]),
      row("bare PATCHes", changes.bare, [changes.bare, `${edited} (${edited})`]),
      row("apply that changes", changes.ours, [changes.bare, [...counts.change].join(" or ")]),
    ]);
  } finally {
    await bare.close();
    await server.stop();
  }
}

async function bareRun(bare: BareClient, tenant: string): Promise<Timed> {
  const path = `/api/v1/embed-tenants/${tenant}/groups`;
  const seed = { deploymentId: 1, externalId: "seed", embedTenantName: tenant, creatorMode: true };
  await bare.send({ method: "POST", path: "/api/v1/embed/generate-session", body: seed });
  const bodies = Array.from({ length: groups }, (_, at) => groupAt(at));
  const create = await timed(() =>
    inParallel(bodies, limits.concurrency, (body) => bare.send({ method: "POST", path, body })),
  );
  const ids = (await readAll(bare, path)).slice(-edited).map(({ id }) => id);
  const change = await timed(() =>
    inParallel(ids, limits.concurrency, (id) =>
      bare.send({
        method: "PATCH",
        path: `${path}/${id}`,
        body: { description: groupAt(id, Infinity).description },
      }),
    ),
  );
  return { create, change };
}

async function ourRun(
  server: Served,
  name: string,
  counts: { create: Set<string>; change: Set<string> },
): Promise<Timed> {
  const size = { tenants: 1, groups: 0 };
  const stack = await makeStack(server, name, size);
  try {
    await stack.apply();
    await stack.write({ ...size, groups });
    const create = await timed(async () => {
      counts.create.add(inWords(await stack.apply()));
    });
    await stack.write({ ...size, groups, edited });
    const change = await timed(async () => {
      counts.change.add(inWords(await stack.apply()));
    });
    return { create, change };
  } finally {
    await stack.remove();
  }
}

function inWords({ plan, calls, outcomes }: Applied): string {
  const counted: Counted = {
    all: 1 + plan.cost.readCalls + calls,
    writes: outcomes.length,
  };
  if (plan.cost.writeCalls !== counted.writes) throw new Error("the cost was not what was said");
  return `${counted.all} (${counted.writes})`;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
