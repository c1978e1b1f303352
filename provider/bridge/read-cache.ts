// Reading for an engine that asks object by object: who reads shares pages, and who has just written shares fresh ones.
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import type { ReadOnlyClient } from "../../client/types.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import { keyOf, parseKey, scopeOf, scopeText } from "../../core/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, ScopeKey, ObservedObject } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import { observe, type ObservedObjects } from "../../lifecycle/observe.ts";
import { createCachedReader, type CachedReader } from "../../lifecycle/reader.ts";

/** An object that is asked about. */
export interface ReadTarget {
  readonly kind: Kind;
  readonly scope: ScopeKey;
  /** Its natural key; undefined where only the id is known. */
  readonly key: string | undefined;
  readonly id: string | undefined;
  /** Spec fields that anyone asks about. */
  readonly requestedFields: ReadonlySet<string>;
}

/** The ask about the object that a spec names. */
export function readTargetFor(
  kind: Kind,
  spec: JsonObject,
  { id, requestedFields: interest }: Partial<Pick<ReadTarget, "id" | "requestedFields">> = {},
): ReadTarget {
  return {
    kind,
    scope: scopeOf(kind, spec),
    key: keyOf(kind, spec),
    id,
    requestedFields:
      interest ?? new Set(Object.keys(spec).filter((name) => spec[name] !== undefined)),
  };
}

/**
 * The ask about the object that an import id names: its natural key, or its scope and `id=` with the server's own id. Fails
 * with `usage` for a text that is neither.
 */
export function readTargetForImport(kind: Kind, text: string): ReadTarget {
  const everything = new Set(Object.keys(kind.spec.properties));
  const parts = text.split("/");
  const own = /^id=(.+)$/u.exec(parts.at(-1) ?? "");
  if (own !== null) {
    const scoped = parseKey({ ...kind, key: kind.scope }, parts.slice(0, -1).join("/"));
    const isScoped = kind.scope.length === 0 ? parts.length === 1 : scoped !== undefined;
    if (isScoped) {
      const scope = scopeOf(kind, scoped ?? {});
      return { kind, scope, key: undefined, id: own[1], requestedFields: everything };
    }
  }
  const spec = parseKey(kind, text);
  if (spec !== undefined) return readTargetFor(kind, spec, { requestedFields: everything });
  const form = [...kind.scope, "id=ID"].join("/");
  throw new Failure("usage", `${JSON.stringify(text)} names no ${kind.name}.`, {
    remedy: `An import id is ${kind.key.join("/")}, or ${form} with the server's own id.`,
  });
}

/** Sees objects. An object that is not there is undefined; a key that several have is a `conflict` unless the id tells. */
export interface ReadCache {
  /** From pages that are read once and kept until {@link ReadCache.invalidate}. */
  readCached(ask: ReadTarget): Promise<ObservedObject | undefined>;
  /** From pages whose reading begins after this call; those who ask meanwhile share the next ones. */
  readFresh(ask: ReadTarget): Promise<ObservedObject | undefined>;
  /** Every object of a collection, read afresh. */
  listFresh(kind: Kind, scope: ScopeKey): Promise<readonly ObservedObject[]>;
  /** Something was written, so kept pages hold no longer. */
  invalidate(): void;
}

/** One reading of pages, with the collections that were arranged from it. */
interface PageReads {
  readonly reader: CachedReader;
  readonly collections: Map<string, Promise<ObservedObjects>>;
  /** The objects that were read by their ids, by collection: the first few that were asked for. */
  readonly readByIdPerCollection: Map<string, Set<string>>;
}

/** What sightings work with: `offer` is what the server said it offers. */
export interface ReadCacheOptions {
  readonly client: ReadOnlyClient;
  readonly apiDiscovery: Pick<ApiDiscovery, "has">;
  readonly signal: AbortSignal;
}

/**
 * Sightings over a client that cannot write. The first few objects of a collection that are asked for are read by their ids
 * where the API has that, for a collection may be much larger than what is managed of it; then it is read whole. `signal` stops them between calls, but for fresh ones: what has been written is
 * read back even then, so that whoever keeps state keeps all of it.
 */
export function createReadCache({
  client,
  apiDiscovery: offer,
  signal,
}: ReadCacheOptions): ReadCache {
  const newReading = (until?: AbortSignal): PageReads => ({
    reader: createCachedReader(client, { signal: until }),
    collections: new Map(),
    readByIdPerCollection: new Map(),
  });
  let kept: PageReads | undefined;
  let next: Promise<PageReads> | undefined;
  let running: Promise<unknown> = Promise.resolve();

  /** The reading that begins once the one before has ended, shared by all who ask until then. */
  const joined = (): Promise<PageReads> => {
    next ??= Promise.all([running, sleep(limits.coalesceMs)]).then(() => {
      next = undefined;
      return newReading();
    });
    return next;
  };
  const afresh = async <T>(work: (reading: PageReads) => Promise<T>): Promise<T> => {
    const seen = joined().then(work);
    const before = running;
    running = Promise.allSettled([before, seen]);
    return seen;
  };
  return {
    readCached: (ask) =>
      lookUp((kept ??= newReading(signal)), ask, { apiDiscovery: offer, signal }),
    readFresh: (ask) =>
      afresh((reading) => lookUp(reading, ask, { apiDiscovery: offer, signal: undefined })),
    listFresh: (kind, scope) =>
      afresh(async (reading) => {
        const interest = new Set(Object.keys(kind.spec.properties));
        const { byId, byKey } = await readCollection(
          reading,
          { kind, scope, requestedFields: interest },
          signal,
        );
        const sights = [...new Set([...byKey.values(), ...byId.values()])];
        const full = await Promise.all(
          sights.map((sight) => withDetail(reading, { kind, requestedFields: interest }, sight)),
        );
        return full.filter((sight) => sight !== undefined);
      }),
    invalidate: () => {
      kept = undefined;
    },
  };
}

interface LookupOptions {
  readonly apiDiscovery: Pick<ApiDiscovery, "has">;
  readonly signal: AbortSignal | undefined;
}

async function lookUp(
  reading: PageReads,
  ask: ReadTarget,
  seeing: LookupOptions,
): Promise<ObservedObject | undefined> {
  const alone = shouldReadById(reading, ask, seeing) ? await readById(reading, ask) : undefined;
  return alone === undefined
    ? readFromCollection(reading, ask, seeing.signal)
    : withDetail(reading, ask, alone);
}

/** True for an object to be read by its id; each counts once, and none does once the collection is being read anyway. */
function shouldReadById(
  { readByIdPerCollection: single, collections: observed }: PageReads,
  ask: ReadTarget,
  { apiDiscovery: offer }: LookupOptions,
): boolean {
  const { kind, id = "" } = ask;
  const { byId } = kind.bindings.observe;
  if (byId === undefined || !/^\d{1,15}$/.test(id) || observed.has(collectionKey(ask)))
    return false;
  const within = `${kind.name} ${scopeText(ask.scope)}`;
  const first = single.get(within) ?? new Set();
  single.set(within, first);
  if (first.size < limits.readsById && byId.needs.every((one) => offer.has(one))) first.add(id);
  return first.has(id);
}

/** The object by its id; undefined where there is none, where it may not be read so, or where it has another key by now. */
async function readById(
  { reader }: PageReads,
  ask: ReadTarget,
): Promise<ObservedObject | undefined> {
  const { kind, key, scope, requestedFields: interest } = ask;
  try {
    const sight = await kind.bindings.observe.byId?.read(reader, Number(ask.id), {
      scope,
      interest,
    });
    const isIt = sight !== undefined && (key === undefined || keyOf(kind, sight.spec) === key);
    return isIt ? sight : undefined;
  } catch (error) {
    if (isFailure(error, "forbidden") || isFailure(error, "not_offered")) return undefined;
    throw error;
  }
}

async function readFromCollection(
  reading: PageReads,
  ask: ReadTarget,
  signal: AbortSignal | undefined,
): Promise<ObservedObject | undefined> {
  const { byId, byKey, ambiguous } = await readCollection(reading, ask, signal);
  const { kind, id, key } = ask;
  const sight = (id === undefined ? undefined : byId.get(id)) ?? byKey.get(key ?? "");
  const ids = sight === undefined && key !== undefined ? ambiguous.get(key) : undefined;
  if (ids !== undefined) {
    const summary = `${ids.length} live objects are ${kind.name} ${key}: ids ${ids.join(", ")}`;
    throw new Failure("conflict", summary, { remedy: "Remove all but one of them on the server." });
  }
  return sight && withDetail(reading, ask, sight);
}

/** Names a collection and what is asked about in it. */
function collectionKey({
  kind,
  scope,
  requestedFields: interest,
}: Pick<ReadTarget, "kind" | "scope" | "requestedFields">): string {
  return [kind.name, scopeText(scope), [...interest].toSorted().join(",")].join(" ");
}

/** A collection as this reading shows it; arranged once for all who are interested in the same fields. */
function readCollection(
  { reader, collections: observed }: PageReads,
  {
    kind,
    scope,
    requestedFields: interest,
  }: Pick<ReadTarget, "kind" | "scope" | "requestedFields">,
  signal: AbortSignal | undefined,
): Promise<ObservedObjects> {
  const key = collectionKey({ kind, scope, requestedFields: interest });
  const known = observed.get(key);
  if (known !== undefined) return known;
  const found = observe(kind, [scope], { reader, interest, signal, wanted: () => false });
  observed.set(key, found);
  found.catch(() => observed.delete(key));
  return found;
}

async function withDetail(
  { reader }: PageReads,
  { kind, requestedFields: interest }: Pick<ReadTarget, "kind" | "requestedFields">,
  sight: ObservedObject,
): Promise<ObservedObject | undefined> {
  const { detail } = kind.bindings.observe;
  return detail === undefined ? sight : detail(reader, sight, interest);
}
