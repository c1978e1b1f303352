// Matches declared objects with live objects and inventory entries: by recorded id, then by natural key.
import type { DriftDirection } from "../../core/spec/diff.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { keyOf, nameOf } from "../../core/kind/identity.ts";
import { equal, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import { readablePart } from "../../core/spec/record.ts";
import type { Entry, Inventory, LiveState, DesiredObject } from "../model/index.ts";
import { listEntries } from "../model/inventory-entries.ts";
import { objectsByAddress } from "../model/desired-objects.ts";
import { canBeRenamed, type ObjectIdentity } from "../model/parent-renames.ts";
import {
  addressEntries,
  type EntryAddresses,
  ownEntries,
  type UncertainRename,
} from "./entry-addresses.ts";

/** The entry and the live object of a declared object. */
export interface Match {
  readonly observed: ObservedObject | undefined;
  readonly entry: Entry | undefined;
  /** Recorded address of the entry, if it is another than the declared one: a document was renamed. */
  readonly formerAddress: string | undefined;
  /** The `movedFrom` address whose entry stays, because a document declares an object at that address. */
  readonly declaredSource: string | undefined;
  /** Another live object with the desired natural key. */
  readonly conflictingObject: ConflictingObject | undefined;
  /** The live object that is found by the desired natural key today, which may be in a parent whose name another object gets. */
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
  /** Returns the recorded addresses of entries by their new ones, where they differ. */
  formerAddresses(): ReadonlyMap<string, string>;
  /** Returns the documents with natural keys that can mean another object. */
  uncertainRenames(): readonly UncertainRename[];
}

/** Returns which side changed if the fields do not decide it: an owned object that is not on the server has drifted. */
export function directionOf({ observed, entry }: Match): DriftDirection {
  const isGone = observed === undefined && entry !== undefined && !entry.pending;
  return isGone ? "drifted" : "pending";
}

/** True if the inventory records the object's id: then another object with the same key does not make it ambiguous. */
export function isKnownById({ observed, entry }: Match): boolean {
  return entry?.id !== undefined && entry.id === observed?.id;
}

/** Input to matching. */
export interface MatcherInput {
  readonly live: LiveState;
  readonly inventory: Inventory;
  readonly desiredObjects: readonly DesiredObject[];
  /** Returns the key and scope under which the object of an entry is found today. */
  readonly identityOf: (entry: Entry) => ObjectIdentity;
  /** True if a declared object always has the entry of its address, regardless of its key, as in an undo. */
  readonly keepsAddresses?: boolean | undefined;
}

/** Matches by recorded id, then by natural key. The entries of documents are found for one kind at a time, parents first. */
export function createMatcher(input: MatcherInput): Matcher {
  const { live, inventory, desiredObjects, identityOf, keepsAddresses = false } = input;
  const declared = objectsByAddress(desiredObjects);
  const byKind = Map.groupBy(desiredObjects, ({ kind }) => kind.name);
  const recorded = Map.groupBy(listEntries(inventory.entries), ([, { kind }]) => kind);
  const matches = new Map<string, Match>();
  const names = new Map<string, JsonObject | undefined>();
  const kinds = new Map<string, KindMatches>();
  const { byKey, observedOf, ownObservedOf } = liveLookup({ live, identityOf });

  /** Returns the current names of the parents: they make the key under which the object is found today. */
  function namesOf(desiredObject: DesiredObject): JsonObject | undefined {
    const { address: at } = desiredObject;
    if (!names.has(at))
      names.set(at, currentParentNames(desiredObject, { byAddress: declared, match }));
    return names.get(at);
  }

  function matchesOf(kind: string): KindMatches {
    const known = kinds.get(kind);
    if (known !== undefined) return known;
    const kindMatches = matchesOfKind({
      desiredObjects: byKind.get(kind) ?? [],
      entries: recorded.get(kind) ?? [],
      currentKeyOf: (one) => currentKeyOf(one, namesOf(one)),
      declaredAt: (at) => declared.get(at),
      entryAt: (at) => inventory.entries[at],
      keepsAddresses,
      identityOf,
      ownObservedOf,
    });
    kinds.set(kind, kindMatches);
    return kindMatches;
  }

  function match(desiredObject: DesiredObject): Match {
    const known = matches.get(desiredObject.address);
    if (known !== undefined) return known;
    const found = matchOf(desiredObject, {
      names: namesOf(desiredObject),
      now: currentKeyOf(desiredObject, namesOf(desiredObject)),
      kindMatches: matchesOf(desiredObject.kind.name),
      entries: inventory.entries,
      byKey,
      observedOf,
    });
    matches.set(desiredObject.address, found);
    return found;
  }

  return {
    match,
    ownObservedObject: ownObservedOf,
    formerAddresses: () =>
      new Map([...byKind.keys()].flatMap((kind) => [...matchesOf(kind).formerAddresses])),
    uncertainRenames: () => [...byKind.keys()].flatMap((kind) => matchesOf(kind).uncertain),
  };
}

interface MatchParts extends Pick<LiveLookup, "byKey" | "observedOf"> {
  /** The current names of the parents. */
  readonly names: JsonObject | undefined;
  /** The key under which the object is found today. */
  readonly now: string | undefined;
  readonly kindMatches: KindMatches;
  readonly entries: Inventory["entries"];
}

/** Matches one declared object. */
function matchOf(desiredObject: DesiredObject, parts: MatchParts): Match {
  const { names, now, entries, byKey, observedOf } = parts;
  const { kind, key, rules } = desiredObject;
  const { entryAddressOf, owners } = parts.kindMatches;
  const entryAddress = entryAddressOf(desiredObject.address);
  const entry = entryAddress === undefined ? undefined : entries[entryAddress];
  const own = entry === undefined ? undefined : observedOf(entry);
  const holder = byKey(kind.name, key);
  const found = now === undefined ? undefined : byKey(kind.name, now);
  const owner = found && owners.get(found);
  const isFree = owner === undefined || owner === desiredObject.address;
  const observed = own ?? (isFree ? found : undefined);
  // An object in the desired parent has the key. One in a parent that only has its name now is renamed with that
  // parent.
  const other = [found, holder].find((one) => one !== undefined && one !== observed);
  const isMoving = now !== key && observed !== undefined;
  const source = entry === undefined ? rules?.movedFrom : undefined;
  return {
    observed,
    entry,
    formerAddress: entryAddress === desiredObject.address ? undefined : entryAddress,
    declaredSource: source !== undefined && entryAddressOf(source) === source ? source : undefined,
    conflictingObject: other && { observed: other, owner: owners.get(other) },
    keyHolder: holder,
    movesWithParent: isMoving && isInDesiredParent(desiredObject, observed, names),
    inNamesakeParent: isMoving && isInNamesakeParent(desiredObject, observed, names),
  };
}

/** Returns the key under which an object is found while its parents have these names. */
function currentKeyOf(
  desiredObject: DesiredObject,
  names: JsonObject | undefined,
): string | undefined {
  return names && keyWith(desiredObject, names);
}

/** Returns the key of a declared object with other values in some of its fields. */
function keyWith({ kind, spec, key }: DesiredObject, values: JsonObject): string {
  const isSame = Object.keys(values).every((name) => values[name] === spec[name]);
  return isSame ? key : keyOf(kind, { ...spec, ...values });
}

interface LiveLookup {
  /** Returns the live object with a natural key. */
  readonly byKey: (kind: string, key: string) => ObservedObject | undefined;
  /** Returns the live object with the id of an entry, otherwise the one with its key. */
  readonly observedOf: (entry: Entry) => ObservedObject | undefined;
  /** Does the same, but returns no object whose id differs from the id of the entry. */
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

/** Entries and owners of the objects of one kind. */
interface KindMatches {
  /** Returns the recorded address of the entry of a document. */
  readonly entryAddressOf: (address: string) => string | undefined;
  /** The addresses that own live objects, as they are after the plan. */
  readonly owners: ReadonlyMap<ObservedObject, string>;
  /** Recorded addresses of entries by their new ones, where they differ. */
  readonly formerAddresses: ReadonlyMap<string, string>;
  readonly uncertain: readonly UncertainRename[];
}

interface KindObjects {
  readonly desiredObjects: readonly DesiredObject[];
  readonly entries: readonly (readonly [address: string, entry: Entry])[];
  /** Returns the natural key under which the object of a document is found today. */
  readonly currentKeyOf: (desiredObject: DesiredObject) => string | undefined;
  readonly declaredAt: (address: string) => DesiredObject | undefined;
  readonly entryAt: (address: string) => Entry | undefined;
  readonly keepsAddresses: boolean;
  readonly identityOf: MatcherInput["identityOf"];
  readonly ownObservedOf: LiveLookup["ownObservedOf"];
}

/** Finds the entries of the documents of one kind. */
function matchesOfKind(parts: KindObjects): KindMatches {
  const { entries, ownObservedOf } = parts;
  const { entryOf, displaced, uncertain } = entryAddressesOf(parts);
  const formerAddresses = new Map<string, string>();
  for (const [at, former] of entryOf) if (at !== former) formerAddresses.set(at, former);
  for (const [former, at] of displaced) formerAddresses.set(at, former);
  const addresses = new Map([...entryOf].map(([at, recorded]) => [recorded, at]));
  const owners = new Map<ObservedObject, string>();
  for (const [recorded, entry] of entries) {
    const observed = ownObservedOf(entry);
    const declared = addresses.get(recorded);
    // A crash can leave two entries for one object: the one that is still declared wins.
    if (observed !== undefined && (declared !== undefined || !owners.has(observed)))
      owners.set(observed, declared ?? displaced.get(recorded) ?? recorded);
  }
  return { entryAddressOf: (at) => entryOf.get(at), owners, formerAddresses, uncertain };
}

function entryAddressesOf(parts: KindObjects): EntryAddresses {
  const { desiredObjects, entries, identityOf, ownObservedOf } = parts;
  const documents = desiredObjects.map((desiredObject) => ({
    address: desiredObject.address,
    key: parts.currentKeyOf(desiredObject),
    movedFrom: desiredObject.rules?.movedFrom,
  }));
  const recorded = entries.map(([at, entry]) => ({
    address: at,
    key: identityOf(entry).key,
    id: entry.id,
    isLive: ownObservedOf(entry) !== undefined,
  }));
  const [first] = desiredObjects;
  if (first === undefined || parts.keepsAddresses) return ownEntries(documents, recorded);
  const { kind } = first;
  return addressEntries(documents, recorded, {
    canBeRenamed: canBeRenamed(kind),
    isAlike: (document, entry) => {
      const [declared, found] = [parts.declaredAt(document), parts.entryAt(entry)];
      const content = declared && contentOf(kind, readablePart(kind, declared.spec));
      return equal(content ?? null, found ? contentOf(kind, found.lastApplied) : null);
    },
  });
}

/** Returns the fields of an object that are not part of its natural key. */
function contentOf({ key }: Kind, spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !key.includes(name)));
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
 * change together with the parent's part.
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
 * True if the object is in another parent that still has the desired parent's name: the desired parent has another name
 * today (see `names`), or does not exist yet.
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
