// Measures applies near the server and 20 ms away: 1,000 creates of groups and of external users, and 10 changes among
// 10,000 groups. Compares them with one bare call for each object at the same concurrency.
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "../core/limits/limits.ts";
import type { ApplyResult, ProgressEvent } from "../reconciler/model/index.ts";
import { type BareClient, bareClient, type BareItem, inParallel, readAll } from "./bare-client.ts";
import { formatCalls, formatFactor, formatMs, printTable } from "./report.ts";
import { median, medianRatio, interleavedRounds, type Timings } from "./interleaved-rounds.ts";
import { groupFields, makeStack, userFields } from "./stack.ts";
import { startProxy } from "../test/support/fault-proxy.ts";
import { serve, type Served } from "./server.ts";

const created = 1000;
const all = 10_000;
const edited = 10;
const count = 3;
const remoteLatencyMs = 20;

/** Objects of an embed tenant that are created: their bare call, and the most writes that {@link created} may take. */
const objectTypes = {
  groups: { path: "groups", bodyOf: (at: number): object => groupFields(at), maxWrites: 20 },
  users: { path: "user", bodyOf: (at: number): object => userFields(at), maxWrites: 10 },
} as const;

type ObjectType = keyof typeof objectTypes;

/** Runs them on one server, which is reached directly or through one that lets every call wait. */
export async function applyBench(): Promise<void> {
  const server = await serve();
  try {
    const types = ["groups", "users"] as const;
    for (const type of types) await measureCreates(server, { type, awayMs: 0 });
    const proxy = await startProxy(server.url);
    try {
      const delay = (): Promise<"pass"> => sleep(remoteLatencyMs, "pass");
      proxy.armAnyCall(1, delay, Infinity);
      const far = { ...server, url: proxy.url };
      for (const type of types) await measureCreates(far, { type, awayMs: remoteLatencyMs });
    } finally {
      await proxy.close();
    }
    await measureChanges(server);
  } finally {
    await server.stop();
  }
  await measureLimits();
}

/** Fails where an apply of {@link all} groups waits for the default rate limits of a server. */
async function measureLimits(): Promise<void> {
  const server = await serve(undefined, { isLimited: true });
  try {
    const stack = await makeStack(server, "limits", { tenants: 1, groups: all });
    let waits = 0;
    const progress = ({ event }: ProgressEvent): void => void (waits += event === "wait" ? 1 : 0);
    const { calls } = await stack.apply({ progress });
    await stack.remove();
    if (waits > 0) throw new Error(`an apply of ${all} waited ${waits} times`);
    printTable(`Create ${all} groups at a server with its default rate limits`, [
      ["", "calls", "waits"],
      ["plan, apply and reading back", String(calls), "0"],
    ]);
  } finally {
    await server.stop();
  }
}

/** The objects to create, and the latency of each call to the server. */
interface CreateCase {
  readonly type: ObjectType;
  readonly awayMs: number;
}

/** Fresh tenants each round. */
async function measureCreates(server: Served, { type, awayMs }: CreateCase): Promise<void> {
  const bare = bareClient(server);
  const prefix = `away-${awayMs}-${type}`;
  const calls = await countCreates(server, type, `${prefix}-counted`);
  let turn = 0;
  try {
    const took = await interleavedRounds(count, {
      bare: async () => {
        const path = `${await tenantFor(bare, `${prefix}-bare-${++turn}`)}/${objectTypes[type].path}`;
        const bodies = Array.from({ length: created }, (_, at) => objectTypes[type].bodyOf(at));
        return timed(() =>
          inParallel(bodies, limits.concurrency, (body) =>
            bare.send({ method: "POST", path, body }),
          ),
        );
      },
      ours: async () => (await ourCreates(server, { type, name: `${prefix}-ours-${++turn}` })).ms,
    });
    const objects = type === "users" ? "embed users" : type;
    reportTimings(`Create ${created} ${objects} at ${awayMs} ms a call, ${count} rounds`, took, {
      bare: formatCalls(0, created),
      ours: calls,
    });
  } finally {
    await bare.close();
  }
}

/** Creates an embed tenant through a session and returns its path. */
async function tenantFor(bare: BareClient, tenant: string): Promise<string> {
  const seed = { deploymentId: 1, externalId: "seed", embedTenantName: tenant, creatorMode: true };
  await bare.send({ method: "POST", path: "/api/v1/embed/generate-session", body: seed });
  return `/api/v1/embed-tenants/${tenant}`;
}

/** Creates them through a proxy that counts, which is not timed. Fails where the plan's cost or the maximum was exceeded. */
async function countCreates(server: Served, type: ObjectType, name: string): Promise<string> {
  const proxy = await startProxy(server.url);
  try {
    const arm = (): void => proxy.arm();
    const { applied } = await ourCreates({ ...server, url: proxy.url }, { type, name }, arm);
    const writes = proxy.writes().length;
    if (writes > objectTypes[type].maxWrites)
      throw new Error(`${created} creates took ${writes} writes`);
    return callSummary(applied, { changes: created, writes });
  } finally {
    await proxy.close();
  }
}

async function ourCreates(
  server: Served,
  { type, name }: { readonly type: ObjectType; readonly name: string },
  beforeCreates: () => void = () => undefined,
): Promise<{ readonly ms: number; readonly applied: ApplyResult }> {
  const size = { tenants: 1, groups: 0 };
  const stack = await makeStack(server, name, size);
  try {
    await stack.apply();
    await stack.write({ ...size, [type]: created });
    beforeCreates();
    const from = performance.now();
    const applied = await stack.apply();
    return { ms: performance.now() - from, applied };
  } finally {
    await stack.remove();
  }
}

/** The floor reads all groups, and writes the desired groups of the other contestant. */
async function measureChanges(server: Served): Promise<void> {
  const size = { tenants: 1, groups: all };
  const stack = await makeStack(server, "changes", size);
  const bare = bareClient(server);
  const calls = new Set<string>();
  let turn = 0;
  try {
    await stack.apply();
    const path = `/api/v1/embed-tenants/${stack.tenantNames[0] ?? ""}/groups`;
    const took = await interleavedRounds(count, {
      bare: async () => {
        let found: readonly BareItem[] = [];
        const ms = await timed(async () => {
          found = (await readAll(bare, path)).slice(-edited);
          await setDescriptions(
            bare,
            path,
            found.map(({ id }) => ({ id, description: "Edited." })),
          );
        });
        // Otherwise the other side would report it as drift.
        await setDescriptions(bare, path, found);
        return ms;
      },
      ours: async () => {
        await stack.write({ ...size, edited: ++turn % 2 === 0 ? 0 : edited });
        const expected = { changes: edited, writes: edited };
        return timed(async () => void calls.add(callSummary(await stack.apply(), expected)));
      },
    });
    reportTimings(`Change ${edited} of ${all} groups, ${count} rounds`, took, {
      bare: formatCalls(all / limits.pageMax, edited),
      ours: [...calls].join(" or "),
    });
  } finally {
    await bare.close();
    await stack.remove();
  }
}

async function setDescriptions(
  bare: BareClient,
  path: string,
  items: readonly BareItem[],
): Promise<void> {
  await inParallel(items, limits.concurrency, ({ id, description }) =>
    bare.send({ method: "PATCH", path: `${path}/${id}`, body: { description } }),
  );
}

type Side = "bare" | "ours";

function reportTimings(
  title: string,
  took: Timings<Side>,
  calls: Readonly<Record<Side, string>>,
): void {
  const row = (side: Side): readonly string[] => [
    side === "bare" ? "one bare call for each" : "plan, apply and reading back",
    calls[side],
    formatMs(median(took[side])),
    formatFactor(medianRatio(took[side], took.bare)),
  ];
  printTable(title, [["", "calls", "median", "to bare"], row("bare"), row("ours")]);
}

/** Fails where there were more or fewer changes than expected, or where the plan's cost is not the number of writes. */
function callSummary(
  { plan, calls, outcomes }: ApplyResult,
  { changes, writes }: { readonly changes: number; readonly writes: number },
): string {
  if (plan.cost.writeCalls !== writes)
    throw new Error(`the plan estimated ${plan.cost.writeCalls} writes; there were ${writes}`);
  if (outcomes.length !== changes) throw new Error(`there were ${outcomes.length} changes`);
  return formatCalls(calls - writes, writes);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
