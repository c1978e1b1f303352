// What any engine needs of the kinds: objects seen, listed, made, changed and deleted on one server, one at a time.
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import type { Client } from "../../client/types.ts";
import { Failure } from "../../core/errors.ts";
import { address, scopeText } from "../../core/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, ScopeKey, ObservedObject, ObjectWrite } from "../../core/kind.ts";
import { normalize } from "../../core/normalize.ts";
import { readablePart } from "../../core/record.ts";
import type { Secret } from "../../core/secret.ts";
import { createLifecycle } from "../../lifecycle/lifecycle.ts";
import { createCachedReader } from "../../lifecycle/reader.ts";
import type { Verb } from "../../lifecycle/steps.ts";
import { type ReadTarget, readTargetFor, createReadCache, type ReadCache } from "./read-cache.ts";
import { createBatchingWriter, createSubject, type BatchingWriter } from "./batching-writer.ts";

/** How a write ended: the object as it is now, and what went wrong although it exists. */
export interface WriteResult {
  readonly observed: ObservedObject;
  readonly failure: Failure | undefined;
  /** The secret that a create was given, there for the only time. */
  readonly generatedSecret?: Secret;
}

/** A change of a live object. */
export interface ObjectUpdate {
  /** The whole wish, secrets in clear. */
  readonly desired: JsonObject;
  /** The object as the engine knows it. */
  readonly live: ObservedObject;
  /** Top-level fields that are to change. */
  readonly changed: ReadonlySet<string>;
}

/** The kinds of one server, for an engine that keeps its own state. Every failure is a `Failure`. */
export interface Bridge {
  readonly client: Pick<Client, "origin" | "stats">;
  /** Why this server cannot carry it out, told while planning; undefined where nothing is known to stand in the way. */
  preflightError(verb: Verb, kind: Kind, subject: ObjectWrite): Failure | undefined;
  /** One object: by its id for the first few of a collection, else from pages shared with every other reading since the last write. */
  read(ask: ReadTarget): Promise<ObservedObject | undefined>;
  /** One object, as it is after this call. */
  readFresh(ask: ReadTarget): Promise<ObservedObject | undefined>;
  /** Every object of a collection, read after this call. */
  list(kind: Kind, scope: ScopeKey): Promise<readonly ObservedObject[]>;
  /** Makes the object; a `conflict` where it exists already, for what the engine did not make it does not own. */
  create(kind: Kind, wish: JsonObject): Promise<WriteResult>;
  update(kind: Kind, update: ObjectUpdate): Promise<WriteResult>;
  /** What is gone already counts as deleted. */
  delete(kind: Kind, live: ObservedObject): Promise<void>;
  /** Deletes what only this run was to have, also once no other call is begun. */
  discard(kind: Kind, live: ObservedObject): Promise<void>;
  /** No further call is begun; writes on their way are let end. */
  stop(): void;
  close(): Promise<void>;
}

/** A bridge over a client; `offer` is what its server said it offers. */
export function createBridge(client: Client, offer: ApiDiscovery): Bridge {
  const stopping = new AbortController();
  const { signal } = stopping;
  const parts = { client: client.reader, apiDiscovery: offer, signal };
  const sightings = createReadCache(parts);
  const reader = createCachedReader(client.reader, { signal });
  const writer = createBatchingWriter(
    createLifecycle({ client, discovery: offer, reader }),
    offer,
    signal,
  );
  const discarder = createDiscardWriter(client, offer);
  // What this process makes does not count as found, so these pages are never read again.
  const before = createExistenceSnapshot(createReadCache(parts));

  const create: Bridge["create"] = async (kind, wish) => {
    const spec = normalize(kind, wish);
    const ask = readTargetFor(kind, spec);
    if ((await before.has(ask)) && (await sightings.readFresh(ask)) !== undefined)
      throw alreadyExistsFailure(ask);
    const result = await writer.write("create", kind, createSubject(spec));
    sightings.invalidate();
    if (!result.ok && !result.created) throw result.failure;
    const made = { id: undefined, spec: readablePart(kind, spec), status: {} };
    const written = await seen(ask, made, result.ok ? undefined : result.failure);
    return {
      ...written,
      ...(result.generatedSecret !== undefined && { generatedSecret: result.generatedSecret }),
    };
  };
  const update: Bridge["update"] = async (kind, { desired: wish, live, changed }) => {
    const spec = normalize(kind, wish);
    const result = await writer.write("update", kind, { spec, live, changed });
    sightings.invalidate();
    const ask = readTargetFor(kind, spec, { id: live.id });
    return seen(ask, live, result.ok ? undefined : result.failure);
  };
  const remove = async (by: BatchingWriter, kind: Kind, live: ObservedObject): Promise<void> => {
    const subject = { spec: live.spec as JsonObject, live, changed: new Set<string>() };
    const result = await by.write("delete", kind, subject);
    sightings.invalidate();
    if (!result.ok) throw result.failure;
    before.remove(readTargetFor(kind, live.spec));
  };
  /** What a write came to; where even that cannot be read, what is known, with the reason. */
  const seen = async (
    ask: ReadTarget,
    known: ObservedObject,
    failure: Failure | undefined,
  ): Promise<WriteResult> => {
    try {
      const sight = await sightings.readFresh(ask);
      return {
        observed: sight ?? known,
        failure: failure ?? (sight ? undefined : notVisibleFailure(ask)),
      };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { observed: known, failure: failure ?? error };
    }
  };
  return {
    client,
    preflightError: (verb, kind, subject) => writer.preflightError(verb, kind, subject),
    read: (ask) => sightings.readCached(ask),
    readFresh: (ask) => sightings.readFresh(ask),
    list: (kind, scope) => sightings.listFresh(kind, scope),
    create,
    update,
    delete: (kind, live) => remove(writer, kind, live),
    discard: (kind, live) => remove(discarder, kind, live),
    stop: () => stopping.abort(),
    close: () => client.close(),
  };
}

/** Writes also once the bridge has stopped. */
function createDiscardWriter(client: Client, offer: ApiDiscovery): BatchingWriter {
  const lifecycle = createLifecycle({
    client,
    discovery: offer,
    reader: createCachedReader(client.reader),
  });
  return createBatchingWriter(lifecycle, offer, new AbortController().signal);
}

/** Which objects were there before this process made any, by their collections, each read once. */
function createExistenceSnapshot(sightings: Pick<ReadCache, "readCached">) {
  const known = new Map<string, Promise<boolean>>();
  const nameOf = ({ kind, key, scope }: ReadTarget): string =>
    `${address(kind.name, key ?? "")} ${scopeText(scope)}`;
  return {
    has: async (ask: ReadTarget): Promise<boolean> => {
      const name = nameOf(ask);
      const plain = { ...ask, requestedFields: new Set(ask.kind.key) };
      const there =
        known.get(name) ?? sightings.readCached(plain).then((sight) => sight !== undefined);
      known.set(name, there);
      there.catch(() => known.delete(name));
      return there;
    },
    remove: (ask: ReadTarget): void => void known.set(nameOf(ask), Promise.resolve(false)),
  };
}

function alreadyExistsFailure({ kind, key = "" }: ReadTarget): Failure {
  return new Failure("conflict", `${kind.name} ${key} exists already.`, {
    remedy: `Import it under the id ${key} to manage it here, or give this one another key.`,
  });
}

function notVisibleFailure({ kind, key = "" }: ReadTarget): Failure {
  const summary = `The server took ${kind.name} ${key} but does not show it.`;
  return new Failure("unexpected_answer", summary);
}
