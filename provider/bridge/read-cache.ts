// Caches pages for engines that read object by object. Reads share cached pages; reads after a write share fresh pages.
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import type { ReadOnlyClient } from "../../client/types.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import { keyOf } from "../../core/kind/identity.ts";
import type { Kind, ScopeKey, ObservedObject } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { requireGone } from "../../lifecycle/hidden-objects.ts";
import { observe, type ObservedObjects } from "../../lifecycle/observe.ts";
import { createCachedReader, type CachedReader } from "../../lifecycle/reader.ts";
import { createNewestReads, type NewestReads } from "./newest-reads.ts";
import { collectionName, type ReadTarget } from "./read-target.ts";

/**
 * Reads objects. Returns undefined for a missing object; fails with `conflict` if several objects share a key and no id is known,
 * and with `out_of_scope` if the credential may not read a missing object.
 */
export interface ReadCache {
  /** Reads from pages that are cached until {@link ReadCache.invalidate}. */
  readCached(target: ReadTarget): Promise<ObservedObject | undefined>;
  /** Does the same, but also returns undefined for an object that the credential may not read. */
  findCached(target: ReadTarget): Promise<ObservedObject | undefined>;
  /** Reads from pages that are fetched after this call. Concurrent calls share the next fetch. */
  readFresh(target: ReadTarget): Promise<ObservedObject | undefined>;
  /** Does the same, but also returns undefined for an object that the credential may not read. */
  findFresh(target: ReadTarget): Promise<ObservedObject | undefined>;
  /** Lists every object of a collection from pages that are fetched after this call. */
  listFresh(kind: Kind, scope: ScopeKey): Promise<readonly ObservedObject[]>;
  /** Drops the cached pages after a write. */
  invalidate(): void;
}

/** One fetch of pages, with the collections built from them. */
interface PageReads {
  readonly reader: CachedReader;
  readonly collections: Map<string, Promise<ObservedObjects>>;
  /** Number of objects of each collection when it was last listed, by {@link collectionName}. All fetches share it. */
  readonly sizes: Map<string, number>;
  /** Returns whether reading an object by id is cheaper than its collection. */
  readonly prefersById: (target: ReadTarget) => boolean;
  /** Reads objects that were just created from the first items of their lists. */
  readonly newest: NewestReads | undefined;
}

/** Options of {@link createReadCache}. `apiDiscovery` lists the operations that the server offers. */
export interface ReadCacheOptions {
  readonly client: ReadOnlyClient;
  readonly apiDiscovery: Pick<ApiDiscovery, "has">;
  readonly signal: AbortSignal;
}

/**
 * Creates a read cache over a read-only client. A few objects of a collection are read by id, if the API supports it, because a
 * collection may be much larger than its managed part. Else the whole collection is fetched. The client limits concurrent
 * reads. `signal` stops cached reads between requests. It does not stop fresh reads: written objects are always read back into
 * the state.
 */
export function createReadCache({ client, apiDiscovery, signal }: ReadCacheOptions): ReadCache {
  const sizes = new Map<string, number>();
  const newPageReads = (prefersById: PageReads["prefersById"], until?: AbortSignal): PageReads => ({
    reader: createCachedReader(client, { signal: until }),
    collections: new Map(),
    sizes,
    prefersById,
    newest: undefined,
  });
  let cached: PageReads | undefined;
  const cachedReads = () => (cached ??= newPageReads(firstFewPreference(), signal));
  const [during, always] = [
    { apiDiscovery, signal },
    { apiDiscovery, signal: undefined },
  ];
  const newest = createNewestReads(client);
  const withFreshReads = createRounds((targets) => ({
    ...newPageReads(roundPreference(targets, sizes)),
    newest: newest(targets),
  }));
  return {
    readCached: async (target) => read(cachedReads(), target, during),
    findCached: async (target) => lookUp(cachedReads(), target, during),
    readFresh: (target) => withFreshReads(target, (reads) => read(reads, target, always)),
    findFresh: (target) => withFreshReads(target, (reads) => lookUp(reads, target, always)),
    listFresh: (kind, scope) => {
      const requestedFields = new Set(Object.keys(kind.spec.properties));
      const collection = { kind, scope, requestedFields };
      const target = { ...collection, id: undefined, key: undefined, isNew: false };
      return withFreshReads(target, async (reads) => {
        const { byId, byKey } = await readCollection(reads, collection, signal);
        const objects = [...new Set([...byKey.values(), ...byId.values()])];
        const full = await Promise.all(
          objects.map((observed) => withDetail(reads, { kind, requestedFields }, observed)),
        );
        return full.filter((observed) => observed !== undefined);
      });
    },
    invalidate: () => {
      cached = undefined;
    },
  };
}

/** Reads that share a fetch, which starts after the current one ends. */
interface Round {
  readonly targets: ReadTarget[];
  readonly reads: Promise<PageReads>;
}

/** Returns a function that reads in the next round. `open` starts a fetch for all targets of a round. */
function createRounds(open: (targets: readonly ReadTarget[]) => PageReads) {
  let next: Round | undefined;
  let running: Promise<unknown> = Promise.resolve();
  const newRound = (): Round => {
    const targets: ReadTarget[] = [];
    const reads = Promise.all([running, sleep(limits.coalesceMs)]).then(() => {
      next = undefined;
      return open(targets);
    });
    return { targets, reads };
  };
  return async <T>(target: ReadTarget, work: (reads: PageReads) => Promise<T>): Promise<T> => {
    next ??= newRound();
    next.targets.push(target);
    const result = next.reads.then(work);
    const previous = running;
    running = Promise.allSettled([previous, result]);
    return result;
  };
}

/** Prefers reads by id for the first few objects of each collection: how many more follow is not known. */
function firstFewPreference(): PageReads["prefersById"] {
  const idsPerCollection = new Map<string, Set<string>>();
  return (target) => {
    const ids = entryOf(idsPerCollection, collectionName(target));
    if (ids.size < limits.readsById) ids.add(target.id ?? "");
    return ids.has(target.id ?? "");
  };
}

/**
 * Prefers reads by id for the targets of a round, unless they are many for the size of their collection, or one of them
 * needs the collection. If the collection were always listed, a run that writes a few objects at a time would read as
 * many objects as their number squared.
 */
function roundPreference(
  targets: readonly ReadTarget[],
  sizes: ReadonlyMap<string, number>,
): PageReads["prefersById"] {
  const idsPerCollection = new Map<string, Set<string>>();
  for (const target of targets)
    entryOf(idsPerCollection, collectionName(target)).add(target.id ?? "");
  return (target) => {
    const name = collectionName(target);
    const ids = entryOf(idsPerCollection, name);
    const size = sizes.get(name) ?? 0;
    return !ids.has("") && ids.size <= Math.max(limits.readsById, size / limits.listedPerReadById);
  };
}

function entryOf(idsPerCollection: Map<string, Set<string>>, name: string): Set<string> {
  const ids = idsPerCollection.get(name) ?? new Set();
  idsPerCollection.set(name, ids);
  return ids;
}

interface LookupOptions {
  readonly apiDiscovery: Pick<ApiDiscovery, "has">;
  readonly signal: AbortSignal | undefined;
}

/** Reads an object. Returns undefined only if it does not exist. */
async function read(
  reads: PageReads,
  target: ReadTarget,
  lookup: LookupOptions,
): Promise<ObservedObject | undefined> {
  const found = await lookUp(reads, target, lookup);
  if (found === undefined) await requireGone(target, reads.reader);
  return found;
}

async function lookUp(
  reads: PageReads,
  target: ReadTarget,
  lookup: LookupOptions,
): Promise<ObservedObject | undefined> {
  const found = shouldReadById(reads, target, lookup)
    ? await readById(reads, target)
    : await reads.newest?.read(target);
  return found === undefined
    ? readFromCollection(reads, target, lookup.signal)
    : withDetail(reads, target, found);
}

/** Returns whether the object is read by id, and not from its collection: never while the whole collection is being read. */
function shouldReadById(
  { collections, prefersById }: PageReads,
  target: ReadTarget,
  { apiDiscovery }: LookupOptions,
): boolean {
  const { byId } = target.kind.bindings.observe;
  return (
    byId !== undefined &&
    /^\d{1,15}$/.test(target.id ?? "") &&
    !collections.has(collectionKey(target)) &&
    byId.needs.every((one) => apiDiscovery.has(one)) &&
    prefersById(target)
  );
}

/** Reads an object by id. Returns undefined if it does not exist, must not be read by id, or has another key now. */
async function readById(
  { reader }: PageReads,
  target: ReadTarget,
): Promise<ObservedObject | undefined> {
  const { kind, key, scope, requestedFields } = target;
  try {
    const observed = await kind.bindings.observe.byId?.read(reader, Number(target.id), {
      scope,
      interest: requestedFields,
    });
    const matchesKey =
      observed !== undefined && (key === undefined || keyOf(kind, observed.spec) === key);
    return matchesKey ? observed : undefined;
  } catch (error) {
    if (isFailure(error, "forbidden") || isFailure(error, "not_offered")) return undefined;
    throw error;
  }
}

async function readFromCollection(
  reads: PageReads,
  target: ReadTarget,
  signal: AbortSignal | undefined,
): Promise<ObservedObject | undefined> {
  const { byId, byKey, ambiguous } = await readCollection(reads, target, signal);
  const { kind, id, key } = target;
  const observed = (id === undefined ? undefined : byId.get(id)) ?? byKey.get(key ?? "");
  const ids = observed === undefined && key !== undefined ? ambiguous.get(key) : undefined;
  if (ids !== undefined) {
    const summary = `${ids.length} live objects have the key ${kind.name} ${key}: ids ${ids.join(", ")}`;
    throw new Failure("conflict", summary, { remedy: "Delete all but one of them on the server." });
  }
  return observed && withDetail(reads, target, observed);
}

/** Returns the cache key of a collection and the requested fields. */
function collectionKey({
  kind,
  scope,
  requestedFields,
}: Pick<ReadTarget, "kind" | "scope" | "requestedFields">): string {
  return `${collectionName({ kind, scope })} ${[...requestedFields].toSorted().join(",")}`;
}

/** Reads a collection once for each set of requested fields. */
function readCollection(
  { reader, collections, sizes }: PageReads,
  { kind, scope, requestedFields }: Pick<ReadTarget, "kind" | "scope" | "requestedFields">,
  signal: AbortSignal | undefined,
): Promise<ObservedObjects> {
  const key = collectionKey({ kind, scope, requestedFields });
  const known = collections.get(key);
  if (known !== undefined) return known;
  const found = observe(kind, [scope], {
    reader,
    interest: requestedFields,
    signal,
    wanted: () => false,
  });
  collections.set(key, found);
  found.then(
    ({ byId }) => sizes.set(collectionName({ kind, scope }), byId.size),
    () => collections.delete(key),
  );
  return found;
}

async function withDetail(
  { reader }: PageReads,
  { kind, requestedFields }: Pick<ReadTarget, "kind" | "requestedFields">,
  observed: ObservedObject,
): Promise<ObservedObject | undefined> {
  const { detail } = kind.bindings.observe;
  return detail === undefined ? observed : detail(reader, observed, requestedFields);
}
