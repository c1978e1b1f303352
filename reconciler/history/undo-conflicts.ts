// What of a way back cannot be had: names that others keep, and objects that would come to be in, or name, another than they did.
import { address as objectAt, keyOfNamed } from "../../core/identity.ts";
import { member } from "../../core/schema.ts";
import { type Reference, referencesOf } from "../../core/references.ts";
import type { Kind } from "../../core/kind.ts";
import type { Entry, DesiredObject } from "../model/index.ts";

/** Entries by address. */
type Entries = Readonly<Record<string, Entry>>;

/** What wishes of a way back are held against. */
export interface UndoConflictInput {
  /** What the stack owns today, and as it will be recorded once every wish is fulfilled. */
  readonly currentEntries: Entries;
  readonly entriesAfter: Entries;
  /** What the way back is about: the wishes, and what it deletes. */
  readonly addresses: ReadonlySet<string>;
  /** Fields that a wish gives back, by its address; what has none is made again. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Who had which name before the run. */
  readonly historicalNames: ReadonlyMap<string, string>;
  readonly kinds: ReadonlyMap<string, Kind>;
}

/**
 * The wishes that cannot be had, with why: another object of the stack has the name and keeps it, or what they name or lie in
 * is not put back, so that it would be missing or another one.
 */
export function undoConflicts(
  desiredObjects: readonly DesiredObject[],
  reach: UndoConflictInput,
): ReadonlyMap<string, string> {
  const lost = new Map<string, string>();
  for (let known = -1; known < lost.size;) {
    known = lost.size;
    const standing = nameOwnersAfter(desiredObjects, reach, lost);
    for (const desiredObject of desiredObjects) {
      const why = lost.has(desiredObject.address)
        ? undefined
        : conflictFor(desiredObject, { nameOwners: standing, input: reach, conflicts: lost });
      if (why !== undefined) lost.set(desiredObject.address, why);
    }
  }
  return lost;
}

interface NameOwners {
  /** Who has which name once all is done, wishes last. */
  readonly ownerAfter: ReadonlyMap<string, string>;
  /** Who keeps the name that it has, so that no wish can have it. */
  readonly keptBy: ReadonlyMap<string, string>;
  /** Who has it until it is deleted. */
  readonly releasedBy: ReadonlyMap<string, string>;
}

function nameOwnersAfter(
  desiredObjects: readonly DesiredObject[],
  { currentEntries: today, entriesAfter: after, addresses }: UndoConflictInput,
  lost: ReadonlyMap<string, string>,
): NameOwners {
  const wished = new Set(desiredObjects.map(({ address }) => address));
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
  const going = named(after, (at) => addresses.has(at) && !wished.has(at));
  return { ownerAfter: new Map([...kept, ...back]), keptBy: kept, releasedBy: going };
}

interface ConflictContext {
  readonly nameOwners: NameOwners;
  readonly input: UndoConflictInput;
  readonly conflicts: ReadonlyMap<string, string>;
}

function conflictFor(
  desiredObject: DesiredObject,
  { nameOwners: standing, input: reach, conflicts: lost }: ConflictContext,
): string | undefined {
  const { ownerAfter: by, keptBy: kept, releasedBy: going } = standing;
  const owner = kept.get(objectAt(desiredObject.kind.name, desiredObject.key));
  if (owner !== undefined && owner !== desiredObject.address) return `${owner} has its name by now`;
  const need = desiredObject.dependsOn.find((one) => lost.has(one));
  if (need !== undefined) return `it needs ${need}, which cannot be put back`;
  const fields = reach.fields.get(desiredObject.address);
  for (const one of referencesOf(desiredObject.kind, desiredObject.spec)) {
    const at = referencedAddress(one, desiredObject, reach.kinds);
    if (at === undefined) continue;
    const other = going.get(at);
    if (other !== undefined && !by.has(at)) return `what it was in was another than ${other}`;
    // Of an object that is there, only what is given back is as it was.
    if (fields !== undefined && !fields.includes(one.field)) continue;
    const then = reach.historicalNames.get(at);
    if (then !== undefined && by.get(at) !== then)
      return `it needs ${then} as it was, which cannot be put back`;
  }
  return undefined;
}

/** Kind and natural key of what a reference names; undefined where that cannot be told. */
function referencedAddress(
  { kind, value, within = {} }: Reference,
  { spec }: DesiredObject,
  kinds: UndoConflictInput["kinds"],
): string | undefined {
  const named = kinds.get(kind);
  const beside = Object.entries(within).map(([theirs, ours]) => [theirs, member(spec, ours)]);
  const key = named && keyOfNamed(named, value, Object.fromEntries(beside));
  return key === undefined ? undefined : objectAt(kind, key);
}
