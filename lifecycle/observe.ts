// Reads the live objects of a kind and indexes them by natural key and ID.
import pLimit from "p-limit";
import { Failure, isFailure } from "../core/errors.ts";
import { keyOf, scopeOf, scopeText } from "../core/identity.ts";
import type { Kind, Reader, ScopeKey, ObservedObject } from "../core/kind.ts";
import { limits } from "../core/limits.ts";

/** The observed objects of one kind in the requested scopes. */
export interface ObservedObjects {
  readonly kind: Kind;
  /** Objects by natural key, without ambiguous keys. */
  readonly byKey: ReadonlyMap<string, ObservedObject>;
  readonly byId: ReadonlyMap<string, ObservedObject>;
  /** Natural keys of several live objects, with the objects' IDs. */
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
}

/** Options of observing. */
export interface ObserveOptions {
  readonly reader: Reader;
  /** Required spec fields. */
  readonly interest: ReadonlySet<string>;
  /** Selects the objects to read in detail, for kinds with calls per object. Defaults to all. */
  readonly wanted?: ((observed: ObservedObject) => boolean) | undefined;
  /** Whether the scopes are all collections of the account, which may take fewer calls together. */
  readonly isEveryScope?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Observes the collections of `kind` in `scopes`, with limited concurrency. */
export async function observe(
  kind: Kind,
  scopes: readonly ScopeKey[],
  { reader, interest, signal, wanted = () => true, isEveryScope = false }: ObserveOptions,
): Promise<ObservedObjects> {
  const limit = pLimit(limits.concurrencyMax);
  const together = isEveryScope ? await readTogether(kind, scopes, reader) : undefined;
  const collections = together
    ? [together]
    : await Promise.all(
        scopes.map((scope) =>
          limit(() => {
            if (signal?.aborted)
              throw new Failure("aborted", `Canceled while reading ${kind.plural}.`);
            return kind.bindings.observe.read(reader, scope, interest);
          }),
        ),
      );
  const objects = collections.flat();
  const { detail } = kind.bindings.observe;
  if (detail === undefined) return indexObjects(kind, objects);
  const detailed = await Promise.all(
    objects.map((observed) =>
      wanted(observed)
        ? limit(() => detail(reader, observed, interest))
        : Promise.resolve(observed),
    ),
  );
  return indexObjects(
    kind,
    detailed.filter((observed) => observed !== undefined),
  );
}

/** Reads the objects of several collections at once; undefined if the kind has no such read, or the server's lists lack them. */
async function readTogether(
  kind: Kind,
  scopes: readonly ScopeKey[],
  reader: Reader,
): Promise<readonly ObservedObject[] | undefined> {
  const { readAll } = kind.bindings.observe;
  if (readAll === undefined || scopes.length < 2) return undefined;
  const wanted = new Set(scopes.map(scopeText));
  const all = await readAll(reader).catch((error: unknown) => {
    // The read of each collection needs less of the server, and fewer permissions.
    if (isFailure(error, "not_offered") || isFailure(error, "forbidden")) return undefined;
    throw error;
  });
  return all?.filter(({ spec }) => wanted.has(scopeText(scopeOf(kind, spec))));
}

function indexObjects(kind: Kind, objects: readonly ObservedObject[]): ObservedObjects {
  const byKey = new Map<string, ObservedObject>();
  const byId = new Map<string, ObservedObject>();
  const ambiguous = new Map<string, string[]>();
  for (const observed of objects) {
    const key = keyOf(kind, observed.spec);
    const other = byKey.get(key);
    // An object that moved to a later page during paging appears twice.
    const same = other !== undefined && other.id !== undefined && other.id === observed.id;
    if (observed.id !== undefined) byId.set(observed.id, observed);
    if (other === undefined) byKey.set(key, observed);
    else if (!same) {
      const ids = ambiguous.get(key) ?? idsOf(other);
      ids.push(...idsOf(observed));
      ambiguous.set(key, ids);
    }
  }
  for (const key of ambiguous.keys()) byKey.delete(key);
  return { kind, byKey, byId, ambiguous };
}

function idsOf({ id }: ObservedObject): string[] {
  return id === undefined ? [] : [id];
}
