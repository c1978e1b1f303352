// Reads the live objects of a kind and indexes them by natural key and ID.
import pLimit from "p-limit";
import { Failure, isFailure } from "../core/errors.ts";
import { keyOf, scopeOf, scopeText } from "../core/kind/identity.ts";
import type { Kind, Reader, ScopeKey, ObservedObject } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";

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
  /**
   * Returns the IDs of all requested objects of a scope by natural key, to read them without the rest of the collection.
   * Undefined if an ID is unknown, or if they are many: then, by default, and where an object has another key or is
   * gone, the collection is read.
   */
  readonly recordedIds?: ((scope: ScopeKey) => ReadonlyMap<string, number> | undefined) | undefined;
  /** Returns whether another kind reads the list of a scope in full, as the users with their groups. Defaults to no. */
  readonly isListedAnyway?: ((scope: ScopeKey) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Observes the collections of `kind` in `scopes`, with limited concurrency. */
export async function observe(
  kind: Kind,
  scopes: readonly ScopeKey[],
  { reader, interest, signal, wanted = () => true, recordedIds, isListedAnyway }: ObserveOptions,
): Promise<ObservedObjects> {
  const limit = pLimit(limits.concurrencyMax);
  const read = async (scope: ScopeKey): Promise<readonly ObservedObject[]> => {
    if (signal?.aborted) throw new Failure("aborted", `canceled while reading ${kind.plural}`);
    const ids = recordedIds?.(scope);
    const recorded = ids && (await readRecorded(kind, scope, { ids, reader, interest }));
    return recorded ?? kind.bindings.observe.read(reader, scope, interest);
  };
  const collections = await Promise.all(
    scopesReadTogether(kind, scopes).map(async ({ within, scopes: inside }) => {
      const isListed = isListedAnyway?.(within) ?? false;
      const together = await readTogether(kind, { within, scopes: inside, isListed, reader });
      return (
        together ?? (await Promise.all(inside.map((scope) => limit(() => read(scope))))).flat()
      );
    }),
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

/** Reads the objects with these IDs. Returns undefined unless each exists and has its recorded key. */
async function readRecorded(
  kind: Kind,
  scope: ScopeKey,
  how: Pick<ObserveOptions, "reader" | "interest"> & { ids: ReadonlyMap<string, number> },
): Promise<readonly ObservedObject[] | undefined> {
  const { reader, interest, ids } = how;
  const { items, ...bindings } = kind.bindings.observe;
  const selecting: Reader = {
    ...reader,
    all: (operation, input) =>
      reader.all(operation, input, operation.id === items?.id ? [...ids.values()] : undefined),
  };
  const objects = await bindings.read(selecting, scope, interest);
  const keys = new Map(objects.map(({ id, spec }) => [id, keyOf(kind, spec)]));
  const isAsRecorded = [...ids].every(([key, id]) => keys.get(String(id)) === key);
  return isAsRecorded ? objects : undefined;
}

/** Collections that one list may have, and the part of the scope that they have in common. */
interface CollectionGroup {
  readonly within: ScopeKey;
  readonly scopes: readonly ScopeKey[];
}

function scopesReadTogether(kind: Kind, scopes: readonly ScopeKey[]): readonly CollectionGroup[] {
  const { together } = kind.bindings.observe;
  if (together === undefined) return [{ within: {}, scopes }];
  const common = (scope: ScopeKey): ScopeKey =>
    Object.fromEntries(together.within.map((name) => [name, scope[name] ?? ""]));
  return [...Map.groupBy(scopes, (scope) => scopeText(common(scope))).values()].map((inside) => ({
    within: common(inside[0] ?? {}),
    scopes: inside,
  }));
}

/**
 * Returns how many pages of a list may be read instead of a number of existing collections: the others take no call. A
 * list that is read anyway costs nothing more. Another list has all objects of the account, few of which may be in
 * these collections: a full page costs about as much as {@link limits.collectionsReadApart} small collections. It is
 * given up when it is longer, after a twentieth of the calls that the collections take.
 */
function pagesFor(collections: number, isListedAnyway: boolean): number {
  if (isListedAnyway) return Number.POSITIVE_INFINITY;
  return Math.floor(Math.max(collections - 1, 0) / limits.collectionsReadApart);
}

/** Reads the objects of several collections together. Returns undefined if each must be read by itself. */
async function readTogether(
  kind: Kind,
  { within, scopes, isListed, reader }: CollectionGroup & { isListed: boolean; reader: Reader },
): Promise<readonly ObservedObject[] | undefined> {
  const { together } = kind.bindings.observe;
  if (together === undefined || scopes.length < 2) return undefined;
  const request = { scopes, pagesFor: (count: number) => pagesFor(count, isListed) };
  const all = await together.read(reader, within, request).catch((error: unknown) => {
    // The lists have more than the requested objects. Collections cost the server less, and need fewer permissions.
    if (replaceable.some((code) => isFailure(error, code))) return undefined;
    throw error;
  });
  // Objects of other collections are left out, so that the result equals the result of single reads.
  const wanted = new Set(scopes.map(scopeText));
  return all?.filter(({ spec }) => wanted.has(scopeText(scopeOf(kind, spec))));
}

/** Failures of a list that the collections may not have. */
const replaceable = ["not_offered", "not_found", "forbidden", "unexpected_answer"] as const;

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
