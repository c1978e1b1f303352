// Makes a plan from desired state, live state, inventory and capabilities. Pure and synchronous; apply decides nothing.
import type { Capability } from "../../core/kind/capability.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { compare } from "../../core/spec/diff.ts";
import { invariant } from "../../core/errors.ts";
import { type Kind, type ObservedObject, kindsByName } from "../../core/kind/kind.ts";
import { blocked } from "./block-reasons.ts";
import { changeFor, type ChangeDecision, type PlanContext } from "./decide-change.ts";
import { notVerifiableNotes } from "./unreadable-fields.ts";
import { inventoryDigest } from "./digest.ts";
import { keyVariable } from "../operator/fingerprint-key.ts";
import { type Fingerprints, recordedFingerprints } from "../../core/spec/fingerprints.ts";
import { recordedSpecOf } from "../../core/spec/record.ts";
import { declaredOrderOf, type DeclaredOrder, inExecutionOrder } from "./execution-order.ts";
import { withCascadeDependencies } from "./cascade-dependencies.ts";
import { planFormat } from "../model/change.ts";
import { ambiguousRenameNotes, keyTakenError, moveError } from "./plan-diagnostics.ts";
import { followRenames } from "./renamed-references.ts";
import { createMatcher, type Match, type Matcher } from "./match-objects.ts";
import type {
  Change,
  DesiredState,
  Entry,
  Inventory,
  LiveState,
  Plan,
  PlannedField,
  DesiredObject,
} from "../model/index.ts";
import { withProtection } from "./protection.ts";
import { createReplacementImpacts, type ReplacementImpacts } from "./replacement-impact.ts";
import { removalLayers } from "./removal-layers.ts";
import { removals, type UndeclaredEntry } from "./removals.ts";
import { removedAddresses, unusedRemovals } from "../manifest/removed.ts";
import { listedEntryConflicts } from "../manifest/shared-fields.ts";
import { deletedSinks, withSinkDependencies } from "./generated-secret.ts";
import type { SecretSinkStates } from "./secret-sinks.ts";
import { targetedChanges, withoutDrift } from "./targets.ts";
import {
  listEntries,
  objectsByAddress,
  ownedAddresses,
  withMovedEntries,
} from "../model/stack-index.ts";
import { resolveParentRenames } from "../model/parent-renames.ts";

/** Input to {@link makePlan}. */
export interface PlanInput {
  readonly desired: DesiredState;
  readonly live: LiveState;
  readonly inventory: Inventory;
  readonly fingerprints: Fingerprints;
  readonly kinds: readonly Kind[];
  /** The capabilities of the server for every declared or owned kind. */
  readonly capabilities: ReadonlyMap<string, Capability>;
  /** The other stacks that own live objects, by address; also where the object of an entry was handed over. */
  readonly otherStacks: ReadonlyMap<string, string>;
  /** Whether the existing object of an address may be adopted. */
  readonly adopt: (address: string) => boolean;
  /** Whether the user forces a replacement; never if left out. */
  readonly forceReplace?: ((address: string) => boolean) | undefined;
  /** Addresses that the plan is limited to, with everything that they depend on; no limit if left out. */
  readonly targets?: readonly string[] | undefined;
  /** Leaves out what only undoes live edits, unless another change needs it; false if left out. */
  readonly leavesDrift?: boolean | undefined;
  /** Allows an empty stack to delete or forget all objects that it owns; false if left out. */
  readonly allowEmpty?: boolean | undefined;
  /** State of the files for generated secrets. */
  readonly sinks?: SecretSinkStates;
  /** Origin of the service. */
  readonly origin: string;
  /** The current time; decides which rules have expired. */
  readonly now: Date;
}

/** Compares desired and live state. The plan, without its cost, contains everything that apply does. */
export function makePlan(input: PlanInput): Omit<Plan, "cost"> {
  const { desired, inventory, targets } = input;
  const owned = ownedAddresses(inventory.entries);
  const selection = { targets, desiredObjects: desired.objects, ownedAddresses: owned };
  const matcher = createMatcher({
    live: input.live,
    inventory,
    desiredObjects: desired.objects,
    identityOf: resolveParentRenames(inventory, kindsByName(input.kinds), input),
    isUndo: desired.undoScope !== undefined,
  });
  const movedInventory = withMovedEntries(inventory, matcher.formerAddresses);
  const removed = planRemovals(input, matcher);
  const judged = planDesiredObjects(input, matcher, {
    removed: removed.changes,
    entries: movedInventory.entries,
  });
  const guarded = withProtection([...judged.changes, ...removed.changes], {
    ...input,
    inventory: movedInventory,
    kinds: kindsByName(input.kinds),
  });
  const ordered = inExecutionOrder(guarded.changes);
  const wanted = input.leavesDrift === true ? withoutDrift(ordered) : ordered;
  const targeted = targetedChanges(wanted, selection);
  const changes = withBlockers(targeted.changes);
  const selected =
    targets === undefined
      ? desired.objects
      : desired.objects.filter(({ address }) => targeted.isSelected(address));
  const diagnosed = [
    ...judged.diagnostics,
    ...removed.diagnostics,
    ...guarded.diagnostics,
    ...ambiguousRenameNotes(desired, matcher),
  ].filter(({ address }) => address === undefined || targeted.isSelected(address));
  return {
    format: planFormat,
    basis: {
      stack: desired.stack.name,
      origin: input.origin,
      desired: desired.digest,
      inventory: inventoryDigest(inventory),
    },
    changes,
    unchanged: unchangedCount(selected, changes),
    diagnostics: [
      ...diagnosed,
      ...targeted.diagnostics,
      ...keptNotes(desired),
      ...unusedRemovals(desired, { owned, changes }),
      ...fingerprintKeyWarnings({ ...input, inventory: movedInventory }, selected),
      ...notVerifiableNotes(selected),
    ],
    ...(targets !== undefined && { targets }),
  };
}

/** Reports the objects that the plan does not delete, because they changed since. */
function keptNotes({ keptFromDelete = new Set() }: DesiredState): Diagnostic[] {
  return [...keptFromDelete].map((address) => ({
    code: "ignored-difference",
    severity: "info",
    address,
    summary: `${address} is not deleted, because it or an object in it was changed since: --on-conflict keep`,
  }));
}

/** `removed`: the changes of objects that are no longer declared; `entries` at their new addresses. */
function planDesiredObjects(
  input: PlanInput,
  matcher: Matcher,
  { removed, entries }: Pick<Inventory, "entries"> & { readonly removed: readonly Change[] },
) {
  const { desired } = input;
  const matchOf = (desiredObject: DesiredObject) => matcher.match(desiredObject);
  const sinks = deletedSinks(removed, entries);
  const desiredObjects = withSinkDependencies(
    withCascadeDependencies(desired.objects, { kinds: kindsByName(input.kinds), removed, matchOf }),
    sinks,
    matchOf,
  );
  const order = declaredOrderOf(desiredObjects, matchOf);
  const layerOf = (desiredObject: DesiredObject) => order.layers.get(desiredObject.address) ?? 0;
  const impacts = impactsOfDeletes(input, removed, { order, desiredObjects });
  const decisions = new Map<string, ChangeDecision>();
  const { entries: owned } = input.inventory;
  const { name: stackName, displayPath } = desired.stack;
  const { fingerprints, now, leavesDrift = false } = input;
  const plan: PlanContext = {
    withNewNames: followRenames(desiredObjects, matchOf),
    fingerprints,
    isNew: listEntries(owned).length === 0,
    displayPath,
    stackName,
    now,
    leavesDrift,
  };
  const passedOn = new Set(matcher.formerAddresses.values());
  for (const desiredObject of desiredObjects.toSorted(
    (left, right) => layerOf(left) - layerOf(right),
  )) {
    const { address, kind, rules, secretTo = "" } = desiredObject;
    const match = matcher.match(desiredObject);
    const { entry, observed, conflictingObject } = match;
    const isKeyTaken =
      conflictingObject !== undefined &&
      !isKeyReleased(desiredObject, conflictingObject, { input, order });
    const decision = changeFor(desiredObject, {
      match,
      obstacle:
        moveError(desiredObject, match, { entries: owned, passedOn }) ??
        (isKeyTaken ? keyTakenError(desiredObject, conflictingObject.owner) : undefined),
      order: {
        layer: layerOf(desiredObject),
        waitsFor: order.waitsFor.get(address),
        impact: impacts.of(desiredObject, match),
      },
      server: {
        live: input.live.get(kind.name),
        capability: capabilityOf(input, kind),
        otherStack: input.otherStacks.get(match.formerAddress ?? address),
      },
      request: {
        adopt: rules?.adopt === true || input.adopt(address),
        forceReplace: input.forceReplace?.(address) ?? false,
      },
      secret: {
        entry,
        observed,
        sink: input.sinks?.get(address),
        deletedEntry: sinks.get(secretTo)?.entry,
        fingerprints,
        displayPath,
      },
      plan,
    });
    const { change, diagnostics } = decision;
    if (change !== undefined) impacts.addChange(desiredObject, change, order.waitsFor.has(address));
    if (change !== undefined || diagnostics.length > 0) decisions.set(address, decision);
  }
  const inOrder = desired.objects.flatMap(({ address }) => decisions.get(address) ?? []);
  return {
    changes: inOrder.flatMap(({ change }) => change ?? []),
    diagnostics: inOrder.flatMap((decision) => decision.diagnostics),
  };
}

function unchangedCount(selected: readonly DesiredObject[], changes: readonly Change[]): number {
  const changed = new Set(changes.map(({ address }) => address));
  return selected.filter(({ address }) => !changed.has(address)).length;
}

/** Collects the impact of those deletes that other changes depend on. */
function impactsOfDeletes(
  { kinds }: PlanInput,
  removed: readonly Change[],
  { order, desiredObjects }: { order: DeclaredOrder; desiredObjects: readonly DesiredObject[] },
): ReplacementImpacts {
  const impacts = createReplacementImpacts(kindsByName(kinds));
  const needed = desiredObjects.flatMap(({ dependsOn: needs }) => needs);
  const first = new Set([...order.waitsFor.values(), ...needed]);
  for (const change of removed) {
    if (change.action === "delete" && first.has(change.address)) impacts.addDelete(change);
  }
  return impacts;
}

/** True if this stack owns the object with the desired key and releases it in time. */
function isKeyReleased(
  desiredObject: DesiredObject,
  { owner }: NonNullable<Match["conflictingObject"]>,
  { input, order }: { input: PlanInput; order: DeclaredOrder },
): boolean {
  if (owner === undefined || order.circular.has(desiredObject.address)) return false;
  const { undoScope, keptFromDelete } = input.desired;
  if (keptFromDelete?.has(owner) === true || undoScope?.has(owner) === false) return false;
  return input.desired.stack.policy.prune || order.layers.has(owner);
}

/** Plans the entries that no document declares. */
function planRemovals(input: PlanInput, matcher: Matcher) {
  const { desired, inventory } = input;
  const declared = objectsByAddress(desired.objects);
  const kinds = kindsByName(input.kinds);
  const released = removedAddresses(desired);
  const newAddresses = new Map(
    [...matcher.formerAddresses].map(([address, former]) => [former, address]),
  );
  const undeclared = listEntries(inventory.entries)
    .filter(([address]) => !declared.has(address) && desired.keptFromDelete?.has(address) !== true)
    .filter(([address]) => desired.undoScope?.has(address) !== false);
  const declaringAddresses = newOwners(undeclared.length === 0 ? [] : desired.objects, matcher);
  const lists = listsOfEntries(undeclared, desired.objects, kinds);
  const leftovers = undeclared.map(([address, entry]) => {
    const observed = matcher.ownObservedObject(entry);
    const kind = kinds.get(entry.kind);
    return {
      address,
      entry,
      kind,
      observed,
      isChangedAfterRun: desired.changedAfterRun?.has(address) === true,
      edits: liveEdits({ entry, kind, observed }, input.fingerprints),
      movedTo:
        newAddresses.get(address) ??
        (observed && declaringAddresses.get(observed)) ??
        lists.get(address),
      // A protected object stays managed until its protection is lifted.
      isReleased:
        input.otherStacks.has(address) ||
        (released.has(address) && entry.lifecycle?.protect !== true),
    };
  });
  const layers = removalLayers(leftovers, kinds);
  return removals(leftovers, {
    prune: desired.stack.policy.prune,
    emptiesStack:
      desired.objects.length === 0 && desired.undoScope === undefined && input.allowEmpty !== true,
    capability: (kind) => capabilityOf(input, kind),
    layerOf: (objectAddress) => layers.get(objectAddress) ?? 0,
    fingerprints: input.fingerprints,
  });
}

/**
 * Returns the fields of a live object that differ from its last-applied state, as fields that a delete removes. A renamed
 * parent is no edit of what is in it.
 */
function liveEdits(
  { entry, kind, observed }: Pick<UndeclaredEntry, "entry" | "kind" | "observed">,
  fingerprints: Fingerprints,
): PlannedField[] {
  if (kind === undefined || observed === undefined || entry.pending) return [];
  const comparison = recordedFingerprints(fingerprints, entry.fingerprints);
  const live = recordedSpecOf(kind, observed.spec, fingerprints.of).fingerprints;
  /** True for what only fingerprints record, where the live object has the same ones or cannot be read. */
  const isAsRecorded = (path: string): boolean => {
    const recorded = Object.entries(entry.fingerprints).filter(
      ([name]) => `/${name}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`/${name}/`),
    );
    const isSame = ([name, value]: (typeof recorded)[number]): boolean =>
      live[name] === undefined || live[name] === value;
    return recorded.length > 0 && recorded.every(isSame);
  };
  return compare(kind, entry.lastApplied, observed.spec, comparison)
    .filter(({ field, path }) => !kind.scope.includes(field) && !isAsRecorded(path))
    .map(({ after: base, ...change }) => ({
      ...change,
      after: undefined,
      direction: "conflict",
      ...(base !== undefined && { base }),
    }));
}

/** Returns the addresses of the desired objects whose lists contain undeclared ones: deleting one would change the list. */
function listsOfEntries(
  undeclared: readonly (readonly [string, Entry])[],
  desiredObjects: readonly DesiredObject[],
  kinds: ReadonlyMap<string, Kind>,
): ReadonlyMap<string, string> {
  const entries = undeclared.flatMap(([address, { kind: name, lastApplied }]) => {
    const kind = kinds.get(name);
    return kind?.entryOf === undefined ? [] : [{ kind, address, spec: lastApplied }];
  });
  if (entries.length === 0) return new Map();
  const conflicts = listedEntryConflicts([...entries, ...desiredObjects]);
  return new Map(conflicts.map(({ object, other }) => [object.address, other.address]));
}

/** Returns the addresses that declare the live objects of entries, also of those that a crash recorded twice. */
function newOwners(
  desiredObjects: readonly DesiredObject[],
  matcher: Matcher,
): ReadonlyMap<ObservedObject, string> {
  const byObserved = new Map<ObservedObject, string>();
  for (const desiredObject of desiredObjects) {
    const { entry, observed } = matcher.match(desiredObject);
    if (entry !== undefined && observed !== undefined)
      byObserved.set(observed, desiredObject.address);
  }
  return byObserved;
}

function capabilityOf({ capabilities }: PlanInput, kind: Kind): Capability {
  const capability = capabilities.get(kind.name);
  invariant(capability !== undefined, `no capability was determined for ${kind.name}`);
  return capability;
}

/** Marks each change whose dependencies are blocked. Dependencies come first in `changes`. */
function withBlockers(changes: readonly Change[]): Change[] {
  const stuck = new Set<string>();
  return changes.map((change) => {
    const by = change.dependsOn.filter((address) => stuck.has(address));
    const marked = blocked(
      change,
      by.map((address) => ({ code: "dependency", address })),
    );
    if (marked.blockedBy.length > 0) stuck.add(change.address);
    return marked;
  });
}

/** Warns once about secrets whose fingerprints were made with another key. */
function fingerprintKeyWarnings(
  { inventory, fingerprints }: PlanInput,
  desiredObjects: readonly DesiredObject[],
): Diagnostic[] {
  const count = desiredObjects.filter(({ address }) => {
    const marks = inventory.entries[address]?.fingerprints ?? {};
    return Object.keys(fingerprints.comparable(marks)).length < Object.keys(marks).length;
  }).length;
  if (count === 0) return [];
  return [
    {
      code: "fingerprint-key",
      severity: "warning",
      summary: `the secrets of ${count} ${count === 1 ? "object" : "objects"} were applied with a fingerprint key that is missing here, so it is unknown whether they changed; those that cannot be read back are written again`,
      remedy: `Set ${keyVariable} to the key that was used then.`,
    },
  ];
}

/** Freezes a value deeply and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
