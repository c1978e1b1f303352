// (desired, live, inventory, what the server can do) -> Plan: pure and synchronous; everything is decided here.
import type { Capability } from "../core/capability.ts";
import type { Diagnostic } from "../core/diagnostics.ts";
import { invariant } from "../core/errors.ts";
import type { Kind } from "../core/kind.ts";
import { changeFor, unreadable } from "./changes.ts";
import { inventoryDigest } from "./digest.ts";
import { keyVariable } from "./fingerprint-key.ts";
import type { Fingerprints } from "./fingerprints.ts";
import { layersOfKinds, layersOfWishes } from "./layers.ts";
import { createMatcher, type Matcher } from "./match.ts";
import type { Change, Desired, Inventory, Live, Plan, Wish } from "./model.ts";
import { removals } from "./removals.ts";

/** Everything a plan is made from. */
export interface PlanInput {
  readonly desired: Desired;
  readonly live: Live;
  readonly inventory: Inventory;
  readonly fingerprints: Fingerprints;
  readonly kinds: readonly Kind[];
  /** What the server can do, for every kind that is wished for or owned. */
  readonly capabilities: ReadonlyMap<string, Capability>;
  /** Addresses of wishes whose live object belongs to another stack, with that stack's name. */
  readonly otherStacks: ReadonlyMap<string, string>;
  /** Which existing objects may be taken over. */
  readonly adopt: (address: string) => boolean;
  /** Origin of the service. */
  readonly origin: string;
  /** Calls that observing took. */
  readonly readCalls: number;
  /** Calls that carrying out the changes will take. */
  readonly writeCalls: (changes: readonly Change[]) => number;
}

/** Compares the wish with the world. The plan is frozen and says everything that applying it will do. */
export function makePlan(input: PlanInput): Plan {
  const { desired, inventory } = input;
  const matcher = createMatcher(input.live, inventory, desired.wishes);
  const judged = judgeWishes(input, matcher);
  const removed = judgeLeftovers(input, matcher);
  const changes = ordered(blocked([...judged.changes, ...removed.changes]));
  return deepFreeze({
    format: 1,
    basis: {
      stack: desired.stack.name,
      origin: input.origin,
      desired: desired.digest,
      inventory: inventoryDigest(inventory),
    },
    changes,
    unchanged: judged.unchanged,
    diagnostics: [
      ...judged.diagnostics,
      ...removed.diagnostics,
      ...otherKey(input),
      ...unverifiable(desired.wishes),
    ],
    cost: { readCalls: input.readCalls, writeCalls: input.writeCalls(changes) },
  });
}

function judgeWishes(input: PlanInput, matcher: Matcher) {
  const layers = layersOfWishes(input.desired.wishes);
  const changes: Change[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const wish of input.desired.wishes) {
    const judged = changeFor(wish, {
      match: matcher.match(wish),
      live: input.live.get(wish.kind.name),
      capability: capabilityOf(input, wish.kind),
      otherStack: input.otherStacks.get(wish.address),
      adopt: input.adopt(wish.address),
      fingerprints: input.fingerprints,
      layer: layers.get(wish.address) ?? 0,
    });
    if (judged.change !== undefined) changes.push(judged.change);
    diagnostics.push(...judged.diagnostics);
  }
  return { changes, diagnostics, unchanged: input.desired.wishes.length - changes.length };
}

function judgeLeftovers(input: PlanInput, matcher: Matcher) {
  const { desired, inventory } = input;
  const declared = new Set(desired.wishes.map((wish) => wish.address));
  const claimed = new Set(
    desired.wishes.map((wish) => matcher.match(wish).entryAddress).filter((at) => at !== undefined),
  );
  const kinds = new Map(input.kinds.map((kind) => [kind.name, kind]));
  const leftovers = Object.entries(inventory.entries)
    .filter(([at]) => !declared.has(at))
    .map(([at, entry]) => ({
      address: at,
      entry,
      kind: kinds.get(entry.kind),
      sight: matcher.sightOf(entry),
      moved: claimed.has(at),
    }));
  const layers = layersOfKinds(input.kinds);
  return removals(leftovers, {
    prune: desired.stack.policy.prune,
    empty: desired.wishes.length === 0,
    capability: (kind) => capabilityOf(input, kind),
    layerOf: (kind) => layers.get(kind.name) ?? 0,
    fingerprints: input.fingerprints,
  });
}

function capabilityOf({ capabilities }: PlanInput, kind: Kind): Capability {
  const capability = capabilities.get(kind.name);
  invariant(capability !== undefined, `no capability was worked out for ${kind.name}`);
  return capability;
}

/** Names on each change what it needs that cannot happen, through any number of steps. */
function blocked(changes: readonly Change[]): Change[] {
  const stuck = new Set(
    changes.filter(({ blockedBy }) => blockedBy.length > 0).map(({ address }) => address),
  );
  const byLayer = changes.toSorted((left, right) => left.layer - right.layer);
  const result = new Map<string, Change>();
  for (const change of byLayer) {
    const by = change.needs.filter((address) => stuck.has(address));
    if (by.length > 0) stuck.add(change.address);
    result.set(change.address, { ...change, blockedBy: [...change.blockedBy, ...by] });
  }
  return changes.map((change) => result.get(change.address) ?? change);
}

/** Creates and updates down the layers, then deletes up; within a layer as the documents stand. */
function ordered(changes: readonly Change[]): Change[] {
  const rank = (change: Change) =>
    change.desired === undefined ? 1e9 - change.layer : change.layer;
  return changes.toSorted((left, right) => rank(left) - rank(right));
}

/** Secrets whose fingerprints were made with another key, told once. */
function otherKey({ desired, inventory, fingerprints }: PlanInput): Diagnostic[] {
  const count = desired.wishes.filter(({ address }) => {
    const marks = inventory.entries[address]?.fingerprints ?? {};
    return Object.keys(fingerprints.comparable(marks)).length < Object.keys(marks).length;
  }).length;
  if (count === 0) return [];
  return [
    {
      code: "fingerprint-key",
      severity: "warning",
      summary: `the secrets of ${count} ${count === 1 ? "object" : "objects"} were applied under a fingerprint key that is not here, so whether they changed is unknown; those that cannot be read back are written again`,
      remedy: `give ${keyVariable} the key that was used then`,
    },
  ];
}

/** What no plan can tell, summed up a kind and field. */
function unverifiable(wishes: readonly Wish[]): Diagnostic[] {
  const counts = new Map<string, number>();
  for (const { kind, spec } of wishes) {
    for (const name of unreadable(kind, spec)) {
      const field = `${kind.name}.${name}`;
      counts.set(field, (counts.get(field) ?? 0) + 1);
    }
  }
  return [...counts].map(([field, count]) => ({
    code: "not-verifiable",
    severity: "info",
    summary: `${field} of ${count} ${count === 1 ? "object" : "objects"} cannot be read back: changes made elsewhere stay unseen`,
  }));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
