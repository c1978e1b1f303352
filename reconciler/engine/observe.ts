// Reads live state: every collection of a declared or owned object, once.
import { keyOf, scopeText } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, Reader, ScopeKey, ObservedObject } from "../../core/kind/kind.ts";
import { observe } from "../../lifecycle/observe.ts";
import { cascadeReferencesOf } from "../../core/kind/cascades.ts";
import type { Change, LiveState } from "../model/index.ts";

/** An object to observe: its collection and the fields to read. */
export interface ObserveRequest {
  readonly kind: Kind;
  readonly scope: ScopeKey;
  readonly fields: Iterable<string>;
  /** Its natural key, and its id if known: fields that cost extra calls are read for these objects only. */
  readonly key: string;
  readonly id?: string | undefined;
}

interface KindRequest {
  readonly kind: Kind;
  readonly scopes: Map<string, ScopeKey>;
  /** The scope of the last request: requests often come by scope. */
  lastScope: ScopeKey | undefined;
  readonly interest: Set<string>;
  /** Natural keys and ids of the objects to read in detail. Empty for a kind without calls per object. */
  readonly keys: Set<string>;
  readonly ids: Set<string>;
}

/** Reads the collections of all requests, kinds in parallel; the client bounds the calls in flight. */
export async function observeAll(
  requests: Iterable<ObserveRequest>,
  { reader, signal }: { reader: Reader; signal?: AbortSignal | undefined },
): Promise<LiveState> {
  const asks = requestsByKind(requests);
  const observed = await Promise.all(
    [...asks.values()].map(({ kind, scopes, interest, keys, ids }) => {
      const wanted = ({ id, spec }: ObservedObject): boolean =>
        (id !== undefined && ids.has(id)) || keys.has(keyOf(kind, spec));
      // The reads of two kinds share the lists of a run.
      const listing = asks.get(kind.entryOf?.kind ?? "")?.scopes;
      const isListedAnyway = (scope: ScopeKey) => listing?.has(scopeText(scope)) === true;
      const how = { reader, interest, wanted, signal, isListedAnyway };
      return observe(kind, [...scopes.values()], how);
    }),
  );
  return new Map(observed.map((one) => [one.kind.name, one]));
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
    if (ask.lastScope === undefined || !isSameScope(ask.lastScope, scope)) {
      ask.lastScope = scope;
      ask.scopes.set(scopeText(scope), scope);
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
  return { kind, ...none, lastScope: undefined, ids: new Set() };
}

function isSameScope(one: ScopeKey, other: ScopeKey): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
  );
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
