// Reading for an engine that asks object by object: who reads shares pages, and who has just written shares fresh ones.
import { setTimeout as sleep } from "node:timers/promises";
import type { ReadOnlyClient } from "../../client/types.ts";
import { Failure } from "../../core/errors.ts";
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
}

/**
 * Sightings over a client that cannot write; `signal` stops them between calls, but for fresh ones: what has been written is
 * read back even then, so that whoever keeps state keeps all of it.
 */
export function createSightings(client: ReadOnlyClient, signal: AbortSignal): Sightings {
  const newReading = (until?: AbortSignal): Reading => ({
    reader: createReader(client, { signal: until }),
    observed: new Map(),
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
  const afresh = async <T>(see: (reading: Reading) => Promise<T>): Promise<T> => {
    const seen = joined().then(see);
    const before = running;
    running = Promise.allSettled([before, seen]);
    return seen;
  };
  return {
    shared: (ask) => seeIn((kept ??= newReading(signal)), ask, signal),
    fresh: (ask) => afresh((reading) => seeIn(reading, ask, undefined)),
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

/** A collection as this reading shows it; arranged once for all who are interested in the same fields. */
function collection(
  { reader, observed }: Reading,
  { kind, scope, interest }: Pick<Ask, "kind" | "scope" | "interest">,
  signal: AbortSignal | undefined,
): Promise<Observed> {
  const key = [kind.name, scopeText(scope), [...interest].toSorted().join(",")].join(" ");
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
