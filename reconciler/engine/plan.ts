// (desired, live, inventory, what the server can do) -> Plan: pure and synchronous; everything is decided here.
import type { Capability } from "../../core/capability.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { invariant } from "../../core/errors.ts";
import type { Kind, ObservedObject } from "../../core/kind.ts";
import { changeFor, type ChangeDecision, unreadableFields } from "./changes.ts";
import { inventoryDigest } from "./digest.ts";
import { keyVariable } from "../operator/fingerprint-key.ts";
import type { Fingerprints } from "../../core/fingerprints.ts";
import { executionOrderOf, type ExecutionOrder } from "./key-conflicts.ts";
import { withCascadeDependencies } from "../manifest/implied-objects.ts";
import { layersOfKinds } from "./kind-layers.ts";
import { likelyRenames } from "./likely-renames.ts";
import { createMatcher, type Matcher, type ConflictingObject } from "./match.ts";
import type {
  Change,
  DesiredState,
  Inventory,
  LiveState,
  Plan,
  DesiredObject,
} from "../model/index.ts";
import { withProtection } from "./protection.ts";
import { createReplacementImpacts, type ReplacementImpacts } from "./replacement-impact.ts";
import { removals } from "./removals.ts";
import type { SecretSinkStates } from "./secret-sinks.ts";
import { resolveParentRenames } from "./parent-renames.ts";

/** Everything a plan is made from. */
export interface PlanInput {
  readonly desired: DesiredState;
  readonly live: LiveState;
  readonly inventory: Inventory;
  readonly fingerprints: Fingerprints;
  readonly kinds: readonly Kind[];
  /** What the server can do, for every kind that is wished for or owned. */
  readonly capabilities: ReadonlyMap<string, Capability>;
  /** Addresses of wishes whose live object belongs to another stack, with that stack's name. */
  readonly otherStacks: ReadonlyMap<string, string>;
  /** Which existing objects may be taken over. */
  readonly adopt: (address: string) => boolean;
  /** Which objects of ours are to be made anew, although nothing needs that; none where left out. */
  readonly forceReplace?: ((address: string) => boolean) | undefined;
  /** A stack that declares nothing may lose what it owns; kept where left out. */
  readonly allowEmpty?: boolean | undefined;
  /** The files for minted secrets, as they were found. */
  readonly sinks?: SecretSinkStates;
  /** Origin of the service. */
  readonly origin: string;
  /** When it is, for rules that expire. */
  readonly now: Date;
  /** Calls that observing took. */
  readonly readCalls: number;
  /** Calls that carrying out the changes will take. */
  readonly writeCalls: (changes: readonly Change[]) => number;
}

/** Compares the wish with the world. The plan is frozen and says everything that applying it will do. */
export function makePlan(input: PlanInput): Plan {
  const { desired, inventory } = input;
  const matcher = createMatcher({
    live: input.live,
    inventory,
    desiredObjects: desired.objects,
    identityOf: resolveParentRenames(inventory, byName(input.kinds), input.live),
  });
  const removed = planRemovals(input, matcher);
  const judged = planDesiredObjects(input, matcher, removed.changes);
  const guarded = withProtection([...judged.changes, ...removed.changes], {
    ...input,
    kinds: byName(input.kinds),
    stack: desired.stack,
  });
  const changes = withBlockers(inExecutionOrder(guarded.changes));
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
      ...guarded.diagnostics,
      ...likelyRenames(changes, byName(input.kinds), inventory.entries),
      ...fingerprintKeyWarnings(input),
      ...notVerifiableNotes(desired.objects),
    ],
    cost: { readCalls: input.readCalls, writeCalls: input.writeCalls(changes) },
  });
}

function planDesiredObjects(input: PlanInput, matcher: Matcher, removed: readonly Change[]) {
  const { desired } = input;
  const matchOf = (desiredObject: DesiredObject) => matcher.match(desiredObject);
  const desiredObjects = withCascadeDependencies(desired.objects, {
    kinds: byName(input.kinds),
    removed,
    matchOf,
  });
  const order = executionOrderOf(desiredObjects, matchOf);
  const layerOf = (desiredObject: DesiredObject) => order.layers.get(desiredObject.address) ?? 0;
  const first = new Set([
    ...order.waitsFor.values(),
    ...desiredObjects.flatMap(({ dependsOn: needs }) => needs),
  ]);
  const impacts = impactsOfDeletes(input, removed, first);
  const judged = new Map<string, ChangeDecision>();
  const isNew = Object.keys(input.inventory.entries).length === 0;
  for (const desiredObject of desiredObjects.toSorted(
    (one, other) => layerOf(one) - layerOf(other),
  )) {
    const match = matcher.match(desiredObject);
    const found = changeFor(desiredObject, {
      match,
      waitsFor: order.waitsFor.get(desiredObject.address),
      keyTaken:
        match.conflictingObject !== undefined &&
        !isKeyReleased(desiredObject, match.conflictingObject, { input, order }),
      impact: impacts.of(desiredObject, match),
      live: input.live.get(desiredObject.kind.name),
      capability: capabilityOf(input, desiredObject.kind),
      otherStack: input.otherStacks.get(desiredObject.address),
      isNew,
      adopt: desiredObject.rules?.adopt === true || input.adopt(desiredObject.address),
      fingerprints: input.fingerprints,
      layer: layerOf(desiredObject),
      forceReplace: input.forceReplace?.(desiredObject.address) ?? false,
      sink: input.sinks?.get(desiredObject.address),
      displayPath: desired.stack.displayPath,
      now: input.now,
    });
    if (found.change !== undefined) {
      impacts.addChange(desiredObject, found.change, order.waitsFor.has(desiredObject.address));
    }
    judged.set(desiredObject.address, found);
  }
  const inOrder = desired.objects.flatMap(
    (desiredObject) => judged.get(desiredObject.address) ?? [],
  );
  const changes = inOrder.flatMap(({ change }) => change ?? []);
  const diagnostics = inOrder.flatMap((one) => one.diagnostics);
  return { changes, diagnostics, unchanged: desired.objects.length - changes.length };
}

/** What goes by the deletes that are needed `first`. */
function impactsOfDeletes(
  { kinds }: PlanInput,
  removed: readonly Change[],
  first: ReadonlySet<string>,
): ReplacementImpacts {
  const impacts = createReplacementImpacts(byName(kinds));
  for (const change of removed) {
    if (change.action === "delete" && first.has(change.address)) impacts.addDelete(change);
  }
  return impacts;
}

/** True when the object that has the wished key is ours and will have given it up by then. */
function isKeyReleased(
  desiredObject: DesiredObject,
  { owner }: ConflictingObject,
  { input, order }: { input: PlanInput; order: ExecutionOrder },
): boolean {
  if (owner === undefined || order.circular.has(desiredObject.address)) return false;
  return input.desired.stack.policy.prune || order.layers.has(owner);
}

function byName(kinds: readonly Kind[]): ReadonlyMap<string, Kind> {
  return new Map(kinds.map((kind) => [kind.name, kind]));
}

function planRemovals(input: PlanInput, matcher: Matcher) {
  const { desired, inventory } = input;
  const declared = new Set(desired.objects.map((desiredObject) => desiredObject.address));
  const homes = newOwners(desired.objects, matcher);
  const kinds = byName(input.kinds);
  const leftovers = Object.entries(inventory.entries)
    .filter(([at]) => !declared.has(at))
    .map(([at, entry]) => {
      const observed = matcher.ownObservedObject(entry);
      return {
        address: at,
        entry,
        kind: kinds.get(entry.kind),
        observed,
        movedTo: homes(at, observed),
      };
    });
  const layers = layersOfKinds(input.kinds);
  return removals(leftovers, {
    prune: desired.stack.policy.prune,
    emptiesStack:
      desired.objects.length === 0 && desired.partial !== true && input.allowEmpty !== true,
    capability: (kind) => capabilityOf(input, kind),
    layerOf: (kind) => layers.get(kind.name) ?? 0,
    fingerprints: input.fingerprints,
  });
}

/** Finds who declares an entry's object now: who took the entry over, or, as after a crash in between, who has the object. */
function newOwners(desiredObjects: readonly DesiredObject[], matcher: Matcher) {
  const byEntry = new Map<string, string>();
  const bySight = new Map<ObservedObject, string>();
  for (const desiredObject of desiredObjects) {
    const { entry, entryAddress, observed } = matcher.match(desiredObject);
    if (entryAddress !== undefined) byEntry.set(entryAddress, desiredObject.address);
    if (entry !== undefined && observed !== undefined) bySight.set(observed, desiredObject.address);
  }
  return (at: string, observed: ObservedObject | undefined): string | undefined =>
    byEntry.get(at) ?? (observed && bySight.get(observed));
}

function capabilityOf({ capabilities }: PlanInput, kind: Kind): Capability {
  const capability = capabilities.get(kind.name);
  invariant(capability !== undefined, `no capability was worked out for ${kind.name}`);
  return capability;
}

/** Names on each change what it needs that cannot happen, through any number of steps: what is needed stands before it. */
function withBlockers(changes: readonly Change[]): Change[] {
  const stuck = new Set<string>();
  return changes.map((change) => {
    const by = change.dependsOn.filter((address) => stuck.has(address));
    const blockedBy = [...change.blockedBy, ...by];
    if (blockedBy.length > 0) stuck.add(change.address);
    return { ...change, blockedBy };
  });
}

/**
 * Creates and updates down the layers, then deletes up; within a layer as the documents stand. A delete whose key another
 * object is to have comes before everything.
 */
function inExecutionOrder(changes: readonly Change[]): Change[] {
  const needed = new Set(changes.flatMap(({ dependsOn: needs }) => needs));
  const rank = ({ desired, address, action, layer }: Change): number => {
    if (desired !== undefined) return layer;
    return action === "delete" && needed.has(address) ? -1 : 1e9 - layer;
  };
  return changes.toSorted((left, right) => rank(left) - rank(right));
}

/** Secrets whose fingerprints were made with another key, told once. */
function fingerprintKeyWarnings({ desired, inventory, fingerprints }: PlanInput): Diagnostic[] {
  const count = desired.objects.filter(({ address }) => {
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
function notVerifiableNotes(desiredObjects: readonly DesiredObject[]): Diagnostic[] {
  const counts = new Map<string, number>();
  for (const { kind, spec } of desiredObjects) {
    for (const name of unreadableFields(kind, spec)) {
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

/** Freezes a value with everything in it; answers it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
