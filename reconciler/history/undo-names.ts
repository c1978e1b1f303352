// Finds the names that objects get by an undo, and the steps that cannot be made: another object has the name now, or a
// restored value would refer to another object.
import type { JsonObject } from "../../core/json.ts";
import { address as objectAt, keyOf, parseKey } from "../../core/kind/identity.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import type { Entry, Inventory, RunChange } from "../model/index.ts";
import { listEntries } from "../model/stack-index.ts";
import { type ObjectIdentity, resolveParentRenames } from "../model/parent-renames.ts";

/** How an undo changes one object. */
export interface UndoStep {
  readonly change: RunChange;
  readonly kind: Kind;
  /** The address of the object now. */
  readonly address: string;
  /** Undefined for an object to create again. */
  readonly entry: Entry | undefined;
  /** The fields to restore, and all fields of an object to create again. Undefined for an object to delete. */
  readonly restored: JsonObject | undefined;
}

/** The names after an undo. */
export interface NamesAfterUndo {
  /** Addresses by kind and natural key. */
  readonly names: ReadonlyMap<string, string>;
  /** Returns the restored fields of a step, with all fields of the key as they are then. */
  readonly fieldsOf: (step: UndoStep) => JsonObject;
  /** Why steps cannot be made. */
  readonly blockedSteps: ReadonlyMap<UndoStep, string>;
}

/** Settles the names of an undo. A step that cannot be made leaves its object as it is, so that others may fail too. */
export function namesAfterUndo(
  steps: readonly UndoStep[],
  inventory: Inventory,
  kinds: ReadonlyMap<string, Kind>,
): NamesAfterUndo {
  const blockedSteps = new Map<UndoStep, string>();
  for (;;) {
    const possible = steps.filter((step) => !blockedSteps.has(step));
    const identityOf = resolveParentRenames(inventory, kinds, { live: restoredState(possible) });
    const after = namesAfter(possible, inventory, identityOf);
    if (after.blockedSteps.size === 0) return { ...after, blockedSteps };
    for (const [step, reason] of after.blockedSteps) blockedSteps.set(step, reason);
  }
}

type IdentityOf = (entry: Entry) => ObjectIdentity;

/** Returns the objects with their restored names, which may be in the keys of others, by kind. */
function restoredState(steps: readonly UndoStep[]) {
  const state = new Map<string, { readonly byId: Map<string, ObservedObject> }>();
  for (const step of steps) {
    const { kind, entry, restored } = step;
    if (entry?.id === undefined || restored === undefined) continue;
    const { byId } = state.get(kind.name) ?? { byId: new Map() };
    byId.set(entry.id, { id: entry.id, spec: withKeyFields(step, () => entry), status: {} });
    state.set(kind.name, { byId });
  }
  return state;
}

function withKeyFields({ kind, entry, restored }: UndoStep, identityOf: IdentityOf): JsonObject {
  return { ...(entry && parseKey(kind, identityOf(entry).key)), ...restored };
}

function namesAfter(
  steps: readonly UndoStep[],
  { entries }: Inventory,
  identityOf: IdentityOf,
): NamesAfterUndo {
  const fieldsOf = (step: UndoStep): JsonObject => withKeyFields(step, identityOf);
  const named = steps.flatMap((step) => {
    const { kind, address, entry, restored } = step;
    if (restored === undefined) return [];
    const key = keyOf(kind, fieldsOf(step));
    const isKept = entry !== undefined && identityOf(entry).key === key;
    return [{ step, address, isKept, name: objectAt(kind.name, key) }];
  });
  // An object that keeps its name goes before one that wants it back.
  const names = new Map(
    named
      .toSorted((left, right) => Number(left.isKept) - Number(right.isKept))
      .map(({ name, address }) => [name, address]),
  );
  const changed = new Set(steps.map(({ address }) => address));
  for (const [address, entry] of listEntries(entries))
    if (!changed.has(address)) names.set(objectAt(entry.kind, identityOf(entry).key), address);
  const blockedSteps = new Map<UndoStep, string>();
  for (const { step, name, address } of named) {
    const references = Object.entries(step.change.references ?? {});
    const lost = references.find(([reference, target]) => names.get(reference) !== target);
    if (lost !== undefined) blockedSteps.set(step, `it needs ${lost[1]} as it was before the run`);
    if (names.get(name) !== address) blockedSteps.set(step, `${names.get(name)} has its name now`);
  }
  return { names, fieldsOf, blockedSteps };
}
