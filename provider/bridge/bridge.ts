// Reads, lists, creates, updates and deletes objects of one server, one at a time, for Terraform and Pulumi.
import { setImmediate } from "node:timers/promises";
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import type { Client } from "../../client/types.ts";
import { compare } from "../../core/spec/diff.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, ScopeKey, ObservedObject, ObjectWrite } from "../../core/kind/kind.ts";
import { hasServerId, isSingleton } from "../../core/kind/shape.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { visiblePart } from "../../core/spec/record.ts";
import type { Secret } from "../../core/secret.ts";
import { createLifecycle, type CreateRefusal } from "../../lifecycle/lifecycle.ts";
import { createCachedReader } from "../../lifecycle/reader.ts";
import type { FailedResult } from "../../lifecycle/results.ts";
import type { Verb } from "../../lifecycle/steps.ts";
import { type ContainedObject, type Container, contentsOf, refuseContents } from "./contents.ts";
import type { ObjectReads } from "./rename-tracker.ts";
import { createReadCache, type ReadCache } from "./read-cache.ts";
import { type ReadTarget, readTargetFor } from "./read-target.ts";
import {
  createCreatedObjects,
  declaredTwiceFailure,
  type CreatedObjects,
} from "./created-objects.ts";
import { createDeletedObjects, type DeletedObjects } from "./deleted-objects.ts";
import { createBatchingWriter, createSubject, type BatchingWriter } from "./batching-writer.ts";

/** The result of a write: the object as it is now, and the failure if the write was incomplete. */
export interface WriteResult {
  readonly observed: ObservedObject;
  readonly failure: Failure | undefined;
  /** Why a create that succeeded could not be read back. `observed` is then built from the request and the response. */
  readonly unverified?: Failure;
  /** The generated secret of a create. The server returns it only once. */
  readonly generatedSecret?: Secret;
}

/** An update of a live object. */
export interface ObjectUpdate {
  /** The complete desired spec, with secrets in plain text. */
  readonly desired: JsonObject;
  /** The object as the engine's state holds it. */
  readonly live: ObservedObject;
  /** Top-level fields to change. */
  readonly changed: ReadonlySet<string>;
}

/** Access to the objects of one server, for an engine that keeps its own state. Every failure is a `Failure`. */
export interface Bridge {
  readonly client: Pick<Client, "origin" | "stats">;
  /** Returns why this server cannot execute a planned write, or would refuse it; undefined if no reason is known. */
  preflightError(verb: Verb, kind: Kind, subject: ObjectWrite): Failure | undefined;
  /** Reads one object, and returns undefined only if it does not exist: the first few of a collection by id, the others from pages that all reads since the last write share. */
  read(target: ReadTarget): Promise<ObservedObject | undefined>;
  /** Does the same, but also returns undefined for an object that the credential may not read. */
  find(target: ReadTarget): Promise<ObservedObject | undefined>;
  /** Reads one object from the server, without the cache. */
  readFresh(target: ReadTarget): Promise<ObservedObject | undefined>;
  /** Lists every object of a collection, without the cache. */
  list(kind: Kind, scope: ScopeKey): Promise<readonly ObservedObject[]>;
  /**
   * Creates the object. Fails with `conflict` if it already exists: the engine does not own objects that it did not
   * create. Fails with `refused` if this bridge created it. Both are looked up right before the request, unless the
   * server refuses to create an existing object. A singleton is updated.
   */
  create(kind: Kind, desired: JsonObject): Promise<WriteResult>;
  update(kind: Kind, update: ObjectUpdate): Promise<WriteResult>;
  /** Deletes take along what is inside an object. */
  readonly allowCascade: boolean;
  /** Lists the objects that a delete of an object takes along. */
  contents(container: Container): Promise<readonly ContainedObject[]>;
  /**
   * Deletes the object. One that no longer exists counts as deleted. A singleton stays unchanged. Without an id in the
   * state, fails with `conflict` if the object that has its key now differs from the state. Fails with `refused` if
   * objects of these kinds are inside that a user created, unless the provider allows cascades.
   */
  delete(kind: Kind, live: ObservedObject, kinds: readonly Kind[]): Promise<void>;
  /**
   * Returns the fields of a spec whose references must be written again, because this run deleted the objects that they
   * refer to.
   */
  referencesToRewrite(kind: Kind, spec: JsonObject): ReadonlySet<string>;
  /** Deletes a temporary object of this run. Works after `stop()`. */
  discard(kind: Kind, live: ObservedObject): Promise<void>;
  /** Starts no further request. Requests in flight finish. */
  stop(): void;
  close(): Promise<void>;
}

/** Options of {@link createBridge}. */
export interface BridgeRules {
  /** Deletes take along what is inside an object. By default they fail if something is. */
  readonly allowCascade?: boolean | undefined;
}

/** Creates a bridge over a client. `apiDiscovery` lists the operations that the server offers. */
export function createBridge(
  client: Client,
  apiDiscovery: ApiDiscovery,
  { allowCascade = false }: BridgeRules = {},
): Bridge {
  const stopping = new AbortController();
  const { signal } = stopping;
  const parts = { client: client.reader, apiDiscovery, signal };
  const readCache = createReadCache(parts);
  const reader = createCachedReader(client.reader, { signal });
  const created = createCreatedObjects();
  const createRefusal = createRefusalOf(readCache, created);
  const writer = createBatchingWriter(
    createLifecycle({ client, discovery: apiDiscovery, reader, createRefusal }),
    apiDiscovery,
    signal,
  );
  const discarder = createDiscardWriter(client, apiDiscovery);
  const deleted = createDeletedObjects();
  const reads: ObjectReads = {
    read: (target) => readCache.readFresh(target),
    find: (target) => readCache.findFresh(target),
  };
  const contents = { reader, apiDiscovery, signal };
  const writes = createWriteMethods({
    writer,
    discarder,
    readCache,
    created,
    deleted,
    createRefusal,
  });
  return {
    client,
    preflightError: (verb, kind, subject) => {
      if (!isSingleton(kind)) return writer.preflightError(verb, kind, subject);
      return verb === "delete" ? undefined : writer.preflightError("update", kind, subject);
    },
    read: (target) => readCache.readCached(target),
    find: (target) => readCache.findCached(target),
    readFresh: (target) => readCache.readFresh(target),
    list: (kind, scope) => readCache.listFresh(kind, scope),
    allowCascade,
    contents: (container) => contentsOf(container, contents),
    ...writes,
    delete: async (kind, live, kinds) => {
      if (!allowCascade) await refuseContents({ ...live, kind, kinds }, { ...contents, reads });
      await writes.delete(kind, live);
    },
    referencesToRewrite: (kind, spec) => deleted.fieldsReferringTo(kind, spec),
    stop: () => stopping.abort(),
    close: () => client.close(),
  };
}

/** Dependencies of the methods that write. */
interface WriteDependencies {
  readonly writer: BatchingWriter;
  /** A writer that still works after `stop()`. */
  readonly discarder: BatchingWriter;
  readonly readCache: ReadCache;
  readonly created: CreatedObjects;
  readonly deleted: DeletedObjects;
  readonly createRefusal: CreateRefusal;
}

function createWriteMethods({
  writer,
  discarder,
  readCache,
  created,
  deleted,
  createRefusal,
}: WriteDependencies): Pick<Bridge, "create" | "update" | "discard"> & {
  readonly delete: (kind: Kind, live: ObservedObject) => Promise<void>;
} {
  const create: Bridge["create"] = async (kind, desired) => {
    const spec = normalize(kind, desired);
    const target = readTargetFor(kind, spec);
    if (isSingleton(kind)) {
      const live = await readCache.readFresh(target);
      if (live !== undefined) return update(kind, { ...createSubject(spec), desired, live });
    }
    const result = await created.during(target, async () => {
      // Calls that the engine made together arrive first, and share a batch.
      await setImmediate();
      const ended = await writer.write("create", kind, createSubject(spec));
      readCache.invalidate();
      if (!ended.ok && !ended.created)
        throw await explainConflict(kind, ended, () => createRefusal(kind, spec));
      return ended;
    });
    const { id } = result;
    const known: ObservedObject = {
      id: id === undefined ? undefined : `${id}`,
      spec: visiblePart(kind, spec),
      status: id === undefined ? {} : { id },
    };
    const failure = result.ok ? undefined : result.failure;
    const placed = { ...target, id: known.id, isNew: true };
    const written = await readBack(readCache, placed, { observed: known, failure });
    return {
      ...written,
      ...(result.generatedSecret !== undefined && { generatedSecret: result.generatedSecret }),
    };
  };
  const update: Bridge["update"] = async (kind, { desired, live, changed }) => {
    const spec = normalize(kind, desired);
    const result = await writer.write("update", kind, { spec, live, changed });
    readCache.invalidate();
    // An omitted field that the caller holds may have changed too.
    const requestedFields = new Set([...Object.keys(spec), ...Object.keys(live.spec)]);
    const target = readTargetFor(kind, spec, { id: live.id, requestedFields });
    const failure = result.ok ? undefined : result.failure;
    const { unverified, ...written } = await readBack(readCache, target, {
      observed: live,
      failure,
    });
    return { ...written, failure: written.failure ?? unverified };
  };
  const remove = createRemove({ readCache, created, deleted });
  return {
    create: (kind, desired) => writer.during("create", kind, () => create(kind, desired)),
    update: (kind, change) => writer.during("update", kind, () => update(kind, change)),
    delete: (kind, live) => writer.during("delete", kind, () => remove(writer, kind, live)),
    discard: (kind, live) => remove(discarder, kind, live),
  };
}

/** Returns a delete through a writer. */
function createRemove({
  readCache,
  created,
  deleted,
}: Pick<WriteDependencies, "readCache" | "created" | "deleted">) {
  return async (through: BatchingWriter, kind: Kind, live: ObservedObject): Promise<void> => {
    if (isSingleton(kind)) return;
    const identified = await withId(readCache, kind, live);
    if (identified === undefined) return;
    const spec = live.spec as JsonObject;
    const subject = { spec, live: identified, changed: new Set<string>() };
    const result = await through.write("delete", kind, subject);
    readCache.invalidate();
    if (!result.ok) throw result.failure;
    created.remove(readTargetFor(kind, live.spec));
    deleted.add(kind, live.spec);
  };
}

/** Reads the object after a write. If the read fails, returns the last known object and why. */
async function readBack(
  readCache: Pick<ReadCache, "readFresh">,
  target: ReadTarget,
  { observed: known, failure }: WriteResult,
): Promise<WriteResult> {
  try {
    const observed = await readCache.readFresh(target);
    return {
      observed: observed ?? known,
      failure: failure ?? (observed ? undefined : notVisibleFailure(target)),
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { observed: known, failure, unverified: error };
  }
}

/**
 * Returns the object with the server's id, which it looks up if the state has none; undefined if it does not exist.
 * Fails with `conflict` if the object that has the key now differs from the state: another client may have created it.
 */
async function withId(
  readCache: Pick<ReadCache, "readFresh">,
  kind: Kind,
  live: ObservedObject,
): Promise<ObservedObject | undefined> {
  if (live.id !== undefined || !hasServerId(kind)) return live;
  const target = readTargetFor(kind, live.spec);
  const found = await readCache.readFresh(target);
  if (found !== undefined && isOther(kind, live, found)) throw otherObjectFailure(target);
  return found;
}

/** Returns whether the object that has a key now differs in content or creation time from the one in the state. */
function isOther(kind: Kind, state: ObservedObject, found: ObservedObject): boolean {
  const [before, now] = [state.status["createdAt"], found.status["createdAt"]];
  if (typeof before === "string" && typeof now === "string" && before !== now) return true;
  return compare(kind, state.spec, found.spec).some(
    ({ reason }) => reason === "differs" || reason === "absent",
  );
}

function otherObjectFailure({ kind, key = "" }: ReadTarget): Failure {
  const summary = `the state has no id of ${kind.name} ${key}, and what has this key now differs from the state: another client may have created it`;
  return new Failure("conflict", summary, {
    remedy: "Refresh the state and look at the plan, or remove the resource from the state.",
  });
}

/** Creates a writer that still works after `stop()`. */
function createDiscardWriter(client: Client, apiDiscovery: ApiDiscovery): BatchingWriter {
  const lifecycle = createLifecycle({
    client,
    discovery: apiDiscovery,
    reader: createCachedReader(client.reader),
  });
  return createBatchingWriter(lifecycle, apiDiscovery, new AbortController().signal);
}

/** Returns a lookup of why an object must not be created: it exists, or it cannot be read. */
function createRefusalOf(
  readCache: Pick<ReadCache, "findFresh">,
  created: Pick<CreatedObjects, "has">,
): CreateRefusal {
  return async (kind, spec) => {
    const target = readTargetFor(kind, spec, { requestedFields: new Set(kind.key) });
    try {
      if ((await readCache.findFresh(target)) === undefined) return undefined;
      return created.has(target) ? declaredTwiceFailure(target) : alreadyExistsFailure(target);
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  };
}

/** Returns why the server refused a create: the object exists already, or the reason that the server gave. */
async function explainConflict(
  { generatedSecret }: Kind,
  { failure, isOwnerUncertain }: FailedResult,
  lookUp: () => Promise<Failure | undefined>,
): Promise<Failure> {
  // An import alone would leave an object whose secret is lost.
  const isSecretLost = isOwnerUncertain === true && generatedSecret !== undefined;
  if (isSecretLost || !isFailure(failure, "conflict")) return failure;
  const found = await lookUp();
  return isFailure(found, "conflict") || isFailure(found, "refused") ? found : failure;
}

function alreadyExistsFailure({ kind, key = "" }: ReadTarget): Failure {
  return new Failure("conflict", `${kind.name} ${key} already exists.`, {
    remedy: `Import it with the id ${key}, or choose another key for this resource.`,
  });
}

function notVisibleFailure({ kind, key = "" }: ReadTarget): Failure {
  const summary = `the server accepted ${kind.name} ${key} but does not return it`;
  return new Failure("unexpected_answer", summary);
}
