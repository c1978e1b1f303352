// Creates, updates and deletes objects of any kind through the client, with a result for each object.
// A create observes the created objects before it runs the updates that follow it.
import type { ApiDiscovery } from "../client/api-discovery.ts";
import type { Client } from "../client/types.ts";
import { Failure, failureFrom, isFailure } from "../core/errors.ts";
import { keyOf, scopeOf, scopeText } from "../core/kind/identity.ts";
import { canonical, type JsonObject } from "../core/json.ts";
import type { Prerequisite, Kind, ObjectWrite, ScopeKey } from "../core/kind/kind.ts";
import {
  type StepContext,
  executeStep,
  lostAnswerCodes,
  recordFailure,
  type RunState,
} from "./execute.ts";
import { requireGone } from "./hidden-objects.ts";
import { observe, type ObservedObjects } from "./observe.ts";
import type { CachedReader } from "./reader.ts";
import type { IndexedWrite } from "./call-batches.ts";
import { createStepPlanner, type Verb, type WriteStep, type WriteTask } from "./steps.ts";
import { createResultCollector, type Result, type ResultCollector } from "./results.ts";
import { failingCreates } from "./failing-creates.ts";
import {
  existingFailure,
  notListedFailure,
  uncertainOwnerFailure,
  upsertFailure,
  type UpsertedWrite,
} from "./upsert-outcome.ts";

/** Options of an execution. */
export interface ExecuteOptions {
  /** Cancels between calls. Writes that have not started fail with `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the final result of each write, by index. */
  readonly onResult?: ((index: number, result: Result) => void) | undefined;
}

/**
 * Writes objects of any kind to one server. Results are in the order of the writes. The run stops if the server is
 * unreachable, rejects the credential, or fails {@link limits.failuresInARow} times in a row; remaining writes fail with `aborted`.
 */
export interface Lifecycle {
  /** Returns the failure that stopped the run; undefined while it continues. */
  stopped(): Failure | undefined;
  /** Returns how many calls wrote objects, without retries. {@link estimate} predicts them. */
  writeCalls(): number;
  /**
   * Returns the failures of creates that could not succeed or not set all fields, by index: the server does not offer
   * them, or an object that they look up does not exist. Reads only; for callers that delete first.
   */
  failingCreates(
    kind: Kind,
    subjects: readonly ObjectWrite[],
    options?: Pick<ExecuteOptions, "signal">,
  ): Promise<ReadonlyMap<number, Failure>>;
  /** Creates objects. Callers handle `conflict`: another client may have created the object. Looks up creates with an unknown outcome. */
  create(
    kind: Kind,
    subjects: readonly ObjectWrite[],
    options?: ExecuteOptions,
  ): Promise<readonly Result[]>;
  update(
    kind: Kind,
    subjects: readonly ObjectWrite[],
    options?: ExecuteOptions,
  ): Promise<readonly Result[]>;
  /** Deletes objects. Objects that no longer exist count as deleted, but not those that the credential may not read. */
  delete(
    kind: Kind,
    subjects: readonly ObjectWrite[],
    options?: ExecuteOptions,
  ): Promise<readonly Result[]>;
}

/** Returns why an object must not be created, according to its server now; undefined if it may be created. */
export type CreateRefusal = (kind: Kind, spec: JsonObject) => Promise<Failure | undefined>;

/** Dependencies of a lifecycle, for one run. */
export interface LifecycleDependencies {
  readonly client: Client;
  readonly discovery: ApiDiscovery;
  readonly reader: CachedReader;
  /**
   * Asked right before each create that the server may not refuse itself. By default, only upserts are looked up: callers plan after
   * they observe.
   */
  readonly createRefusal?: CreateRefusal | undefined;
}

/** Creates a lifecycle for one run. Reads each prerequisite once, and again after writes to its API area. */
export function createLifecycle({
  client,
  discovery,
  reader,
  createRefusal,
}: LifecycleDependencies): Lifecycle {
  const prerequisites = createPrerequisiteCache(reader);
  const planSteps = createStepPlanner(discovery);
  const runState: RunState = { stopped: undefined, failures: 0, writeCalls: 0 };
  const contextOf = (kind: Kind, { signal }: Pick<ExecuteOptions, "signal">): StepContext => ({
    kind,
    client,
    signal,
    prerequisiteValue: prerequisites.read,
    freshPrerequisiteValue: (one, spec) => {
      reader.invalidate();
      prerequisites.invalidate(new Set([one.operation.area]));
      return prerequisites.read(one, spec);
    },
    runState,
  });
  const execute = async (
    task: WriteTask,
    options: ExecuteOptions = {},
  ): Promise<readonly Result[]> => {
    const { kind, verb, writes } = task;
    const { steps, failures, idle } = planSteps(kind, verb, writes);
    const collector = createResultCollector(options.onResult);
    for (const [index, failure] of failures) collector.finish(index, failure);
    for (const index of idle) collector.finish(index);
    const context = contextOf(kind, options);
    const work = { context, results: collector, steps, createRefusal };
    try {
      if (verb === "create") await createAll(kind, reader, work);
      else await writeAll(verb, reader, work);
    } finally {
      reader.invalidate();
      prerequisites.invalidate(new Set(steps.map(({ binding }) => binding.operation.area)));
    }
    return collector.results(writes.length);
  };
  return {
    stopped: () => runState.stopped,
    writeCalls: () => runState.writeCalls,
    failingCreates: (kind, writes, options = {}) =>
      failingCreates(planSteps(kind, "create", writes), contextOf(kind, options)),
    create: (kind, writes, options) => execute({ kind, verb: "create", writes }, options),
    update: (kind, writes, options) => execute({ kind, verb: "update", writes }, options),
    delete: (kind, writes, options) => execute({ kind, verb: "delete", writes }, options),
  };
}

/** Returns equal text for specs with equal prerequisite values. */
export function prerequisiteKey({ dependsOn = [] }: Prerequisite, spec: JsonObject): string {
  return dependsOn.length === 0 ? "" : canonical(dependsOn.map((name) => spec[name] ?? null));
}

interface PrerequisiteCache {
  readonly read: StepContext["prerequisiteValue"];
  /** Drops values that were read from these API areas, which were written to. */
  readonly invalidate: (areas: ReadonlySet<string>) => void;
}

/** Caches prerequisite values of one run. Failed reads are not cached, because a write can make them succeed. */
function createPrerequisiteCache(reader: CachedReader): PrerequisiteCache {
  const cache = new Map<Prerequisite, Map<string, Promise<unknown>>>();
  const read = async (prerequisite: Prerequisite, spec: JsonObject): Promise<unknown> => {
    const value = await prerequisite.read(reader, spec);
    if (value !== undefined) return value;
    throw new Failure("missing_reference", prerequisite.missingMessage);
  };
  const cachedRead: PrerequisiteCache["read"] = (prerequisite, spec) => {
    const values = cache.get(prerequisite) ?? new Map<string, Promise<unknown>>();
    cache.set(prerequisite, values);
    const key = prerequisiteKey(prerequisite, spec);
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = read(prerequisite, spec).catch((error: unknown) => {
      values.delete(key);
      throw error;
    });
    values.set(key, value);
    return value;
  };
  const invalidate: PrerequisiteCache["invalidate"] = (areas) => {
    for (const prerequisite of cache.keys())
      if (areas.has(prerequisite.operation.area)) cache.delete(prerequisite);
  };
  return { read: cachedRead, invalidate };
}

/** The steps of a verb with their execution context and result collector. */
interface WriteWork {
  readonly context: StepContext;
  readonly results: ResultCollector;
  readonly steps: readonly WriteStep[];
  readonly createRefusal: CreateRefusal | undefined;
}

/** Updates or deletes objects. A write that fails in one step is skipped in later ones. */
async function writeAll(
  verb: Verb,
  reader: CachedReader,
  { context, results, steps }: Omit<WriteWork, "createRefusal">,
): Promise<void> {
  const missing: IndexedWrite[] = [];
  const last = new Map(steps.flatMap((step) => step.writes.map(({ index }) => [index, step])));
  for (const step of steps) {
    const writes = step.writes.filter(({ index }) => results.isPending(index));
    await executeStep(context, { ...step, writes }, ({ index, write }, failure) => {
      if (verb === "delete" && isFailure(failure, "not_found")) missing.push({ index, write });
      // The steps after a create update objects that exist.
      else if (failure !== undefined) results.finish(index, failure, verb === "create");
      else if (last.get(index) === step) results.finish(index);
      else results.addPart(index, write.changed);
    });
  }
  const { kind } = context;
  const finish = async ({ index, write: { spec } }: IndexedWrite): Promise<void> => {
    const object = { kind, scope: scopeOf(kind, spec), key: keyOf(kind, spec) };
    results.finish(index, await failureFrom(() => requireGone(object, reader)));
  };
  await Promise.all(missing.map(finish));
}

/** Creates objects in the steps that create. The following steps update the created objects. */
async function createAll(kind: Kind, reader: CachedReader, work: WriteWork): Promise<void> {
  const { context, results, steps } = work;
  const rest = steps.filter(({ creates }) => !creates);
  const more = new Map(rest.flatMap(({ writes }) => writes.map((one) => [one.index, one])));
  const doubtful = new Map<IndexedWrite, Failure>();
  const upserted: UpsertedWrite[] = [];
  /** Writes that the server refuses if their object exists, so that finding it after a lost answer does not say who created it. */
  const refusable = new Set<number>();
  for (const step of await withoutExisting(kind, reader, work)) {
    await executeStep(context, step, (write, failure, answer) => {
      results.addAnswer(write.index, answer);
      if (refusesExisting(step)) refusable.add(write.index);
      if (failure !== undefined && lostAnswerCodes.has(failure.code)) doubtful.set(write, failure);
      else if (failure !== undefined) results.finish(write.index, failure);
      else if (step.binding.upserts !== undefined)
        upserted.push({ ...write, emptyFields: step.binding.upserts });
      else if (!more.has(write.index)) results.finish(write.index);
    });
  }

  const open = [...more.values()].filter(({ index }) => results.isPending(index));
  const toRead = [...doubtful.keys(), ...upserted, ...open];
  const observed = await observeScopes(kind, reader, toRead);
  for (const [{ index, write }, failure] of doubtful) {
    const exists = !(observed instanceof Failure) && observed.byKey.has(keyOf(kind, write.spec));
    if (exists && refusable.has(index))
      results.finishUncertainOwner(index, uncertainOwnerFailure(kind, write.spec, failure));
    else if (exists && kind.generatedSecret !== undefined)
      results.finish(index, lostSecretFailure(kind, failure), true);
    else if (!exists || !more.has(index)) results.finish(index, exists ? undefined : failure);
  }
  for (const one of upserted) {
    const failure = upsertFailure(kind, one, observed);
    if (failure !== undefined || !more.has(one.index))
      results.finish(one.index, failure, !isFailure(failure, "conflict"));
  }
  await writeAll("create", reader, {
    context,
    results,
    steps: withLive(kind, rest, { observed, results }),
  });
}

/** Returns whether the server itself refuses to create objects of a step that exist. Others can be looked up before. */
function refusesExisting({ binding, fallback = binding }: WriteStep): boolean {
  return binding.refusesExisting && fallback.refusesExisting;
}

/** Returns the steps that create, without the writes that must not create: those fail. */
async function withoutExisting(
  kind: Kind,
  reader: CachedReader,
  { context: { signal, runState }, results, steps, createRefusal }: WriteWork,
): Promise<readonly WriteStep[]> {
  const creating = steps.filter(({ creates }) => creates);
  const checked = creating
    .filter(
      (step) =>
        step.binding.upserts !== undefined ||
        (createRefusal !== undefined && !refusesExisting(step)),
    )
    .flatMap(({ writes }) => writes);
  // A run that stops attempts no create.
  if (checked.length === 0 || signal?.aborted || runState.stopped !== undefined) return creating;
  const refusal = createRefusal ?? (await existingRefusal(kind, reader, checked));
  const refuse = async ({ index, write }: IndexedWrite): Promise<void> => {
    const failure = await refusal(kind, write.spec);
    if (failure === undefined) return;
    recordFailure(runState, failure);
    results.finish(index, failure);
  };
  await Promise.all(checked.map(refuse));
  return creating.map((step) => ({
    ...step,
    writes: step.writes.filter(({ index }) => results.isPending(index)),
  }));
}

/** Returns a lookup in the collections of these writes, which it reads. */
async function existingRefusal(
  kind: Kind,
  reader: CachedReader,
  writes: readonly IndexedWrite[],
): Promise<CreateRefusal> {
  const observed = await observeScopes(kind, reader, writes);
  return async (_, spec) => {
    if (observed instanceof Failure) return observed;
    return observed.byKey.has(keyOf(kind, spec)) ? existingFailure(kind, spec) : undefined;
  };
}

/** Returns the failure of a create whose response, with the generated secret, was lost. The object exists but is unusable. */
function lostSecretFailure(kind: Kind, cause: Failure): Failure {
  return new Failure(
    "unknown_outcome",
    `the server created the ${kind.name}, but the response with its secret was lost`,
    { cause, remedy: "Delete the object and create it again." },
  );
}

/** Observes the collections of these writes again. */
async function observeScopes(
  kind: Kind,
  reader: CachedReader,
  writes: readonly IndexedWrite[],
): Promise<ObservedObjects | Failure> {
  reader.invalidate();
  try {
    return await observe(kind, scopesOf(kind, writes), { reader, interest: new Set(kind.key) });
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Adds the observed object to each write. Writes whose object is missing fail. */
function withLive(
  kind: Kind,
  steps: readonly WriteStep[],
  { observed, results }: { observed: ObservedObjects | Failure; results: ResultCollector },
): readonly WriteStep[] {
  return steps.map(({ writes, ...step }) => ({
    ...step,
    writes: writes.flatMap(({ index, write }) => {
      if (!results.isPending(index)) return [];
      const live =
        observed instanceof Failure ? undefined : observed.byKey.get(keyOf(kind, write.spec));
      if (live !== undefined) return [{ index, write: { ...write, live } }];
      results.finish(index, observed instanceof Failure ? observed : notListedFailure(kind), true);
      return [];
    }),
  }));
}

/** Returns the distinct collections of these writes. */
export function scopesOf(kind: Kind, writes: readonly IndexedWrite[]): readonly ScopeKey[] {
  const scopes = writes.map(({ write }) => scopeOf(kind, write.spec));
  return [...new Map(scopes.map((scope) => [scopeText(scope), scope])).values()];
}
