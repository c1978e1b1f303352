// A plan with nothing to do over 10,000 groups, against the bare reading of the same pages.
import { createClient } from "../client/client.ts";
import { passingKey } from "../reconciler/caller/fingerprint-key.ts";
import { openStores } from "../reconciler/inventory/open.ts";
import { loadStack } from "../reconciler/manifest/load.ts";
import type { Desired } from "../reconciler/model.ts";
import { planSession, type Session } from "../reconciler/session.ts";
import { bareClient, readAll } from "./http.ts";
import { report, time, times } from "./report.ts";
import { median, ratio, rounds } from "./rounds.ts";
import { type BenchStack, good, makeStack } from "./stack.ts";
import { serve, type Served } from "./server.ts";

const groups = 10_000;
const count = 7;

/** Runs it for one tenant, and spread over ten. */
export async function planBench(): Promise<void> {
  const server = await serve();
  try {
    for (const tenants of [1, 10]) await measure(server, tenants);
  } finally {
    await server.stop();
  }
}

async function measure(server: Served, tenants: number): Promise<void> {
  const stack = await makeStack(server, `plan-of-${tenants}`, { tenants, groups });
  await stack.apply();
  const desired = await loaded(stack);
  const session = sessionFor(server, desired, stack);
  const bare = bareClient(server);
  try {
    const known = await session;
    const before = bare.calls();
    await readGroups(bare, stack);
    const floorCalls = bare.calls() - before;
    let planCalls = 0;
    const took = await rounds(count, {
      bare: () => readGroups(bare, stack),
      load: async () => void (await loaded(stack)),
      warm: async () => {
        const callsBefore = known.client.stats.calls;
        await plannedWith(known, stack);
        planCalls = known.client.stats.calls - callsBefore;
      },
      whole: async () => mustBeEmpty(await stack.plan()),
    });
    const row = (name: string, of: readonly number[], calls: string): readonly string[] => [
      name,
      calls,
      time(median(of)),
      times(ratio(of, took.bare)),
    ];
    report(`No-op plan of ${groups} groups in ${tenants} embed tenant(s), ${count} rounds`, [
      ["", "calls", "median", "to bare"],
      row("bare undici reading of the groups' pages", took.bare, String(floorCalls)),
      row("plan without loading manifests", took.warm, String(planCalls)),
      row("loading manifests", took.load, "0"),
      row("plan, from files to result", took.whole, `${planCalls} + 1 for the description`),
    ]);
  } finally {
    await bare.close();
    await (await session).client.close();
    await stack.remove();
  }
}

async function readGroups(
  bare: ReturnType<typeof bareClient>,
  { tenantNames }: BenchStack,
): Promise<void> {
  const lists = await Promise.all(
    tenantNames.map((name) => readAll(bare, `/api/v1/embed-tenants/${name}/groups`)),
  );
  const found = lists.reduce((sum, list) => sum + list.length, 0);
  if (found !== groups) throw new Error(`${found} groups were read`);
}

async function loaded({ options }: BenchStack): Promise<Desired> {
  const { desired, diagnostics } = await loadStack(options);
  if (desired === undefined) throw new Error(JSON.stringify(diagnostics[0]));
  return desired;
}

async function sessionFor(
  { url }: Served,
  desired: Desired,
  { options }: BenchStack,
): Promise<Session> {
  const { connection, kinds } = options;
  const client = createClient({ ...connection, url });
  const { own, beside } = openStores(desired.stack, { env: {} });
  const [store, offer] = [await own(), await client.offered()];
  return { desired, client, offer, store, beside, fingerprintKey: passingKey(), kinds, sets: [] };
}

async function plannedWith(session: Session, { options }: BenchStack): Promise<void> {
  mustBeEmpty(good(await planSession(session, { ...options, diagnostics: [] })).plan);
}

function mustBeEmpty({ changes }: { readonly changes: readonly unknown[] }): void {
  if (changes.length > 0) throw new Error(`the plan has ${changes.length} changes`);
}
