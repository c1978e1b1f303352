// Finds the inventory entry and the live object of each declared object. Its entry is the first of these:
//
// 1. the one that `movedFrom` names; the moves of all documents count at once;
// 2. the one at its address;
// 3. the one with its natural key.
//
// An entry belongs to one document; without one, it is no longer declared. The live object is that of the entry: the one
// with the recorded id, otherwise the one with the recorded key. Without an entry, it is the one with the natural key, if
// no other document has that. What is inside a parent is found under the name that the parent has today.
import { keyReferences } from "../../core/kind/cascades.ts";
import { keyOf, nameOf } from "../../core/kind/identity.ts";
import { invariant } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import { listEntries, objectsByAddress } from "../model/stack-index.ts";
import type { DesiredObject, Entry, Inventory, LiveState, RunChange } from "../model/index.ts";
import { interruptedChangesOf } from "../model/interrupted-changes.ts";
import { layersOfKinds } from "../model/kind-layers.ts";
import { canBeRenamed, type ObjectIdentity } from "../model/parent-renames.ts";

/** The entry and the live object of a declared object. */
export interface Match {
  readonly observed: ObservedObject | undefined;
  readonly entry: Entry | undefined;
  /** The changes of the object that killed runs began and did not record, oldest first. */
  readonly interrupted: readonly RunChange[];
  /** Recorded address of the entry, if it is another than the declared one: a document was renamed. */
  readonly formerAddress: string | undefined;
  /** Another live object with the desired natural key. `owner`: its address, if this stack owns it. */
  readonly conflictingObject:
    | { readonly observed: ObservedObject; readonly owner: string | undefined }
    | undefined;
  /** The address of the object with that key in another parent, which gives its name to the desired one. */
  readonly namesakeOwner: string | undefined;
}

/** The matches of the declared objects of one stack. */
export interface Matcher {
  match(desiredObject: DesiredObject): Match;
  /** Returns the live object of an entry; undefined if it is gone, also if its key has a new object. */
  ownObservedObject(entry: Entry): ObservedObject | undefined;
  /** Recorded addresses of entries by their new ones, where they differ. */
  readonly formerAddresses: ReadonlyMap<string, string>;
}

/** Input to matching. */
export interface MatcherInput {
  readonly live: LiveState;
  readonly inventory: Inventory;
  readonly desiredObjects: readonly DesiredObject[];
  /** Returns the key and scope under which the object of an entry is found today. */
  readonly identityOf: (entry: Entry) => ObjectIdentity;
  /** True if each declared object has the entry at its address only, as in an undo. */
  readonly isUndo?: boolean | undefined;
}

/** Matches all declared objects, parents before what is in them. */
export function createMatcher(input: MatcherInput): Matcher {
  const { live, inventory, desiredObjects, identityOf } = input;
  const observedOf = (entry: Entry) =>
    (entry.id === undefined ? undefined : live.get(entry.kind)?.byId.get(entry.id)) ??
    live.get(entry.kind)?.byKey.get(identityOf(entry).key);
  const ownObservedObject = (entry: Entry) => {
    const observed = observedOf(entry);
    return entry.id === undefined || observed?.id === entry.id ? observed : undefined;
  };
  const recorded = Map.groupBy(listEntries(inventory.entries), ([, { kind }]) => kind);
  const byAddress = objectsByAddress(desiredObjects);
  const interruptedChanges = interruptedChangesOf(inventory.runs);
  const matches = new Map<string, Match>();
  const formerAddresses = new Map<string, string>();
  const byKind = [...Map.groupBy(desiredObjects, ({ kind }) => kind)];
  const layers = layersOfKinds(byKind.map(([kind]) => kind));
  const layerOf = ([{ name }]: readonly [Kind, unknown]): number => layers.get(name) ?? 0;
  for (const [kind, objects] of byKind.toSorted((left, right) => layerOf(left) - layerOf(right))) {
    const documents = objects.map((object) => {
      const { address, key: desiredKey, rules: { movedFrom } = {} } = object;
      return { address, key: keyToday(object, byAddress, matches), desiredKey, movedFrom };
    });
    const entries = (recorded.get(kind.name) ?? []).map(([address, entry]) => {
      const object = ownObservedObject(entry);
      const liveKey = object && keyOf(kind, object.spec);
      return { address, key: identityOf(entry).key, object, liveKey };
    });
    const entryOf = entriesOf(documents, entries, input);
    const documentOf = new Map([...entryOf].map(([address, entry]) => [entry, address]));
    const owners = new Map<ObservedObject | undefined, string>();
    // A crash can leave two entries for one object: the one with a document counts.
    for (const { address, object } of entries)
      if (object) owners.set(object, documentOf.get(address) ?? owners.get(object) ?? address);
    const objectAt = (key = "") => live.get(kind.name)?.byKey.get(key);
    for (const { address, key, desiredKey } of documents) {
      const entryAddress = entryOf.get(address);
      const entry = entryAddress === undefined ? undefined : inventory.entries[entryAddress];
      const holder = objectAt(key);
      const unlessOwned = (object: ObservedObject | undefined) => {
        const owner = owners.get(object);
        return owner === undefined || owner === address ? object : undefined;
      };
      const observed = unlessOwned(entry && observedOf(entry)) ?? unlessOwned(holder);
      const formerAddress = entryAddress === address ? undefined : entryAddress;
      if (formerAddress !== undefined) formerAddresses.set(address, formerAddress);
      matches.set(address, {
        observed,
        entry,
        interrupted: entry ? interruptedChanges({ ...entry, id: observed?.id ?? entry.id }) : [],
        formerAddress,
        conflictingObject:
          holder && holder !== observed
            ? { observed: holder, owner: owners.get(holder) }
            : undefined,
        namesakeOwner: key === desiredKey ? undefined : owners.get(objectAt(desiredKey)),
      });
    }
  }
  const matchOf = ({ address }: DesiredObject): Match => {
    const match = matches.get(address);
    invariant(match !== undefined, `${address} is not declared`);
    return match;
  };
  return { match: matchOf, ownObservedObject, formerAddresses };
}

/** A document: `key` is the natural key under which its object is found today, if there can be one yet. */
interface DocumentIdentity {
  readonly address: string;
  readonly key: string | undefined;
  readonly movedFrom: string | undefined;
}

/** An entry, with its live object and the natural key of that, unless it is gone. */
interface EntryIdentity {
  readonly address: string;
  readonly key: string;
  readonly object: unknown;
  readonly liveKey: string | undefined;
}

/**
 * Returns the addresses of the entries of documents of one kind, by address of the document.
 *
 * A `movedFrom` counts for a document without an entry at its address, and for one that loses it to the move of another.
 * Otherwise an earlier run may have made the move: it counts if the named entry has the natural key of the document, or no
 * document at its address. A document that has both address and natural key of an entry keeps that.
 */
export function entriesOf(
  documents: readonly DocumentIdentity[],
  entries: readonly EntryIdentity[],
  { isUndo = false }: Pick<MatcherInput, "isUndo">,
): ReadonlyMap<string, string> {
  const declared = new Map(documents.map((document) => [document.address, document]));
  const keys = new Map(entries.map(({ address, key }) => [address, key]));
  const entryOf = new Map<string, string>();
  const taken = new Set<string>();
  const take = (address: string, entry = ""): boolean => {
    if (entryOf.has(address) || taken.has(entry) || !keys.has(entry)) return false;
    entryOf.set(address, entry);
    taken.add(entry);
    return true;
  };
  for (const { address, key } of documents) if (keys.get(address) === key) take(address, address);
  const moves = documents.filter(
    ({ address, key, movedFrom = "" }) =>
      !keys.has(address) || keys.get(movedFrom) === key || !declared.has(movedFrom),
  );
  for (const { address, movedFrom } of moves) {
    const loser = take(address, movedFrom) ? declared.get(movedFrom ?? "") : undefined;
    if (loser !== undefined) moves.push(loser);
  }
  for (const { address } of documents) take(address, address);
  if (isUndo) return entryOf;
  const owned = new Set(
    entries.flatMap(({ address, object }) => (taken.has(address) ? [object] : [])),
  );
  const free = entries.filter(
    ({ address, object }) => !taken.has(address) && (object === undefined || !owned.has(object)),
  );
  const byKey = new Map([
    ...free.map(({ key, address }) => [key, address] as const),
    ...free.map(({ liveKey, address }) => [liveKey, address] as const),
  ]);
  for (const { address, key } of documents) if (key !== undefined) take(address, byKey.get(key));
  return entryOf;
}

/**
 * Returns the key under which a declared object is found until the plan renames its parents. Undefined if a parent does not
 * exist yet and another object has its name until then.
 */
function keyToday(
  { kind, spec, dependsOn: needs }: DesiredObject,
  byAddress: ReadonlyMap<string, DesiredObject>,
  matches: ReadonlyMap<string, Match>,
): string | undefined {
  const names: Record<string, JsonValue | undefined> = {};
  for (const { name, parent } of keyReferences(kind)) {
    const document = needs
      .map((address) => byAddress.get(address))
      .find((need) => need?.kind.name === parent && nameOf(need.kind, need.spec) === spec[name]);
    if (document === undefined || !canBeRenamed(document.kind)) continue;
    const { observed, conflictingObject } = matches.get(document.address) ?? {};
    if (observed !== undefined) names[name] = nameOf(document.kind, observed.spec);
    else if (conflictingObject !== undefined) return undefined;
  }
  return keyOf(kind, { ...spec, ...names });
}
