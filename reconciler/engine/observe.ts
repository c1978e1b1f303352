// Reads live state: every collection of a declared or owned object, once, also under parents that were renamed since. Of a
// large collection, a small stack reads only the objects that it owns.
import { keyOf, scopeText } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import {
  type Kind,
  kindsByName,
  type ObservedObject,
  type Reader,
  type ScopeKey,
} from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { observe } from "../../lifecycle/observe.ts";
import { cascadeReferencesOf } from "../../core/kind/cascades.ts";
import type { Change, DesiredState, Entry, Inventory, LiveState } from "../model/index.ts";
import { entriesByKind } from "../model/stack-index.ts";
import {
  type ObjectIdentity,
  renamableParents,
  resolveParentRenames,
} from "../model/parent-renames.ts";

/** An object to observe: its collection and the fields to read. */
export interface ObserveRequest {
  readonly kind: Kind;
  readonly scope: ScopeKey;
  readonly fields: Iterable<string>;
  /** Its natural key, and its id if known: fields that cost extra calls are read for these objects only. */
  readonly key: string;
  readonly id?: string | undefined;
}

interface ScopeRequest {
  readonly scope: ScopeKey;
  /** Natural keys of the objects, and the ids of those that have one: some, where they are too many to be selected. */
  readonly keys: Set<string>;
  readonly ids: Map<string, number>;
}

interface KindRequest {
  readonly kind: Kind;
  readonly scopes: Map<string, ScopeRequest>;
  /** The scope of the last request: requests often come by scope. */
  last: ScopeRequest | undefined;
  readonly interest: Set<string>;
  /** Natural keys and ids of the objects to read in detail. Empty for a kind without calls per object. */
  readonly keys: Set<string>;
  readonly ids: Set<string>;
}

/** How to observe. */
export interface ObserveOptions {
  readonly reader: Reader;
  readonly signal?: AbortSignal | undefined;
  /** Other kinds that the run reads later. */
  readonly later?: readonly Kind[];
}

/** Reads the collections of all requests, kinds in parallel; the client bounds the calls in flight. */
export async function observeAll(
  requests: Iterable<ObserveRequest>,
  { reader, signal, later = [] }: ObserveOptions,
): Promise<LiveState> {
  const asks = requestsByKind(requests);
  const kinds = [...asks.values()].map(({ kind }) => kind);
  const observed = await Promise.all(
    [...asks.values()].map(({ kind, scopes, interest, keys, ids }) => {
      const wanted = ({ id, spec }: ObservedObject): boolean =>
        (id !== undefined && ids.has(id)) || keys.has(keyOf(kind, spec));
      // The reads of two kinds share the lists of a run.
      const listing = asks.get(kind.entryOf?.kind ?? "")?.scopes;
      const isListedAnyway = (scope: ScopeKey) => listing?.has(scopeText(scope)) === true;
      const isSelected = !isListedForOthers(kind, [...kinds, ...later]);
      const recordedIds = (scope: ScopeKey) =>
        isSelected ? recordedIdsOf(scopes.get(scopeText(scope))) : undefined;
      const how = { reader, interest, wanted, signal, recordedIds, isListedAnyway };
      return observe(
        kind,
        [...scopes.values()].map(({ scope }) => scope),
        how,
      );
    }),
  );
  return new Map(observed.map((collection) => [collection.kind.name, collection]));
}

/** Returns whether the objects of another one of these kinds are read from the list of this one. */
function isListedForOthers({ name, bindings: { observe: own } }: Kind, kinds: readonly Kind[]) {
  return kinds.some(
    (kind) =>
      kind.name !== name && kind.bindings.observe.needs.some(({ id }) => id === own.items?.id),
  );
}

/** Returns the ids of all objects of a scope by natural key, if they are known and few. */
function recordedIdsOf(request: ScopeRequest | undefined): ScopeRequest["ids"] | undefined {
  if (request === undefined || request.keys.size > limits.selectedIds) return undefined;
  const { keys, ids } = request;
  return [...keys].every((key) => ids.has(key)) ? ids : undefined;
}

/** Keeps no request, because a large stack has many. */
function requestsByKind(requests: Iterable<ObserveRequest>): ReadonlyMap<string, KindRequest> {
  const asks = new Map<string, KindRequest>();
  for (const { kind, scope, fields, key, id } of requests) {
    const ask = asks.get(kind.name) ?? newKindRequest(kind);
    asks.set(kind.name, ask);
    if (kind.bindings.observe.detail !== undefined) {
      ask.keys.add(key);
      if (id !== undefined) ask.ids.add(id);
    }
    if (ask.last === undefined || !isSameScope(ask.last.scope, scope)) {
      const text = scopeText(scope);
      ask.last = ask.scopes.get(text) ?? { scope, keys: new Set(), ids: new Map() };
      ask.scopes.set(text, ask.last);
    }
    const { keys, ids } = ask.last;
    if (kind.bindings.observe.items !== undefined && keys.size <= limits.selectedIds) {
      keys.add(key);
      if (id !== undefined && /^[1-9]\d{0,8}$/.test(id)) ids.set(key, Number(id));
    }
    for (const name of fields) ask.interest.add(name);
  }
  // Also reads the fields that cascade deletes, whether declared or not.
  for (const { kind, interest } of asks.values())
    for (const { field, parentKind } of cascadeReferencesOf(kind))
      if (asks.has(parentKind)) interest.add(field);
  return asks;
}

function newKindRequest(kind: Kind): KindRequest {
  const none = { scopes: new Map(), interest: new Set<string>(), keys: new Set<string>() };
  return { kind, ...none, last: undefined, ids: new Set() };
}

function isSameScope(left: ScopeKey, right: ScopeKey): boolean {
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length && names.every((name) => left[name] === right[name])
  );
}

/**
 * Returns everything that is declared or owned. Parents are observed first, because they may have been
 * renamed.
 */
export async function observeStack(
  { desired, kinds }: { readonly desired: DesiredState; readonly kinds: readonly Kind[] },
  inventory: Inventory,
  how: Pick<ObserveOptions, "reader" | "signal">,
): Promise<LiveState> {
  const byName = kindsByName(kinds);
  const recorded = entriesByKind(inventory.entries);
  let seen: LiveState = new Map();
  let placeOf = resolveParentRenames(inventory, byName, { live: seen });
  const later = kinds.filter(({ name }) => recorded.has(name));
  for (const parent of renamableParents(recorded.keys(), byName)) {
    const childRequests = (recorded.get(parent) ?? []).flatMap((entry) =>
      requestsOfEntry(entry, { byName, place: placeOf(entry) }),
    );
    if (childRequests.length === 0) continue;
    seen = new Map([...seen, ...(await observeAll(childRequests, { ...how, later }))]);
    placeOf = resolveParentRenames(inventory, byName, { live: seen });
  }
  function* requests(): Generator<ObserveRequest> {
    for (const { kind, scope, spec, key } of desired.objects)
      yield { kind, scope, key, fields: fieldNames(spec) };
    for (const entries of recorded.values())
      for (const entry of entries) yield* requestsOfEntry(entry, { byName, place: placeOf(entry) });
  }
  return observeAll(requests(), how);
}

function requestsOfEntry(
  { kind: name, id, lastApplied }: Entry,
  { byName, place }: { byName: ReadonlyMap<string, Kind>; place: ObjectIdentity },
): ObserveRequest[] {
  const kind = byName.get(name);
  const { key, scope } = place;
  return kind === undefined ? [] : [{ kind, scope, key, id, fields: fieldNames(lastApplied) }];
}

/** Returns the names of the fields that are set. */
export function fieldNames(spec: JsonObject): string[] {
  return Object.keys(spec).filter((name) => spec[name] !== undefined);
}

/** Returns the live object of a change or of an entry: by ID, otherwise by its key. */
export function observedObjectOf(
  kind: Kind,
  change: Pick<Change, "key"> & Partial<Pick<Change, "id" | "from">>,
  live: LiveState,
): ObservedObject | undefined {
  const seen = live.get(kind.name);
  const byId = change.id === undefined ? undefined : seen?.byId.get(change.id);
  return byId ?? seen?.byKey.get(change.from?.key ?? change.key);
}
