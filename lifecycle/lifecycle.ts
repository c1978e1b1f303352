// Creates, updates and deletes objects of any kind through the client, with a result for each object.
import type { ApiDiscovery } from "../client/api-discovery.ts";
import type { Client } from "../client/types.ts";
import { type Capability, capability } from "../core/capability.ts";
import { Failure } from "../core/errors.ts";
import { canonical, type JsonObject } from "../core/json.ts";
import type { Prerequisite, Kind, ObjectWrite } from "../core/kind.ts";
import type { Operation } from "../core/operation.ts";
import type { StepContext, RunState } from "./execute.ts";
import type { CachedReader } from "./reader.ts";
import {
  batchesOf,
  type IndexedWrite,
  type WriteStep,
  type WriteSteps,
  writeStepsOf,
  type Verb,
} from "./steps.ts";
import { createResultCollector, type Result } from "./results.ts";
import { createAll, scopesOf, writeAll } from "./write.ts";

/** Options of an execution. */
export interface ExecuteOptions {
  /** Cancels between calls. Writes that have not started fail with `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the final result of each write, by index. */
  readonly onResult?: ((index: number, result: Result) => void) | undefined;
}

/** Estimated number of calls. */
export interface Cost {
  /** Reads that the writes require. A list counts as one call. */
  readonly readCalls: number;
  readonly writeCalls: number;
}

/**
 * Writes objects of any kind to one server. Results are in the order of the writes. The run stops if the server is
 * unreachable, rejects the credential, or fails {@link limits.failuresInARow} times in a row; remaining writes fail with `aborted`.
 */
export interface Lifecycle {
  /** Returns the failure that stopped the run; undefined while it continues. */
  stopped(): Failure | undefined;
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
  /** Deletes objects. Objects that no longer exist count as deleted. */
  delete(
    kind: Kind,
    subjects: readonly ObjectWrite[],
    options?: ExecuteOptions,
  ): Promise<readonly Result[]>;
}

/** Dependencies of a lifecycle, for one run. */
export interface LifecycleDependencies {
  readonly client: Client;
  readonly discovery: ApiDiscovery;
  readonly reader: CachedReader;
}

/** Creates a lifecycle for one run. Reads each prerequisite once, and again after writes to its API area. */
export function createLifecycle({ client, discovery, reader }: LifecycleDependencies): Lifecycle {
  const prerequisites = createPrerequisiteCache(reader);
  const planSteps = createStepPlanner(discovery);
  const runState: RunState = { stopped: undefined, failures: 0 };
  const execute = async (
    task: WriteTask,
    options: ExecuteOptions = {},
  ): Promise<readonly Result[]> => {
    const { kind, verb, writes } = task;
    const { steps, failures, idle } = planSteps(kind, verb, writes);
    const collector = createResultCollector(options.onResult);
    for (const [index, failure] of failures) collector.finish(index, failure);
    for (const index of idle) collector.finish(index);
    const { signal } = options;
    const context = {
      kind,
      client,
      signal,
      prerequisiteValue: prerequisites.read,
      freshPrerequisiteValue: (one: Prerequisite, spec: JsonObject) => {
        reader.invalidate();
        prerequisites.invalidate(new Set([one.operation.area]));
        return prerequisites.read(one, spec);
      },
      runState,
    };
    const work = { context, results: collector, steps };
    try {
      if (verb === "create") await createAll(kind, reader, work);
      else await writeAll(verb, work);
    } finally {
      reader.invalidate();
      prerequisites.invalidate(new Set(steps.map(({ binding }) => binding.operation.area)));
    }
    return collector.results(writes.length);
  };
  return {
    stopped: () => runState.stopped,
    create: (kind, writes, options) => execute({ kind, verb: "create", writes }, options),
    update: (kind, writes, options) => execute({ kind, verb: "update", writes }, options),
    delete: (kind, writes, options) => execute({ kind, verb: "delete", writes }, options),
  };
}

/** One verb for many objects of one kind. */
export interface WriteTask {
  readonly kind: Kind;
  readonly verb: Verb;
  readonly writes: readonly ObjectWrite[];
}

/** Estimates the calls of these tasks from the operations that the server offers. Reads and writes nothing. */
export function estimate(discovery: ApiDiscovery, tasks: readonly WriteTask[]): Cost {
  const planSteps = createStepPlanner(discovery);
  const prerequisites = new Map<Prerequisite, Set<string>>();
  let readCalls = 0;
  let writeCalls = 0;
  for (const { kind, verb, writes } of tasks) {
    const { steps } = planSteps(kind, verb, writes);
    for (const { binding, writes: indexed } of steps) {
      if (binding.prerequisite !== undefined)
        countPrerequisiteReads(prerequisites, binding.prerequisite, indexed);
      writeCalls += batchesOf(binding, indexed).length;
      for (const { write } of indexed) writeCalls += binding.preparation?.calls(write) ?? 0;
    }
    readCalls += rereadsOf(kind, verb, steps);
  }
  for (const keys of prerequisites.values()) readCalls += keys.size;
  return { readCalls, writeCalls };
}

/** Counts the collections that a create reads again: before an upsert, and after the objects are created. */
function rereadsOf(kind: Kind, verb: Verb, steps: readonly WriteStep[]): number {
  if (verb !== "create") return 0;
  const upserts = steps.filter(({ creates, binding }) => creates && binding.upserts !== undefined);
  const before = upserts.flatMap((step) => step.writes);
  const after = steps.filter(({ creates }) => !creates).flatMap((step) => step.writes);
  return scopesOf(kind, before).length + scopesOf(kind, [...before, ...after]).length;
}

/** Returns the operations that these tasks call, given the operations that the server offers. */
export function operationsOf(
  discovery: ApiDiscovery,
  tasks: readonly WriteTask[],
): ReadonlySet<Operation> {
  const planSteps = createStepPlanner(discovery);
  const bindings = tasks.flatMap(({ kind, verb, writes }) =>
    planSteps(kind, verb, writes).steps.map(({ binding }) => binding),
  );
  return new Set(
    bindings.flatMap(({ operation, preparation }) => [
      ...(preparation?.operations ?? []),
      operation,
    ]),
  );
}

function countPrerequisiteReads(
  prerequisites: Map<Prerequisite, Set<string>>,
  prerequisite: Prerequisite,
  indexed: readonly IndexedWrite[],
): void {
  const keys = prerequisites.get(prerequisite) ?? new Set();
  prerequisites.set(prerequisite, keys);
  for (const { write } of indexed) keys.add(prerequisiteKey(prerequisite, write.spec));
}

/** Returns equal text for specs with equal prerequisite values. */
function prerequisiteKey({ dependsOn = [] }: Prerequisite, spec: JsonObject): string {
  return dependsOn.length === 0 ? "" : canonical(dependsOn.map((name) => spec[name] ?? null));
}

function createStepPlanner(discovery: ApiDiscovery) {
  const capabilities = new Map<Kind, Capability>();
  return (kind: Kind, verb: Verb, writes: readonly ObjectWrite[]): WriteSteps => {
    const known =
      capabilities.get(kind) ?? capability(kind, (operation) => discovery.has(operation));
    capabilities.set(kind, known);
    return writeStepsOf(kind, verb, { capability: known, subjects: writes });
  };
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
    throw new Failure("missing_reference", `${prerequisite.missingMessage}.`);
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
