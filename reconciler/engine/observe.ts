// Reads live state: every collection of a declared or owned object, once.
import { keyOf, scopeText } from "../../core/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, Reader, ScopeKey, ObservedObject } from "../../core/kind.ts";
import { observe } from "../../lifecycle/observe.ts";
import { cascadeReferencesOf } from "../model/cascade-rules.ts";
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
  readonly interest: Set<string>;
  readonly keys: Set<string>;
  readonly ids: Set<string>;
}

/** Reads the collections of all requests, kinds in parallel; the client bounds the calls in flight. */
export async function observeAll(
  asked: readonly ObserveRequest[],
  { reader, signal }: { reader: Reader; signal?: AbortSignal | undefined },
): Promise<LiveState> {
  const asks = new Map<string, KindRequest>();
  for (const { kind, scope, fields, key, id } of withCascadeFields(asked)) {
    const ask = asks.get(kind.name) ?? newKindRequest(kind);
    asks.set(kind.name, ask);
    ask.keys.add(key);
    if (id !== undefined) ask.ids.add(id);
    ask.scopes.set(scopeText(scope), scope);
    for (const name of fields) ask.interest.add(name);
  }
  const observed = await Promise.all(
    [...asks.values()].map(({ kind, scopes, interest, keys, ids }) => {
      const wanted = ({ id, spec }: ObservedObject): boolean =>
        (id !== undefined && ids.has(id)) || keys.has(keyOf(kind, spec));
      return observe(kind, [...scopes.values()], { reader, interest, wanted, signal });
    }),
  );
  return new Map(observed.map((one) => [one.kind.name, one]));
}

/** Also reads the fields that cascade deletes, whether declared or not. */
function withCascadeFields(asked: readonly ObserveRequest[]): readonly ObserveRequest[] {
  const kinds = new Set(asked.map(({ kind }) => kind.name));
  return asked.map((one) => {
    const bonds = cascadeReferencesOf(one.kind).filter(({ parentKind: holder }) =>
      kinds.has(holder),
    );
    if (bonds.length === 0) return one;
    return { ...one, fields: [...one.fields, ...bonds.map(({ field }) => field)] };
  });
}

function newKindRequest(kind: Kind): KindRequest {
  return { kind, scopes: new Map(), interest: new Set(), keys: new Set(), ids: new Set() };
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
