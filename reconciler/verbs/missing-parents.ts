// Finds objects that are gone because a parent outside the stack was renamed or deleted on the server.
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import { address, keyOf, parseKey, scopeOf } from "../../core/kind/identity.ts";
import { type Kind, kindsByName, type ScopeKey } from "../../core/kind/kind.ts";
import { observedObjectOf, type ObserveRequest } from "../engine/observe.ts";
import { listEntries } from "../model/inventory-entries.ts";
import type { DesiredState, Entry, Inventory, LiveState, MissingParent } from "../model/index.ts";
import {
  canBeRenamed,
  type MovedEntries,
  type Parent,
  parentsOf,
  resolveParentRenames,
} from "../model/parent-renames.ts";
import { observeLiveState } from "./live-state.ts";
import {
  addName,
  candidatesByPlace,
  type LostObject,
  observeReadable,
  placeText,
  searchRenamed,
  type SeenParents,
} from "./search-renamed.ts";

/** The live state, and the missing parents outside the stack. */
export interface LiveParents {
  readonly live: LiveState;
  /** Parents that are not on the server under their names, by the recorded addresses of owned objects that are gone with them. */
  readonly missingParents: ReadonlyMap<string, MissingParent>;
  /** Entries that are looked for in a parent that was renamed. */
  readonly moved: MovedEntries;
}

/** No parent is missing. */
export const noMissingParents: Omit<LiveParents, "live"> = {
  missingParents: new Map(),
  moved: new Map(),
};

interface ParentSearch {
  readonly desired: DesiredState;
  readonly kinds: readonly Kind[];
  readonly apiDiscovery: Pick<ApiDiscovery, "has">;
  readonly inventory: Inventory;
  readonly live: LiveState;
  readonly moved: MovedEntries;
  /** Returns the addresses that the plan covers; undefined for all. */
  readonly covered: () => Promise<ReadonlySet<string> | undefined>;
}

/** An owned object that is not on the server where it is expected. */
interface MissingObject extends Omit<LostObject, "parent" | "parentKind" | "inner"> {
  /** Its parents that have neither a document nor an entry, outermost first. */
  readonly parents: readonly Parent[];
}

type Reading = Parameters<typeof observeLiveState>[2];

/** Scopes nest at most two parents; one more round confirms that nothing else moved. */
const rounds = 3;

/** Looks for missing objects in renamed parents, one level of parents at a time. */
export async function followRenamedParents(
  known: Omit<ParentSearch, "moved">,
  reading: Reading,
): Promise<LiveParents> {
  let { live, moved, missingParents: missing } = { ...noMissingParents, live: known.live };
  for (let round = 0; round < rounds; round++) {
    missing = await missingParents({ ...known, live, moved }, reading);
    if (missing.size === 0) break;
    const more = movedEntries({ ...known, live, moved }, missing);
    if (more.size === 0) break;
    moved = new Map([...moved, ...more]);
    live = await observeLiveState(known, known.inventory, { ...reading, moved });
  }
  return { live, missingParents: missing, moved };
}

/**
 * Returns the entries in renamed parents with their new scopes. As long as a document of the same kind is in the parent
 * under the former name, the entries stay there: the document can declare any of them.
 */
function movedEntries(
  { desired, kinds, inventory, live, moved }: ParentSearch,
  missing: ReadonlyMap<string, MissingParent>,
): MovedEntries {
  const more = new Map<Entry, Pick<Entry, "key" | "scope">>();
  const byName = kindsByName(kinds);
  const placeOf = resolveParentRenames(inventory, byName, { live, moved });
  const declared = new Set(desired.objects.map(({ kind, scope }) => placeText(kind, scope)));
  for (const [recorded, { field, newName }] of missing) {
    const entry = inventory.entries[recorded];
    const kind = entry && byName.get(entry.kind);
    if (entry === undefined || kind === undefined || newName === undefined) continue;
    const { key, scope } = placeOf(entry);
    const fields = parseKey(kind, key);
    if (fields === undefined || declared.has(placeText(kind, scope))) continue;
    const now = { ...fields, [field]: newName };
    more.set(entry, { key: keyOf(kind, now), scope: scopeOf(kind, now) });
  }
  return more;
}

/** Reads nothing unless an owned object is missing and its parent has neither a document nor an entry. */
async function missingParents(
  known: ParentSearch,
  reading: Reading,
): Promise<ReadonlyMap<string, MissingParent>> {
  const kinds = kindsByName(known.kinds);
  const all = missingObjects(known, kinds);
  if (all.length === 0) return new Map();
  const covered = await known.covered();
  const missing = all.filter(({ recorded }) => covered?.has(recorded) !== false);
  const seen = await observeParents(missing, { kinds, reading, known });
  const lost = missing.flatMap((one) => lostObject(one, seen, kinds));
  const groups = Map.groupBy(lost, ({ parentKind, scope }) =>
    placeText(parentKind, scopeOf(parentKind, scope)),
  );
  const candidates = candidatesByPlace(
    seen,
    groups.size === 0 ? new Set() : namedParents(known, kinds),
  );
  const newNames = namesOfLiveSiblings(
    known,
    kinds,
    new Set(lost.map((one) => one.parent.parentAddress)),
  );
  const found = await Promise.all(
    [...groups].map(([place, group]) => {
      const isListed = group.every(({ parent }) => seen.get(parent.kind) !== undefined);
      const names = isListed ? (candidates.get(place) ?? []) : undefined;
      return searchRenamed(group, { candidates: names, newNames }, reading);
    }),
  );
  return new Map(found.flat());
}

/** Returns the owned objects that are not on the server, with their parents of no document and no entry. */
function missingObjects(
  { desired, inventory, live, moved }: ParentSearch,
  kinds: ReadonlyMap<string, Kind>,
): readonly MissingObject[] {
  const placeOf = resolveParentRenames(inventory, kinds, { live, moved });
  const missing = listEntries(inventory.entries).flatMap(([recorded, entry]) => {
    const kind = kinds.get(entry.kind);
    const { key, scope } = placeOf(entry);
    if (kind === undefined || entry.pending) return [];
    if (observedObjectOf(kind, { key, ...(entry.id !== undefined && { id: entry.id }) }, live))
      return [];
    const parents = parentsOf(kind, scope, kinds);
    return parents.length === 0 ? [] : [{ recorded, entry, kind, key, scope, parents }];
  });
  if (missing.length === 0) return [];
  const own = new Set([
    ...desired.objects.map(({ kind, key }) => address(kind.name, key)),
    ...listEntries(inventory.entries).map(([, entry]) => address(entry.kind, placeOf(entry).key)),
  ]);
  const depth = ({ kind }: Parent) => kinds.get(kind)?.scope.length ?? 0;
  return missing.flatMap((one): MissingObject[] => {
    const parents = one.parents
      .filter(({ parentAddress }) => !own.has(parentAddress))
      .toSorted((a, b) => depth(a) - depth(b));
    return parents.length === 0 ? [] : [{ ...one, parents }];
  });
}

interface ParentReading {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly reading: Reading;
  readonly known: Pick<ParentSearch, "apiDiscovery">;
}

/** Leaves out kinds that the server does not list. */
async function observeParents(
  missing: readonly MissingObject[],
  { kinds, reading, known }: ParentReading,
): Promise<SeenParents> {
  const parents = new Map(
    missing.flatMap((one) => one.parents.map((parent) => [parent.parentAddress, parent] as const)),
  );
  const byKind = Map.groupBy(parents.values(), ({ kind }) => kind);
  const seen = await Promise.all(
    [...byKind].map(async ([name, ofKind]) => {
      const kind = kinds.get(name);
      const { needs = [] } = kind?.bindings.observe ?? {};
      if (kind === undefined || !needs.every((one) => known.apiDiscovery.has(one))) return [];
      const requests = ofKind.flatMap(({ key }): ObserveRequest[] => {
        const fields = parseKey(kind, key);
        return fields ? [{ kind, key, scope: scopeOf(kind, fields), fields: [] }] : [];
      });
      return [[name, await observeReadable(requests, kind, reading)] as const];
    }),
  );
  return new Map(seen.flat());
}

/** Returns the object with its outermost parent that is missing, if one is, or that may be. */
function lostObject(
  one: MissingObject,
  seen: SeenParents,
  kinds: ReadonlyMap<string, Kind>,
): LostObject[] {
  for (const parent of one.parents) {
    const parentKind = kinds.get(parent.kind);
    if (parentKind === undefined || !seen.has(parent.kind)) continue;
    const live = seen.get(parent.kind);
    const exists = live
      ? live.byKey.has(parent.key) || live.ambiguous.has(parent.key)
      : !canBeRenamed(parentKind);
    if (exists) continue;
    const inner = parentsOf(one.kind, one.scope, kinds).flatMap((other) => {
      const kind = kinds.get(other.kind);
      const isInner = kind !== undefined && kind.scope.length > parentKind.scope.length;
      return isInner && canBeRenamed(kind) ? [other.parentAddress] : [];
    });
    return [{ ...one, parent, parentKind, inner }];
  }
  return [];
}

/** Returns the names of the parents in which owned objects of missing parents were found already. */
function namesOfLiveSiblings(
  { inventory, live, moved }: ParentSearch,
  kinds: ReadonlyMap<string, Kind>,
  missing: ReadonlySet<string>,
): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  if (missing.size === 0) return names;
  const placeOf = resolveParentRenames(inventory, kinds, { live, moved });
  for (const [, entry] of listEntries(inventory.entries)) {
    const kind = kinds.get(entry.kind);
    const observed = live.get(entry.kind)?.byId.get(entry.id ?? "");
    if (kind === undefined || observed === undefined) continue;
    const { scope } = placeOf(entry);
    const now = scopeOf(kind, observed.spec);
    const parent = parentsOf(kind, scope, kinds).find((one) => missing.has(one.parentAddress));
    const name = parent && now[parent.field];
    if (parent && name !== undefined && name !== scope[parent.field])
      addName(names, parent.parentAddress, name);
  }
  return names;
}

/** Returns the addresses of everything that documents and entries are in. */
function namedParents(
  { desired, inventory }: ParentSearch,
  kinds: ReadonlyMap<string, Kind>,
): ReadonlySet<string> {
  const named = new Set<string>();
  const add = (kind: Kind, scope: ScopeKey) => {
    for (const { parentAddress } of parentsOf(kind, scope, kinds)) named.add(parentAddress);
  };
  for (const { kind, scope } of desired.objects) add(kind, scope);
  for (const [, { kind: name, scope }] of listEntries(inventory.entries)) {
    const kind = kinds.get(name);
    if (kind !== undefined) add(kind, scope);
  }
  return named;
}
