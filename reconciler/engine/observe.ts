// client -> live: every collection that a wish or an owned object is in, read once.
import { keyOf, scopeText } from "../../core/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, Reader, ScopeKey, ObservedObject } from "../../core/kind.ts";
import { observe } from "../../lifecycle/observe.ts";
import { cascadeReferencesOf } from "./cascade-rules.ts";
import type { Change, LiveState } from "../model/index.ts";

/** An object somebody asks about: where it is listed, and the fields that are to be seen of it. */
export interface ObserveRequest {
  readonly kind: Kind;
  readonly scope: ScopeKey;
  readonly fields: Iterable<string>;
  /** Its natural key, and its id where it is known: what is dear to see is seen of these objects only. */
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

/** Reads the collections of everything that is asked about, kinds side by side; the client bounds what is in flight. */
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

/** What an object goes along with is seen too, wished for or not, where any such holder may go. */
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

/** The names of the fields that are set. */
export function fieldNames(spec: JsonObject): string[] {
  return Object.keys(spec).filter((name) => spec[name] !== undefined);
}

/** The live object that a change is about. */
export function observedObjectOf(
  kind: Kind,
  change: Change,
  live: LiveState,
): ObservedObject | undefined {
  const seen = live.get(kind.name);
  const byId = change.id === undefined ? undefined : seen?.byId.get(change.id);
  return byId ?? seen?.byKey.get(change.from?.key ?? change.key);
}
