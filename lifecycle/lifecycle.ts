// Carries out the life of any kind through the client: creates, updates and deletes many objects, each with its own result.
import type { ApiDiscovery } from "../client/api-discovery.ts";
import type { Client } from "../client/types.ts";
import { type Capability, capability } from "../core/capability.ts";
import { Failure } from "../core/errors.ts";
import { canonical, type JsonObject } from "../core/json.ts";
import type { Prerequisite, Kind, ObjectWrite } from "../core/kind.ts";
import type { Operation } from "../core/operation.ts";
import { batchesOf, type IndexedWrite } from "./batches.ts";
import type { StepContext, RunState } from "./execute.ts";
import type { CachedReader } from "./reader.ts";
import { type WriteSteps, writeStepsOf, type Verb } from "./steps.ts";
import { createResultCollector, type Result } from "./results.ts";
import { createAll, scopesOf, writeAll } from "./write.ts";

/** What carrying out is told beside its subjects. */
export interface ExecuteOptions {
  /** Stops between calls; what was not begun fails with `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Told as soon as a subject's result is final, by its index. */
  readonly onResult?: ((index: number, result: Result) => void) | undefined;
}

/** What writes will cost. */
export interface Cost {
  /** Readings that the writes need, each counted as one call however many pages it has. */
  readonly readCalls: number;
  readonly writeCalls: number;
}

/**
 * Writes objects of any kind on one server. Results stand in the order of the subjects. A server that cannot be reached,
 * lets nobody in or fails {@link limits.failuresInARow} times in a row ends the run: what is left fails with `aborted`, untried.
 */
export interface Lifecycle {
  /** Why nothing more is tried; undefined while the run goes on. */
  stopped(): Failure | undefined;
  /** A `conflict` is left to the caller: somebody else may have made the object. A create whose outcome is unknown is looked up. */
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
  /** What is gone already counts as deleted. */
  delete(
    kind: Kind,
    subjects: readonly ObjectWrite[],
    options?: ExecuteOptions,
  ): Promise<readonly Result[]>;
}

/** What a lifecycle works with, for one run. */
export interface LifecycleDependencies {
  readonly client: Client;
  readonly discovery: ApiDiscovery;
  readonly reader: CachedReader;
}

/** A lifecycle for one run: facts that ways need are read once, and again after writes to their area of the API. */
export function createLifecycle({
  client,
  discovery: offer,
  reader,
}: LifecycleDependencies): Lifecycle {
  const facts = createPrerequisiteCache(reader);
  const routes = createStepPlanner(offer);
  const course: RunState = { stopped: undefined, failures: 0 };
  const carry = async (
    task: WriteTask,
    options: ExecuteOptions = {},
  ): Promise<readonly Result[]> => {
    const { kind, verb, writes: subjects } = task;
    const { steps: rounds, failures, idle } = routes(kind, verb, subjects);
    const tally = createResultCollector(options.onResult);
    for (const [index, failure] of failures) tally.finish(index, failure);
    for (const index of idle) tally.finish(index);
    const { signal } = options;
    const context = { kind, client, signal, prerequisiteValue: facts.read, runState: course };
    const work = { context, results: tally, steps: rounds };
    try {
      if (verb === "create") await createAll(kind, reader, work);
      else await writeAll(verb, work);
    } finally {
      reader.invalidate();
      facts.invalidate(new Set(rounds.map(({ binding: way }) => way.operation.area)));
    }
    return tally.results(subjects.length);
  };
  return {
    stopped: () => course.stopped,
    create: (kind, subjects, options) => carry({ kind, verb: "create", writes: subjects }, options),
    update: (kind, subjects, options) => carry({ kind, verb: "update", writes: subjects }, options),
    delete: (kind, subjects, options) => carry({ kind, verb: "delete", writes: subjects }, options),
  };
}

/** One verb over many objects of one kind. */
export interface WriteTask {
  readonly kind: Kind;
  readonly verb: Verb;
  readonly writes: readonly ObjectWrite[];
}

/** Counts the calls that these tasks of one run will make on a server, by what it offers alone; nothing is read or written. */
export function estimate(offer: ApiDiscovery, tasks: readonly WriteTask[]): Cost {
  const routes = createStepPlanner(offer);
  const facts = new Map<Prerequisite, Set<string>>();
  let readCalls = 0;
  let writeCalls = 0;
  for (const { kind, verb, writes: subjects } of tasks) {
    const { steps: rounds } = routes(kind, verb, subjects);
    for (const { binding: way, writes: placed } of rounds) {
      if (way.prerequisite !== undefined) countPrerequisiteReads(facts, way.prerequisite, placed);
      writeCalls += batchesOf(way, placed).length;
    }
    const again = verb === "create" ? rounds.slice(1).flatMap(({ writes: placed }) => placed) : [];
    readCalls += scopesOf(kind, again).length;
  }
  for (const asked of facts.values()) readCalls += asked.size;
  return { readCalls, writeCalls };
}

/** The operations that these tasks call on a server, each once, by what it offers alone. */
export function operationsOf(
  offer: ApiDiscovery,
  tasks: readonly WriteTask[],
): ReadonlySet<Operation> {
  const routes = createStepPlanner(offer);
  const ways = tasks.flatMap(({ kind, verb, writes: subjects }) =>
    routes(kind, verb, subjects).steps.map(({ binding: way }) => way),
  );
  return new Set(ways.map(({ operation }) => operation));
}

function countPrerequisiteReads(
  facts: Map<Prerequisite, Set<string>>,
  given: Prerequisite,
  placed: readonly IndexedWrite[],
): void {
  const asked = facts.get(given) ?? new Set();
  facts.set(given, asked);
  for (const { write: subject } of placed) asked.add(prerequisiteKey(given, subject.spec));
}

/** The same text for wishes that a fact is the same for. */
function prerequisiteKey({ dependsOn: by = [] }: Prerequisite, spec: JsonObject): string {
  return by.length === 0 ? "" : canonical(by.map((name) => spec[name] ?? null));
}

function createStepPlanner(offer: ApiDiscovery) {
  const capabilities = new Map<Kind, Capability>();
  return (kind: Kind, verb: Verb, subjects: readonly ObjectWrite[]): WriteSteps => {
    const known = capabilities.get(kind) ?? capability(kind, (operation) => offer.has(operation));
    capabilities.set(kind, known);
    return writeStepsOf(kind, verb, { capability: known, subjects });
  };
}

interface PrerequisiteCache {
  readonly read: StepContext["prerequisiteValue"];
  /** Forgets what is read from these areas of the API, for they were written to. */
  readonly invalidate: (areas: ReadonlySet<string>) => void;
}

/** Facts of one run; one that could not be had is asked for again, since a write may bring it about. */
function createPrerequisiteCache(reader: CachedReader): PrerequisiteCache {
  const facts = new Map<Prerequisite, Map<string, Promise<unknown>>>();
  const read = async (given: Prerequisite, spec: JsonObject): Promise<unknown> => {
    const fact = await given.read(reader, spec);
    if (fact !== undefined) return fact;
    throw new Failure("not_offered", `${given.missingMessage}.`);
  };
  const recall: PrerequisiteCache["read"] = (given, spec) => {
    const ofGiven = facts.get(given) ?? new Map<string, Promise<unknown>>();
    facts.set(given, ofGiven);
    const key = prerequisiteKey(given, spec);
    const known = ofGiven.get(key);
    if (known !== undefined) return known;
    const fact = read(given, spec).catch((error: unknown) => {
      ofGiven.delete(key);
      throw error;
    });
    ofGiven.set(key, fact);
    return fact;
  };
  const forget: PrerequisiteCache["invalidate"] = (areas) => {
    for (const given of facts.keys()) if (areas.has(given.operation.area)) facts.delete(given);
  };
  return { read: recall, invalidate: forget };
}
