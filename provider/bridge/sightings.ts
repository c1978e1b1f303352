// Reading for an engine that asks object by object: who reads shares pages, and who has just written shares fresh ones.
import { setTimeout as sleep } from "node:timers/promises";
import type { Offer } from "../../client/offer.ts";
import type { ReadOnlyClient } from "../../client/types.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import { keyOf, parseKey, scopeOf, scopeText } from "../../core/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, ScopeKey, Sight } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import { observe, type Observed } from "../../lifecycle/observe.ts";
import { createReader, type SharedReader } from "../../lifecycle/reader.ts";

/** An object that is asked about. */
export interface Ask {
  readonly kind: Kind;
  readonly scope: ScopeKey;
  /** Its natural key; undefined where only the id is known. */
  readonly key: string | undefined;
  readonly id: string | undefined;
  /** Spec fields that anyone asks about. */
  readonly interest: ReadonlySet<string>;
}

/** The ask about the object that a spec names. */
export function askFor(
  kind: Kind,
  spec: JsonObject,
  { id, interest }: Partial<Pick<Ask, "id" | "interest">> = {},
): Ask {
  return {
    kind,
    scope: scopeOf(kind, spec),
    key: keyOf(kind, spec),
    id,
    interest: interest ?? new Set(Object.keys(spec).filter((name) => spec[name] !== undefined)),
  };
}

/**
 * The ask about the object that an import id names: its natural key, or its scope and `id=` with the server's own id. Fails
 * with `usage` for a text that is neither.
 */
export function askForImport(kind: Kind, text: string): Ask {
  const everything = new Set(Object.keys(kind.spec.properties));
  const parts = text.split("/");
  const own = /^id=(.+)$/u.exec(parts.at(-1) ?? "");
  if (own !== null) {
    const scoped = parseKey({ ...kind, key: kind.scope }, parts.slice(0, -1).join("/"));
    const isScoped = kind.scope.length === 0 ? parts.length === 1 : scoped !== undefined;
    if (isScoped) {
      const scope = scopeOf(kind, scoped ?? {});
      return { kind, scope, key: undefined, id: own[1], interest: everything };
    }
  }
  const spec = parseKey(kind, text);
  if (spec !== undefined) return askFor(kind, spec, { interest: everything });
  const form = [...kind.scope, "id=ID"].join("/");
  throw new Failure("usage", `${JSON.stringify(text)} names no ${kind.name}.`, {
    remedy: `An import id is ${kind.key.join("/")}, or ${form} with the server's own id.`,
  });
}

/** Sees objects. An object that is not there is undefined; a key that several have is a `conflict` unless the id tells. */
export interface Sightings {
  /** From pages that are read once and kept until {@link Sightings.forget}. */
  shared(ask: Ask): Promise<Sight | undefined>;
  /** From pages whose reading begins after this call; those who ask meanwhile share the next ones. */
  fresh(ask: Ask): Promise<Sight | undefined>;
  /** Every object of a collection, read afresh. */
  all(kind: Kind, scope: ScopeKey): Promise<readonly Sight[]>;
  /** Something was written, so kept pages hold no longer. */
  forget(): void;
}

/** One reading of pages, with the collections that were arranged from it. */
interface Reading {
  readonly reader: SharedReader;
  readonly observed: Map<string, Promise<Observed>>;
  /** The objects that were read by their ids, by collection: the first few that were asked for. */
  readonly single: Map<string, Set<string>>;
}

/** What sightings work with: `offer` is what the server said it offers. */
export interface SightingsParts {
  readonly client: ReadOnlyClient;
  readonly offer: Pick<Offer, "has">;
  readonly signal: AbortSignal;
}

/**
 * Sightings over a client that cannot write. The first few objects of a collection that are asked for are read by their ids
 * where the API has that, for a collection may be much larger than what is managed of it; then it is read whole. `signal` stops them between calls, but for fresh ones: what has been written is
 * read back even then, so that whoever keeps state keeps all of it.
 */
export function createSightings({ client, offer, signal }: SightingsParts): Sightings {
  const newReading = (until?: AbortSignal): Reading => ({
    reader: createReader(client, { signal: until }),
    observed: new Map(),
    single: new Map(),
  });
  let kept: Reading | undefined;
  let next: Promise<Reading> | undefined;
  let running: Promise<unknown> = Promise.resolve();

  /** The reading that begins once the one before has ended, shared by all who ask until then. */
  const joined = (): Promise<Reading> => {
    next ??= Promise.all([running, sleep(limits.coalesceMs)]).then(() => {
      next = undefined;
      return newReading();
    });
    return next;
  };
  const afresh = async <T>(work: (reading: Reading) => Promise<T>): Promise<T> => {
    const seen = joined().then(work);
    const before = running;
    running = Promise.allSettled([before, seen]);
    return seen;
  };
  return {
    shared: (ask) => see((kept ??= newReading(signal)), ask, { offer, signal }),
    fresh: (ask) => afresh((reading) => see(reading, ask, { offer, signal: undefined })),
    all: (kind, scope) =>
      afresh(async (reading) => {
        const interest = new Set(Object.keys(kind.spec.properties));
        const { byId, byKey } = await collection(reading, { kind, scope, interest }, signal);
        const sights = [...new Set([...byKey.values(), ...byId.values()])];
        const full = await Promise.all(
          sights.map((sight) => complete(reading, { kind, interest }, sight)),
        );
        return full.filter((sight) => sight !== undefined);
      }),
    forget: () => {
      kept = undefined;
    },
  };
}

interface Seeing {
  readonly offer: Pick<Offer, "has">;
  readonly signal: AbortSignal | undefined;
}

async function see(reading: Reading, ask: Ask, seeing: Seeing): Promise<Sight | undefined> {
  const alone = isAmongFirst(reading, ask, seeing) ? await seeAlone(reading, ask) : undefined;
  return alone === undefined ? seeIn(reading, ask, seeing.signal) : complete(reading, ask, alone);
}

/** True for an object to be read by its id; each counts once, and none does once the collection is being read anyway. */
function isAmongFirst({ single, observed }: Reading, ask: Ask, { offer }: Seeing): boolean {
  const { kind, id = "" } = ask;
  const { byId } = kind.life.observe;
  if (byId === undefined || !/^\d{1,15}$/.test(id) || observed.has(nameOf(ask))) return false;
  const within = `${kind.name} ${scopeText(ask.scope)}`;
  const first = single.get(within) ?? new Set();
  single.set(within, first);
  if (first.size < limits.readsById && byId.needs.every((one) => offer.has(one))) first.add(id);
  return first.has(id);
}

/** The object by its id; undefined where there is none, where it may not be read so, or where it has another key by now. */
async function seeAlone({ reader }: Reading, ask: Ask): Promise<Sight | undefined> {
  const { kind, key } = ask;
  try {
    const sight = await kind.life.observe.byId?.read(reader, Number(ask.id), ask);
    const isIt = sight !== undefined && (key === undefined || keyOf(kind, sight.spec) === key);
    return isIt ? sight : undefined;
  } catch (error) {
    if (isFailure(error, "forbidden") || isFailure(error, "not_offered")) return undefined;
    throw error;
  }
}

async function seeIn(
  reading: Reading,
  ask: Ask,
  signal: AbortSignal | undefined,
): Promise<Sight | undefined> {
  const { byId, byKey, ambiguous } = await collection(reading, ask, signal);
  const { kind, id, key } = ask;
  const sight = (id === undefined ? undefined : byId.get(id)) ?? byKey.get(key ?? "");
  const ids = sight === undefined && key !== undefined ? ambiguous.get(key) : undefined;
  if (ids !== undefined) {
    const summary = `${ids.length} live objects are ${kind.name} ${key}: ids ${ids.join(", ")}`;
    throw new Failure("conflict", summary, { remedy: "Remove all but one of them on the server." });
  }
  return sight && complete(reading, ask, sight);
}

/** Names a collection and what is asked about in it. */
function nameOf({ kind, scope, interest }: Pick<Ask, "kind" | "scope" | "interest">): string {
  return [kind.name, scopeText(scope), [...interest].toSorted().join(",")].join(" ");
}

/** A collection as this reading shows it; arranged once for all who are interested in the same fields. */
function collection(
  { reader, observed }: Reading,
  { kind, scope, interest }: Pick<Ask, "kind" | "scope" | "interest">,
  signal: AbortSignal | undefined,
): Promise<Observed> {
  const key = nameOf({ kind, scope, interest });
  const known = observed.get(key);
  if (known !== undefined) return known;
  const found = observe(kind, [scope], { reader, interest, signal, wanted: () => false });
  observed.set(key, found);
  found.catch(() => observed.delete(key));
  return found;
}

async function complete(
  { reader }: Reading,
  { kind, interest }: Pick<Ask, "kind" | "interest">,
  sight: Sight,
): Promise<Sight | undefined> {
  const { detail } = kind.life.observe;
  return detail === undefined ? sight : detail(reader, sight, interest);
}
