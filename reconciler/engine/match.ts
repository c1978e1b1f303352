// Which live object and which inventory entry belong to a wish: by the id we recorded, then by natural key.
import { fieldsOf } from "../../core/fields.ts";
import { address, keyOf, nameOf } from "../../core/identity.ts";
import { equal, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { ObservedObject } from "../../core/kind.ts";
import type { Entry, Inventory, LiveState, DesiredObject } from "../model/index.ts";
import { canBeRenamed, type ObjectIdentity } from "./parent-renames.ts";

/** What is known of the object behind a wish. */
export interface Match {
  readonly observed: ObservedObject | undefined;
  readonly entry: Entry | undefined;
  /** Where the entry stands in the inventory: another address than the wish's when the document was renamed. */
  readonly entryAddress: string | undefined;
  /** Another live object that has the wish's natural key. */
  readonly conflictingObject: ConflictingObject | undefined;
  /** The object is in the parent that it is wished for in, and goes along when that one gets its new name. */
  readonly movesWithParent: boolean;
  /** The object is in a parent that only has the name that the wished one is to get. */
  readonly inNamesakeParent: boolean;
}

/** A live object in the way of a wish. */
export interface ConflictingObject {
  readonly observed: ObservedObject;
  /** Where we own it, if we do: there it is to get another key or to go. */
  readonly owner: string | undefined;
}

/** Finds matches for the wishes of one stack. */
export interface Matcher {
  match(desiredObject: DesiredObject): Match;
  /** The very object of an entry, if it still exists: not one of the same key that somebody has made since. */
  ownObservedObject(entry: Entry): ObservedObject | undefined;
}

/** What matching starts from. */
export interface MatcherInput {
  readonly live: LiveState;
  readonly inventory: Inventory;
  readonly desiredObjects: readonly DesiredObject[];
  /** Where the object of an entry is to be looked for. */
  readonly identityOf: (entry: Entry) => ObjectIdentity;
}

/** Prepares matching: entries indexed by natural key, so that a renamed document finds its object again. */
export function createMatcher({
  live,
  inventory,
  desiredObjects,
  identityOf,
}: MatcherInput): Matcher {
  const wished = new Set(desiredObjects.map((desiredObject) => desiredObject.address));
  const byAddress = new Map(
    desiredObjects.map((desiredObject) => [desiredObject.address, desiredObject]),
  );
  const matches = new Map<string, Match>();
  const owners = new Map<ObservedObject, string>();
  const byKey = (kind: string, key: string) => live.get(kind)?.byKey.get(key);
  const sightOf = (entry: Entry) =>
    (entry.id === undefined ? undefined : live.get(entry.kind)?.byId.get(entry.id)) ??
    byKey(entry.kind, identityOf(entry).key);
  const ownSightOf = (entry: Entry) => {
    const observed = sightOf(entry);
    return entry.id === undefined || observed?.id === entry.id ? observed : undefined;
  };
  for (const [owner, entry] of Object.entries(inventory.entries)) {
    const observed = ownSightOf(entry);
    // Of two entries for one object, as a crash can leave them, the one that is still declared has it.
    if (observed !== undefined && (wished.has(owner) || !owners.has(observed)))
      owners.set(observed, owner);
  }

  const homeOf = entryAddressFinder(desiredObjects, {
    inventory,
    declaredAddresses: wished,
    identityOf,
  });

  function match(desiredObject: DesiredObject): Match {
    const known = matches.get(desiredObject.address);
    if (known !== undefined) return known;
    const made = find(desiredObject, currentParentNames(desiredObject, { byAddress, match }));
    matches.set(desiredObject.address, made);
    return made;
  }

  /** `names` are those that the wish's parents have today, and so make the key by which the object would be found. */
  function find(desiredObject: DesiredObject, names: JsonObject | undefined): Match {
    const now = names && keyOf(desiredObject.kind, { ...desiredObject.spec, ...names });
    const entryAddress = homeOf(desiredObject, now);
    const entry = entryAddress === undefined ? undefined : inventory.entries[entryAddress];
    const own = entry === undefined ? undefined : sightOf(entry);
    const holder = byKey(desiredObject.kind.name, desiredObject.key);
    const found = now === undefined ? undefined : byKey(desiredObject.kind.name, now);
    const owner = found && owners.get(found);
    const isFree = owner === undefined || owner === entryAddress;
    const observed = own ?? (isFree ? found : undefined);
    const other = [holder, found].find((one) => one !== undefined && one !== observed);
    const isMoving = now !== desiredObject.key && observed !== undefined;
    // Its own part of the key may be another too: a parent and what is in it get new names together.
    const isInside =
      names !== undefined &&
      Object.entries({ ...parentNames(desiredObject), ...names }).every(([name, held]) =>
        equal(observed?.spec[name], held),
      );
    return {
      observed,
      entry,
      entryAddress,
      conflictingObject: other && { observed: other, owner: owners.get(other) },
      movesWithParent: isMoving && isInside,
      inNamesakeParent: isMoving && isInNamesakeParent(desiredObject, observed, names),
    };
  }

  return { match, ownObservedObject: ownSightOf };
}

interface MatchIndex extends Pick<MatcherInput, "inventory" | "identityOf"> {
  readonly declaredAddresses: ReadonlySet<string>;
}

/** Finds the address of the entry that a wish is about: its own, the one it says it moved from, or that of its key. */
function entryAddressFinder(desiredObjects: readonly DesiredObject[], known: MatchIndex) {
  const { entries } = known.inventory;
  const byKey = new Map(
    Object.entries(entries).map(([owner, entry]) => [
      address(entry.kind, known.identityOf(entry).key),
      owner,
    ]),
  );
  const moves = movesOf(desiredObjects, known);
  const leaving = new Set(moves.values());
  return (desiredObject: DesiredObject, key: string | undefined): string | undefined => {
    if (entries[desiredObject.address] !== undefined) return desiredObject.address;
    const former = moves.get(desiredObject.address);
    if (former !== undefined) return former;
    const other = key === undefined ? undefined : byKey.get(address(desiredObject.kind.name, key));
    const isFree =
      other !== undefined && !known.declaredAddresses.has(other) && !leaving.has(other);
    return isFree ? other : undefined;
  };
}

/** The former addresses of documents that say where they were, by the new ones: those where an entry is left. */
function movesOf(
  desiredObjects: readonly DesiredObject[],
  { inventory, declaredAddresses: wished }: Omit<MatchIndex, "identityOf">,
): ReadonlyMap<string, string> {
  const moves = new Map<string, string>();
  for (const { address: at, rules } of desiredObjects) {
    const from = rules?.movedFrom;
    if (from === undefined || wished.has(from) || inventory.entries[at] !== undefined) continue;
    if (inventory.entries[from] !== undefined) moves.set(at, from);
  }
  return moves;
}

/**
 * What those parents of a wish are called today that can get new names, by the fields of its key; undefined where the parent is
 * yet to be made and another object has its name until then, so that nothing in it is the wished one.
 */
function currentParentNames(
  { kind, spec, dependsOn: needs }: DesiredObject,
  parents: {
    readonly byAddress: ReadonlyMap<string, DesiredObject>;
    readonly match: (desiredObject: DesiredObject) => Match;
  },
): JsonObject | undefined {
  const names = new Map<string, JsonValue | undefined>();
  for (const { name, traits } of fieldsOf(kind)) {
    if (traits.refersTo === undefined || !kind.key.includes(name)) continue;
    const parent = needs
      .flatMap((need) => parents.byAddress.get(need) ?? [])
      .find(
        (one) => one.kind.name === traits.refersTo && nameOf(one.kind, one.spec) === spec[name],
      );
    if (parent === undefined || !canBeRenamed(parent.kind)) continue;
    const { observed, conflictingObject: rival } = parents.match(parent);
    if (observed === undefined && rival !== undefined) return undefined;
    if (observed !== undefined) names.set(name, nameOf(parent.kind, observed.spec));
  }
  return Object.fromEntries(names);
}

/**
 * True for an object in a parent that has the wished one's name for the time being: that is called something else today, as
 * `names` says, or is yet to be made.
 */
function isInNamesakeParent(
  desiredObject: DesiredObject,
  { spec }: ObservedObject,
  names: JsonObject | undefined,
): boolean {
  const wished = Object.entries(parentNames(desiredObject));
  const isThere = ([name, value]: readonly [string, JsonValue | undefined]) =>
    value !== undefined && equal(spec[name], value);
  if (names === undefined) return wished.every(isThere);
  return wished.some((one) => {
    const now = names[one[0]];
    return now !== undefined && !equal(now, one[1] ?? null) && isThere(one);
  });
}

/** The fields of a wish's key that name other objects, as it has them. */
export function parentNames({ kind, spec }: DesiredObject): JsonObject {
  const named = fieldsOf(kind).filter(
    ({ name, traits }) => traits.refersTo !== undefined && kind.key.includes(name),
  );
  return Object.fromEntries(named.map(({ name }) => [name, spec[name]]));
}
