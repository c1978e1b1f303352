// Matches declared objects with live objects and inventory entries: by recorded id, then by natural key.
import { fieldsOf } from "../../core/fields.ts";
import { address, keyOf, nameOf } from "../../core/identity.ts";
import { equal, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { ObservedObject } from "../../core/kind.ts";
import type { Entry, Inventory, LiveState, DesiredObject } from "../model/index.ts";
import { listEntries } from "../model/inventory-entries.ts";
import { objectsByAddress } from "../model/desired-objects.ts";
import { canBeRenamed, type ObjectIdentity } from "../model/parent-renames.ts";

/** The entry and the live object of a declared object. */
export interface Match {
  readonly observed: ObservedObject | undefined;
  readonly entry: Entry | undefined;
  /** Address of the entry; another than the declared one after a document was renamed. */
  readonly entryAddress: string | undefined;
  /** Another live object with the desired natural key. */
  readonly conflictingObject: ConflictingObject | undefined;
  /** The live object that is found by the desired natural key today, which may be in a parent that gives its name away. */
  readonly keyHolder: ObservedObject | undefined;
  /** True if the object is already in the desired parent, which gets a new name itself. */
  readonly movesWithParent: boolean;
  /** True if the object is in another parent whose name the desired parent will get. */
  readonly inNamesakeParent: boolean;
}

/** A live object that has the desired natural key. */
export interface ConflictingObject {
  readonly observed: ObservedObject;
  /** Its address in this stack; undefined if the stack does not own it. */
  readonly owner: string | undefined;
}

/** Matches the declared objects of one stack. */
export interface Matcher {
  match(desiredObject: DesiredObject): Match;
  /** Returns the live object of an entry; undefined if it is gone, also if its key has a new object. */
  ownObservedObject(entry: Entry): ObservedObject | undefined;
}

/** Input to matching. */
export interface MatcherInput {
  readonly live: LiveState;
  readonly inventory: Inventory;
  readonly desiredObjects: readonly DesiredObject[];
  /** Returns the key and scope under which the object of an entry is found today. */
  readonly identityOf: (entry: Entry) => ObjectIdentity;
}

/** Indexes entries by natural key, so that a renamed document finds its object. */
export function createMatcher({
  live,
  inventory,
  desiredObjects,
  identityOf,
}: MatcherInput): Matcher {
  const declared = objectsByAddress(desiredObjects);
  const matches = new Map<string, Match>();
  const { byKey, observedOf, ownObservedOf } = liveLookup({ live, identityOf });
  const owners = ownersByObject(inventory, declared, ownObservedOf);
  const entryAddressOf = entryAddressFinder(desiredObjects, {
    inventory,
    declaredAddresses: declared,
    identityOf,
  });

  function match(desiredObject: DesiredObject): Match {
    const known = matches.get(desiredObject.address);
    if (known !== undefined) return known;
    const made = find(
      desiredObject,
      currentParentNames(desiredObject, { byAddress: declared, match }),
    );
    matches.set(desiredObject.address, made);
    return made;
  }

  /** `names` are the current names of the parents: they make the key under which the object is found today. */
  function find(desiredObject: DesiredObject, names: JsonObject | undefined): Match {
    const now = names && keyWith(desiredObject, names);
    const entryAddress = entryAddressOf(desiredObject, now);
    const entry = entryAddress === undefined ? undefined : inventory.entries[entryAddress];
    const own = entry === undefined ? undefined : observedOf(entry);
    const holder = byKey(desiredObject.kind.name, desiredObject.key);
    const found = now === undefined ? undefined : byKey(desiredObject.kind.name, now);
    const owner = found && owners.get(found);
    const isFree = owner === undefined || owner === entryAddress;
    const observed = own ?? (isFree ? found : undefined);
    // An object in the desired parent has the key for certain; one in a parent of that name leaves with it.
    const other = [found, holder].find((one) => one !== undefined && one !== observed);
    const isMoving = now !== desiredObject.key && observed !== undefined;
    return {
      observed,
      entry,
      entryAddress,
      conflictingObject: other && { observed: other, owner: owners.get(other) },
      keyHolder: holder,
      movesWithParent: isMoving && isInDesiredParent(desiredObject, observed, names),
      inNamesakeParent: isMoving && isInNamesakeParent(desiredObject, observed, names),
    };
  }

  return { match, ownObservedObject: ownObservedOf };
}

/** Returns the key of a declared object with other values in some of its fields. */
function keyWith({ kind, spec, key }: DesiredObject, values: JsonObject): string {
  const isSame = Object.keys(values).every((name) => values[name] === spec[name]);
  return isSame ? key : keyOf(kind, { ...spec, ...values });
}

interface LiveLookup {
  /** Returns the live object with a natural key. */
  readonly byKey: (kind: string, key: string) => ObservedObject | undefined;
  /** Returns the live object with the id of an entry, else the one with its key. */
  readonly observedOf: (entry: Entry) => ObservedObject | undefined;
  /** Does the same, but returns no object whose id differs from that of the entry. */
  readonly ownObservedOf: (entry: Entry) => ObservedObject | undefined;
}

/** Finds live objects by natural key and by entry. */
function liveLookup({ live, identityOf }: Pick<MatcherInput, "live" | "identityOf">): LiveLookup {
  const byKey = (kind: string, key: string) => live.get(kind)?.byKey.get(key);
  const observedOf = (entry: Entry) =>
    (entry.id === undefined ? undefined : live.get(entry.kind)?.byId.get(entry.id)) ??
    byKey(entry.kind, identityOf(entry).key);
  const ownObservedOf = (entry: Entry) => {
    const observed = observedOf(entry);
    return entry.id === undefined || observed?.id === entry.id ? observed : undefined;
  };
  return { byKey, observedOf, ownObservedOf };
}

/** Returns the address of the entry that owns each live object. */
function ownersByObject(
  { entries }: Inventory,
  declaredAddresses: Pick<ReadonlySet<string>, "has">,
  ownObservedOf: LiveLookup["ownObservedOf"],
): ReadonlyMap<ObservedObject, string> {
  const owners = new Map<ObservedObject, string>();
  for (const [owner, entry] of listEntries(entries)) {
    const observed = ownObservedOf(entry);
    // A crash can leave two entries for one object: the one that is still declared wins.
    if (observed !== undefined && (declaredAddresses.has(owner) || !owners.has(observed)))
      owners.set(observed, owner);
  }
  return owners;
}

interface MatchIndex extends Pick<MatcherInput, "inventory" | "identityOf"> {
  readonly declaredAddresses: Pick<ReadonlySet<string>, "has">;
}

/** Finds the address of the entry of a declared object: its own, its `movedFrom`, or that of its key. */
function entryAddressFinder(desiredObjects: readonly DesiredObject[], known: MatchIndex) {
  const { entries } = known.inventory;
  let ownersByKey: ReadonlyMap<string, string> | undefined;
  const moves = movesOf(desiredObjects, known);
  const leaving = new Set(moves.values());
  return (desiredObject: DesiredObject, key: string | undefined): string | undefined => {
    if (entries[desiredObject.address] !== undefined) return desiredObject.address;
    const former = moves.get(desiredObject.address);
    if (former !== undefined) return former;
    if (key === undefined) return undefined;
    ownersByKey ??= entryAddressesByKey(known);
    const other = ownersByKey.get(address(desiredObject.kind.name, key));
    const isFree =
      other !== undefined && !known.declaredAddresses.has(other) && !leaving.has(other);
    return isFree ? other : undefined;
  };
}

/** Returns the addresses of the entries by the kind and the current key of their objects. */
function entryAddressesByKey({
  inventory,
  identityOf,
}: Pick<MatchIndex, "inventory" | "identityOf">): ReadonlyMap<string, string> {
  return new Map(
    listEntries(inventory.entries).map(([owner, entry]) => [
      address(entry.kind, identityOf(entry).key),
      owner,
    ]),
  );
}

/** Returns the `movedFrom` addresses that still have an entry, by new address. */
function movesOf(
  desiredObjects: readonly DesiredObject[],
  { inventory, declaredAddresses: declared }: Omit<MatchIndex, "identityOf">,
): ReadonlyMap<string, string> {
  const moves = new Map<string, string>();
  for (const { address: at, rules } of desiredObjects) {
    const from = rules?.movedFrom;
    if (from === undefined || declared.has(from) || inventory.entries[at] !== undefined) continue;
    if (inventory.entries[from] !== undefined) moves.set(at, from);
  }
  return moves;
}

/**
 * Returns the current names of those parents of a declared object that can be renamed, by field of its key. Returns
 * undefined if a parent does not exist yet and another object has its name until then: then no object in it matches.
 */
function currentParentNames(
  { kind, spec, dependsOn: needs }: DesiredObject,
  parents: {
    readonly byAddress: ReadonlyMap<string, DesiredObject>;
    readonly match: (desiredObject: DesiredObject) => Match;
  },
): JsonObject | undefined {
  const names: Record<string, JsonValue | undefined> = {};
  for (const { name, traits } of fieldsOf(kind)) {
    if (traits.refersTo === undefined || !kind.key.includes(name)) continue;
    const parent = needs
      .flatMap((need) => parents.byAddress.get(need) ?? [])
      .find(
        (one) => one.kind.name === traits.refersTo && nameOf(one.kind, one.spec) === spec[name],
      );
    if (parent === undefined || !canBeRenamed(parent.kind)) continue;
    const { observed, conflictingObject: conflicting } = parents.match(parent);
    if (observed === undefined && conflicting !== undefined) return undefined;
    if (observed !== undefined) names[name] = nameOf(parent.kind, observed.spec);
  }
  return names;
}

/**
 * Checks whether the object is in the desired parents under their current names. The object's own part of the key can
 * change together with that of its parent.
 */
function isInDesiredParent(
  desiredObject: DesiredObject,
  { spec }: ObservedObject,
  names: JsonObject | undefined,
): boolean {
  if (names === undefined) return false;
  const held = Object.entries({ ...parentNames(desiredObject), ...names });
  return held.every(([name, value]) => equal(spec[name], value));
}

/**
 * True if the object is in a parent that has the desired parent's name only for now: the desired parent has another
 * name today, as `names` says, or does not exist yet.
 */
function isInNamesakeParent(
  desiredObject: DesiredObject,
  { spec }: ObservedObject,
  names: JsonObject | undefined,
): boolean {
  const parents = Object.entries(parentNames(desiredObject));
  const isThere = ([name, value]: readonly [string, JsonValue | undefined]) =>
    value !== undefined && equal(spec[name], value);
  if (names === undefined) return parents.every(isThere);
  return parents.some((one) => {
    const now = names[one[0]];
    return now !== undefined && !equal(now, one[1] ?? null) && isThere(one);
  });
}

/** Returns the fields of the key that refer to other objects, with their values. */
export function parentNames({ kind, spec }: DesiredObject): JsonObject {
  const named = fieldsOf(kind).filter(
    ({ name, traits }) => traits.refersTo !== undefined && kind.key.includes(name),
  );
  return Object.fromEntries(named.map(({ name }) => [name, spec[name]]));
}
