// What any engine needs of the kinds: objects seen, listed, made, changed and deleted on one server, one at a time.
import type { Offer } from "../../client/offer.ts";
import type { Client } from "../../client/types.ts";
import { Failure } from "../../core/errors.ts";
import { address, scopeText } from "../../core/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, ScopeKey, Sight, Subject } from "../../core/kind.ts";
import { normalize } from "../../core/normalize.ts";
import { readablePart } from "../../core/record.ts";
import type { Secret } from "../../core/secret.ts";
import { createLifecycle } from "../../lifecycle/lifecycle.ts";
import { createReader } from "../../lifecycle/reader.ts";
import type { Verb } from "../../lifecycle/routes.ts";
import { type Ask, askFor, createSightings, type Sightings } from "./sightings.ts";
import { createWriter, toCreate, type Writer } from "./writes.ts";

/** How a write ended: the object as it is now, and what went wrong although it exists. */
export interface Written {
  readonly sight: Sight;
  readonly failure: Failure | undefined;
  /** The secret that a create was given, there for the only time. */
  readonly minted?: Secret;
}

/** A change of a live object. */
export interface Update {
  /** The whole wish, secrets in clear. */
  readonly wish: JsonObject;
  /** The object as the engine knows it. */
  readonly live: Sight;
  /** Top-level fields that are to change. */
  readonly changed: ReadonlySet<string>;
}

/** The kinds of one server, for an engine that keeps its own state. Every failure is a `Failure`. */
export interface Bridge {
  readonly client: Pick<Client, "origin" | "stats">;
  /** Why this server cannot carry it out, told while planning; undefined where nothing is known to stand in the way. */
  obstacle(verb: Verb, kind: Kind, subject: Subject): Failure | undefined;
  /** One object: by its id for the first few of a collection, else from pages shared with every other reading since the last write. */
  read(ask: Ask): Promise<Sight | undefined>;
  /** One object, as it is after this call. */
  readFresh(ask: Ask): Promise<Sight | undefined>;
  /** Every object of a collection, read after this call. */
  list(kind: Kind, scope: ScopeKey): Promise<readonly Sight[]>;
  /** Makes the object; a `conflict` where it exists already, for what the engine did not make it does not own. */
  create(kind: Kind, wish: JsonObject): Promise<Written>;
  update(kind: Kind, update: Update): Promise<Written>;
  /** What is gone already counts as deleted. */
  delete(kind: Kind, live: Sight): Promise<void>;
  /** Deletes what only this run was to have, also once no other call is begun. */
  discard(kind: Kind, live: Sight): Promise<void>;
  /** No further call is begun; writes on their way are let end. */
  stop(): void;
  close(): Promise<void>;
}

/** A bridge over a client; `offer` is what its server said it offers. */
export function createBridge(client: Client, offer: Offer): Bridge {
  const stopping = new AbortController();
  const { signal } = stopping;
  const parts = { client: client.reader, offer, signal };
  const sightings = createSightings(parts);
  const reader = createReader(client.reader, { signal });
  const writer = createWriter(createLifecycle({ client, offer, reader }), offer, signal);
  const discarder = createDiscarder(client, offer);
  // What this process makes does not count as found, so these pages are never read again.
  const before = createSnapshot(createSightings(parts));

  const create: Bridge["create"] = async (kind, wish) => {
    const spec = normalize(kind, wish);
    const ask = askFor(kind, spec);
    if ((await before.has(ask)) && (await sightings.fresh(ask)) !== undefined) throw exists(ask);
    const result = await writer.write("create", kind, toCreate(spec));
    sightings.forget();
    if (!result.ok && !result.made) throw result.failure;
    const made = { id: undefined, spec: readablePart(kind, spec), status: {} };
    const written = await seen(ask, made, result.ok ? undefined : result.failure);
    return { ...written, ...(result.minted !== undefined && { minted: result.minted }) };
  };
  const update: Bridge["update"] = async (kind, { wish, live, changed }) => {
    const spec = normalize(kind, wish);
    const result = await writer.write("update", kind, { spec, live, changed });
    sightings.forget();
    const ask = askFor(kind, spec, { id: live.id });
    return seen(ask, live, result.ok ? undefined : result.failure);
  };
  const remove = async (by: Writer, kind: Kind, live: Sight): Promise<void> => {
    const subject = { spec: live.spec as JsonObject, live, changed: new Set<string>() };
    const result = await by.write("delete", kind, subject);
    sightings.forget();
    if (!result.ok) throw result.failure;
    before.remove(askFor(kind, live.spec));
  };
  /** What a write came to; where even that cannot be read, what is known, with the reason. */
  const seen = async (ask: Ask, known: Sight, failure: Failure | undefined): Promise<Written> => {
    try {
      const sight = await sightings.fresh(ask);
      return { sight: sight ?? known, failure: failure ?? (sight ? undefined : unseen(ask)) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { sight: known, failure: failure ?? error };
    }
  };
  return {
    client,
    obstacle: (verb, kind, subject) => writer.obstacle(verb, kind, subject),
    read: (ask) => sightings.shared(ask),
    readFresh: (ask) => sightings.fresh(ask),
    list: (kind, scope) => sightings.all(kind, scope),
    create,
    update,
    delete: (kind, live) => remove(writer, kind, live),
    discard: (kind, live) => remove(discarder, kind, live),
    stop: () => stopping.abort(),
    close: () => client.close(),
  };
}

/** Writes also once the bridge has stopped. */
function createDiscarder(client: Client, offer: Offer): Writer {
  const lifecycle = createLifecycle({ client, offer, reader: createReader(client.reader) });
  return createWriter(lifecycle, offer, new AbortController().signal);
}

/** Which objects were there before this process made any, by their collections, each read once. */
function createSnapshot(sightings: Pick<Sightings, "shared">) {
  const known = new Map<string, Promise<boolean>>();
  const nameOf = ({ kind, key, scope }: Ask): string =>
    `${address(kind.name, key ?? "")} ${scopeText(scope)}`;
  return {
    has: async (ask: Ask): Promise<boolean> => {
      const name = nameOf(ask);
      const plain = { ...ask, interest: new Set(ask.kind.key) };
      const there = known.get(name) ?? sightings.shared(plain).then((sight) => sight !== undefined);
      known.set(name, there);
      there.catch(() => known.delete(name));
      return there;
    },
    remove: (ask: Ask): void => void known.set(nameOf(ask), Promise.resolve(false)),
  };
}

function exists({ kind, key = "" }: Ask): Failure {
  return new Failure("conflict", `${kind.name} ${key} exists already.`, {
    remedy: `Import it under the id ${key} to manage it here, or give this one another key.`,
  });
}

function unseen({ kind, key = "" }: Ask): Failure {
  const summary = `The server took ${kind.name} ${key} but does not show it.`;
  return new Failure("unexpected_answer", summary);
}
