// Finds objects that an undo cannot restore: their name is in use, or a reference would point to another object.
import { address as objectAt, keyOfNamed } from "../../core/kind/identity.ts";
import { fieldsWithin, type Reference, referencesOf } from "../../core/kind/references.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { Entry, DesiredObject } from "../model/index.ts";

/** Entries by address. */
type Entries = Readonly<Record<string, Entry>>;

/** Input to {@link undoConflicts}. */
export interface UndoConflictInput {
  /** Current entries, and entries after the undo. */
  readonly currentEntries: Entries;
  readonly entriesAfter: Entries;
  /** Addresses that the undo restores or deletes. */
  readonly addresses: ReadonlySet<string>;
  /** Fields that the undo restores, by address; an object without them is created again. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Addresses by kind and natural key before the run. */
  readonly historicalNames: ReadonlyMap<string, string>;
  readonly kinds: ReadonlyMap<string, Kind>;
}

/**
 * Returns the objects that cannot be restored, with the reason: another object keeps the name, or a parent or reference
 * is not restored.
 */
export function undoConflicts(
  desiredObjects: readonly DesiredObject[],
  reach: UndoConflictInput,
): ReadonlyMap<string, string> {
  const lost = new Map<string, string>();
  for (let known = -1; known < lost.size;) {
    known = lost.size;
    const nameOwners = nameOwnersAfter(desiredObjects, reach, lost);
    for (const desiredObject of desiredObjects) {
      const why = lost.has(desiredObject.address)
        ? undefined
        : conflictFor(desiredObject, { nameOwners, input: reach, conflicts: lost });
      if (why !== undefined) lost.set(desiredObject.address, why);
    }
  }
  return lost;
}

interface NameOwners {
  /** Address by name after the undo; restored objects last. */
  readonly ownerAfter: ReadonlyMap<string, string>;
  /** Addresses that keep their names, so that no restored object can have them. */
  readonly keptBy: ReadonlyMap<string, string>;
  /** Addresses that release their names when they are deleted. */
  readonly releasedBy: ReadonlyMap<string, string>;
}

function nameOwnersAfter(
  desiredObjects: readonly DesiredObject[],
  { currentEntries: today, entriesAfter: after, addresses }: UndoConflictInput,
  lost: ReadonlyMap<string, string>,
): NameOwners {
  const desired = new Set(desiredObjects.map(({ address }) => address));
  const named = (entries: Entries, which: (at: string) => boolean) =>
    new Map(
      Object.entries(entries)
        .filter(([at]) => which(at))
        .map(([at, { kind, key }]) => [objectAt(kind, key), at] as const),
    );
  const kept = new Map([
    ...named(after, (at) => !addresses.has(at)),
    ...named(today, (at) => lost.has(at)),
  ]);
  const back = desiredObjects
    .filter(({ address }) => !lost.has(address))
    .map(({ kind, key, address }) => [objectAt(kind.name, key), address] as const);
  const going = named(after, (at) => addresses.has(at) && !desired.has(at));
  return { ownerAfter: new Map([...kept, ...back]), keptBy: kept, releasedBy: going };
}

interface ConflictContext {
  readonly nameOwners: NameOwners;
  readonly input: UndoConflictInput;
  readonly conflicts: ReadonlyMap<string, string>;
}

function conflictFor(
  desiredObject: DesiredObject,
  { nameOwners, input: reach, conflicts: lost }: ConflictContext,
): string | undefined {
  const { ownerAfter: by, keptBy: kept, releasedBy: going } = nameOwners;
  const owner = kept.get(objectAt(desiredObject.kind.name, desiredObject.key));
  if (owner !== undefined && owner !== desiredObject.address) return `${owner} has its name now`;
  const need = desiredObject.dependsOn.find((one) => lost.has(one));
  if (need !== undefined) return `it needs ${need}, which cannot be restored`;
  const fields = reach.fields.get(desiredObject.address);
  for (const one of referencesOf(desiredObject.kind, desiredObject.spec)) {
    const at = referencedAddress(one, desiredObject, reach.kinds);
    if (at === undefined) continue;
    const other = going.get(at);
    if (other !== undefined && !by.has(at)) return `it was in another object than ${other}`;
    // Of an existing object only the restored fields change.
    if (fields !== undefined && !fields.includes(one.field)) continue;
    const then = reach.historicalNames.get(at);
    if (then !== undefined && by.get(at) !== then)
      return `it needs ${then} as it was, which cannot be restored`;
  }
  return undefined;
}

/** Returns kind and natural key of a referenced object; undefined if unknown. */
export function referencedAddress(
  reference: Reference,
  { spec }: Pick<DesiredObject, "spec">,
  kinds: UndoConflictInput["kinds"],
): string | undefined {
  const { kind, value } = reference;
  const named = kinds.get(kind);
  const key = named && keyOfNamed(named, value, fieldsWithin(reference, spec));
  return key === undefined ? undefined : objectAt(kind, key);
}
