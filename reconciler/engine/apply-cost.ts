// Estimates the calls of an apply: it plans again, reads what it changes before and after it writes, and records the run.
import { parentsOf } from "../../core/kind/cascades.ts";
import { address as objectAt, scopeText } from "../../core/kind/identity.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { estimate } from "../../lifecycle/estimate.ts";
import { countingReader } from "../../lifecycle/counting-reader.ts";
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import type { CachedReader } from "../../lifecycle/reader.ts";
import type { InventoryStore, RunRecords } from "../inventory/store.ts";
import type { Change, DesiredState, Inventory, LiveState, Plan, PlanCost } from "../model/index.ts";
import { batchesOf, tasksOf } from "./execute.ts";
import { isAdoption } from "./inventory-updater.ts";
import { deepFreeze } from "./make-plan.ts";
import { observeChanges } from "./stale-plan.ts";

interface PlannedRun {
  readonly plan: Plan;
  readonly inventory: Inventory;
  readonly live: LiveState;
  /** Contains what the plan read. */
  readonly reader: CachedReader;
}

interface RunContext {
  readonly kinds: readonly Kind[];
  readonly apiDiscovery: ApiDiscovery;
  readonly desired: DesiredState;
  readonly store: Pick<InventoryStore, "callsOfRun">;
}

/** Returns the plan with the cost of an apply. Makes no call, because the plan has read what it looks up. */
export async function withApplyCost(run: PlannedRun, context: RunContext): Promise<Plan> {
  const { plan, live, reader, inventory } = run;
  const { kinds, apiDiscovery, desired, store } = context;
  const changes = plan.changes.filter(
    ({ action, blockedBy }) => action !== "orphan" && blockedBy.length === 0,
  );
  if (changes.length === 0) return plan;
  const { readCalls, writeCalls } = estimate(apiDiscovery, tasksOf(changes, kinds, live));
  const counting = countingReader(reader);
  const signal = new AbortController().signal;
  await observeChanges(changes, { kinds: kindsByName(kinds), reader: counting.reader, signal });
  const rereads = 2 * counting.calls() + newCollections(changes, kinds);
  const recorded = store.callsOfRun(recordsOf(changes, inventory));
  const applyCalls = plan.cost.readCalls + readCalls + writeCalls + rereads + recorded;
  const cost = { readCalls: plan.cost.readCalls, writeCalls, applyCalls };
  return deepFreeze({ ...plan, cost: withSeconds(cost, desired) });
}

function withSeconds(cost: PlanCost, { stack }: DesiredState): PlanCost {
  const { requestsPerSecond: rate } = stack.policy;
  const { applyCalls, writeCalls } = cost;
  if (rate === undefined || applyCalls === undefined || writeCalls === 0) return cost;
  return { ...cost, seconds: Math.ceil(applyCalls / rate) };
}

/** Counts the collections that exist only after the run, in objects that it creates. */
function newCollections(changes: readonly Change[], kinds: readonly Kind[]): number {
  const byName = kindsByName(kinds);
  const creates = changes.filter(({ action }) => action === "create" || action === "replace");
  const created = new Set(creates.map(({ kind, key }) => objectAt(kind, key)));
  const scopes = creates.flatMap(({ kind: name, scope }) => {
    const kind = byName.get(name);
    const parents = kind === undefined ? [] : parentsOf(kind, scope, byName);
    const isNew = parents.some(({ parentAddress }) => created.has(parentAddress));
    return isNew ? [`${name} ${scopeText(scope)}`] : [];
  });
  return new Set(scopes).size;
}

/** Characters of a record besides the values of the object, about. */
const recordCharacters = 300;

function recordsOf(changes: readonly Change[], { entries }: Inventory): RunRecords {
  const creates = changes.filter(({ action }) => action === "create" || action === "replace");
  const lengthOf = ({ desired = {} }: Change) => JSON.stringify(desired).length + recordCharacters;
  const lengths = (some: readonly Change[]) =>
    some.reduce((sum, change) => sum + lengthOf(change), 0);
  return {
    records: changes.length,
    // Each change in the record of the run and its result; a create also before its call.
    characters: 2 * lengths(changes) + lengths(creates),
    // Before each batch of creates, and at the end.
    waits: batchesOf(creates).length + 1,
    claims: changes.some((change) => isAdoption(change, entries)),
  };
}
