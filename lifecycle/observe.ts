// Seeing the objects of a kind: every collection that is asked about, by natural key and by id.
import pLimit from "p-limit";
import { Failure } from "../core/errors.ts";
import { keyOf } from "../core/identity.ts";
import type { Kind, Reader, ScopeKey, ObservedObject } from "../core/kind.ts";
import { limits } from "../core/limits.ts";

/** The observed objects of one kind, over the scopes that were asked about. */
export interface ObservedObjects {
  readonly kind: Kind;
  /** Without the keys that are ambiguous. */
  readonly byKey: ReadonlyMap<string, ObservedObject>;
  readonly byId: ReadonlyMap<string, ObservedObject>;
  /** Natural keys that several live objects have, with the ids of those that have one. */
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
}

/** What observing works with. */
export interface ObserveOptions {
  readonly reader: Reader;
  /** Spec fields that anyone asks about. */
  readonly interest: ReadonlySet<string>;
  /** The objects that anyone asks about, for kinds where each costs calls of its own; all where it is left out. */
  readonly wanted?: ((sight: ObservedObject) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Observes the collections of `kind` that `scopes` name, each once, a bounded number at a time. */
export async function observe(
  kind: Kind,
  scopes: readonly ScopeKey[],
  { reader, interest, signal, wanted = () => true }: ObserveOptions,
): Promise<ObservedObjects> {
  const atOnce = pLimit(limits.concurrencyMax);
  const collections = await Promise.all(
    scopes.map((scope) =>
      atOnce(() => {
        if (signal?.aborted) throw new Failure("aborted", `Stopped while reading ${kind.plural}.`);
        return kind.bindings.observe.read(reader, scope, interest);
      }),
    ),
  );
  const { detail } = kind.bindings.observe;
  if (detail === undefined) return indexObjects(kind, collections.flat());
  const detailed = await Promise.all(
    collections
      .flat()
      .map((sight) =>
        wanted(sight) ? atOnce(() => detail(reader, sight, interest)) : Promise.resolve(sight),
      ),
  );
  return indexObjects(
    kind,
    detailed.filter((sight) => sight !== undefined),
  );
}

function indexObjects(kind: Kind, sights: readonly ObservedObject[]): ObservedObjects {
  const byKey = new Map<string, ObservedObject>();
  const byId = new Map<string, ObservedObject>();
  const ambiguous = new Map<string, string[]>();
  for (const sight of sights) {
    const key = keyOf(kind, sight.spec);
    const other = byKey.get(key);
    // An object that moved to a later page while the list was walked is seen twice, and is one.
    const same = other !== undefined && other.id !== undefined && other.id === sight.id;
    if (sight.id !== undefined) byId.set(sight.id, sight);
    if (other === undefined) byKey.set(key, sight);
    else if (!same) ambiguous.set(key, [...(ambiguous.get(key) ?? idsOf(other)), ...idsOf(sight)]);
  }
  for (const key of ambiguous.keys()) byKey.delete(key);
  return { kind, byKey, byId, ambiguous };
}

function idsOf({ id }: ObservedObject): string[] {
  return id === undefined ? [] : [id];
}
