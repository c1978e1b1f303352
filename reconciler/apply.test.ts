// Tests what an apply checks before its first write, and that it always releases the lock. The service is not involved.
import { beforeEach, describe, expect, it } from "vitest";
import type { ApiDiscovery } from "../client/api-discovery.ts";
import type { Client } from "../client/types.ts";
import { Failure } from "../core/errors.ts";
import { fingerprintsWith } from "../core/spec/fingerprints.ts";
import type { JsonObject } from "../core/json.ts";
import type { Kind } from "../core/kind/kind.ts";
import { Secret } from "../core/secret.ts";
import {
  appliedEntry,
  desiredObject,
  inventoryWith,
  liveFrom,
  planFor,
  pruningStack,
  town,
} from "../test/support/plan-fixtures.ts";
import { sampleChange, samplePlan } from "../test/support/sample-plans.ts";
import type { InventoryLock, InventoryStore, JournalRecord } from "./inventory/store.ts";
import type { DesiredObject, Inventory, LiveState, Plan } from "./model/index.ts";
import { applyProposal, type Proposal, type RunOptions } from "./apply.ts";

const origin = "http://test";
const orphan = { lifecycle: { onRemoval: "orphan" } } as const;
const [at, ulm] = appliedEntry(town, "ulm", { spec: { name: "ulm" }, id: "1" });
/** A town that no plan changes. */
const kept = appliedEntry(town, "bonn", { spec: { name: "bonn" }, id: "2" });
const keptObject = desiredObject(town, "bonn", { spec: { name: "bonn" } });
const liveTowns = ["ulm", "bonn"].map((name, index) => ({
  kind: town,
  id: `${index + 1}`,
  spec: { name },
}));
/** The calls to the store and the lock. */
let log: string[];
let records: JournalRecord[];
/** The inventory that the store has now. */
let stored: Inventory;

beforeEach(() => {
  [log, records] = [[], []];
  stored = inventoryWith([[at, { ...ulm, ...orphan }], kept]);
});

function storeWith(more: Partial<InventoryLock> = {}): InventoryStore {
  const lock: InventoryLock = {
    info: { id: "1", purpose: "apply", holder: "test", acquiredAt: "", expiresAt: "" },
    inventory: stored,
    lost: new AbortController().signal,
    journal: async (added) => void records.push(...added),
    claim: async () => ({ owners: new Map() }),
    write: async (inventory) => {
      log.push("write");
      return { ...inventory, serial: inventory.serial + 1 };
    },
    release: async () => void log.push("release"),
    ...more,
  };
  return {
    location: "memory",
    read: async () => stored,
    ownersOf: async () => () => undefined,
    requireFree: async () => undefined,
    lock: async (purpose) => {
      log.push(`lock ${purpose}`);
      return lock;
    },
    unlock: async () => undefined,
    calls: () => 0,
    callsOfRun: () => 0,
    close: async () => undefined,
  };
}

/** The town, with these live objects. */
function townWith(specs: readonly JsonObject[]): Kind {
  const read = async () => specs.map((spec, index) => ({ id: `${index + 1}`, spec, status: {} }));
  const { bindings } = town;
  return { ...town, bindings: { ...bindings, observe: { ...bindings.observe, read } } };
}

const apiDiscovery: ApiDiscovery = {
  has: () => true,
  takesIdempotencyKey: () => false,
  takesQuery: () => true,
};

interface Run extends Partial<RunOptions> {
  readonly plan: Plan;
  readonly objects?: readonly DesiredObject[];
  readonly kinds?: readonly Kind[];
  readonly live?: LiveState;
  readonly store?: InventoryStore;
  readonly refusal?: Failure;
}

/** Applies a plan, with the author `ann` and the objects that it was made from. */
function applied({ plan, objects = [], kinds = [town], ...run }: Run) {
  // Only the parts that an apply without calls uses: any other use fails.
  const client = { origin, stats: { calls: 0 }, reader: {} } as Partial<Client> as Client;
  const { store = storeWith(), live = liveFrom(liveTowns), refusal } = run;
  const session: Proposal["session"] = {
    desired: { stack: pruningStack, objects, digest: "digest" },
    diagnostics: [],
    env: {},
    client,
    apiDiscovery,
    store,
    companionStore: async () => store,
    fingerprintKey: new Secret("key"),
    kinds,
    windowRuleSets: [],
    [Symbol.asyncDispose]: async () => undefined,
  };
  const made = { plan, shown: plan, refusal, inventory: stored, live, undoOf: undefined };
  const proposal = { session, ...made };
  return applyProposal(proposal, { author: { by: "ann" }, isCurrent: true, ...run });
}

/** Stops managing the town, which changes only the inventory. */
function forgetPlan(): Plan {
  const plan = planFor({
    desiredObjects: [keptObject],
    liveObjects: liveTowns,
    entries: [[at, { ...ulm, ...orphan }], kept],
  });
  expect(plan.changes.map(({ action }) => action)).toEqual(["forget"]);
  return { ...plan, basis: { ...plan.basis, origin } };
}

describe("before it acquires the lock, an apply", () => {
  it("refuses a plan that must not be applied", async () => {
    const refusal = new Failure("refused", "it has errors");
    await expect(applied({ plan: forgetPlan(), refusal })).rejects.toThrow(refusal);
    expect(log).toEqual([]);
  });

  it.each([
    ["no change", []],
    ["only objects that stay", [sampleChange("orphan", at)]],
  ])("is done with a plan of %s", async (_, changes) => {
    const plan = samplePlan(changes);
    expect(await applied({ plan })).toMatchObject({ outcomes: [], writeCalls: 0 });
    expect(log).toEqual([]);
  });
});

describe("under the lock, an apply writes nothing and releases the lock", () => {
  const refused = async (run: Run, message: RegExp) => {
    await expect(applied(run)).rejects.toMatchObject({
      code: "stale",
      message: expect.stringMatching(message),
    });
    expect([log, records]).toEqual([["lock apply", "release"], []]);
  };

  it("if another run wrote the inventory since", async () => {
    const plan = forgetPlan();
    stored = inventoryWith([[at, ulm]]);
    await refused({ plan }, /the inventory/u);
  });

  it("if a live object changed, was deleted or was created since", async () => {
    const object = desiredObject(town, "ulm", { spec: { name: "ulm", motto: "b" } });
    const planned = (motto?: string) => {
      const live =
        motto === undefined ? [] : [{ kind: town, id: "1", spec: { name: "ulm", motto } }];
      const plan = planFor({ desiredObjects: [object], liveObjects: live, entries: [[at, ulm]] });
      return { ...plan, basis: { ...plan.basis, origin } };
    };
    stored = inventoryWith([[at, ulm]]);
    for (const [plan, specs] of [
      [planned("a"), [{ name: "ulm", motto: "c" }]],
      [planned("a"), []],
      [planned(), [{ name: "ulm" }]],
    ] as const) {
      log = [];
      const run = { plan, objects: [object], kinds: [townWith(specs)], isCurrent: false };
      await refused(run, /Town\/ulm/u);
    }
  });

  it("if a secret of the manifests is another one than in the plan", async () => {
    const withCode = (code: string) => desiredObject(town, "ulm", { spec: { name: "ulm", code } });
    stored = inventoryWith([]);
    const plan = planFor({ desiredObjects: [withCode("one")] });
    expect(JSON.stringify(plan)).not.toContain('one"');
    const withOrigin = { ...plan, basis: { ...plan.basis, origin } };
    const run = { plan: withOrigin, live: liveFrom([]) };
    await refused({ ...run, objects: [withCode("two")] }, /Town\/ulm/u);
    log = [];
    await refused(run, /Town\/ulm/u);
    // The salt of the inventory and the key are part of the fingerprint.
    expect(fingerprintsWith("salt", new Secret("other")).of("one", true)).not.toBe(
      fingerprintsWith("salt", new Secret("key")).of("one", true),
    );
  });

  it("if another stack was faster to adopt one of the objects", async () => {
    const object = desiredObject(town, "ulm", { spec: { name: "ulm" } });
    const liveObjects = [{ kind: town, id: "1", spec: { name: "ulm" } }];
    stored = inventoryWith([]);
    const plan = planFor({ desiredObjects: [object], liveObjects, adopt: true });
    expect(plan.changes.map(({ action }) => action)).toEqual(["adopt"]);
    const store = storeWith({ claim: async () => ({ owners: new Map([[at, "other"]]) }) });
    const withOrigin = { ...plan, basis: { ...plan.basis, origin } };
    await refused({ plan: withOrigin, objects: [object], store }, /stack other/u);
  });
});

describe("an apply that changes only the inventory", () => {
  it("makes no call, and records the run with its author", async () => {
    let written: Inventory | undefined;
    const store = storeWith({
      write: async (inventory) => {
        written = inventory;
        return inventory;
      },
    });
    const author = { by: "ann", message: "why" };
    const result = await applied({ plan: forgetPlan(), store, author });
    expect(result).toMatchObject({
      outcomes: [{ address: at, action: "forget", result: "done" }],
      residual: [],
      unverified: undefined,
      unrecorded: undefined,
      calls: 0,
      writeCalls: 0,
    });
    expect(result).not.toHaveProperty("warnings");
    expect(Object.keys(written?.entries ?? {})).toEqual([kept[0]]);
    expect(written?.runs).toMatchObject([{ by: "ann", message: "why", counts: { forget: 1 } }]);
    expect(records.map(({ phase }) => phase)).toEqual(["run", "run-change", "done"]);
    expect(log).toEqual(["lock apply", "release"]);
  });

  it("returns its outcomes if the inventory or the release fails at the end", async () => {
    const fail = (message: string) => () => Promise.reject(new Failure("locked", message));
    const store = storeWith({ write: fail("the lock was lost"), release: fail("no answer") });
    const result = await applied({ plan: forgetPlan(), store });
    expect(result).toMatchObject({
      outcomes: [{ address: at, result: "done" }],
      unrecorded: { code: "locked", message: "the lock was lost" },
      warnings: [{ code: "lock-kept", severity: "warning", summary: "no answer" }],
    });
  });

  it("skips its changes once it is stopped or its lock is lost", async () => {
    const aborted = AbortSignal.abort();
    for (const more of [{ signal: aborted }, { store: storeWith({ lost: aborted }) }]) {
      const { outcomes } = await applied({ plan: forgetPlan(), ...more });
      expect(outcomes).toMatchObject([{ address: at, result: "skipped" }]);
    }
  });
});
