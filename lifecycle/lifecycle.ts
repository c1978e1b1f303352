// Carries out the life of any kind through the client: creates, updates and deletes many objects, each with its own result.
import type { Offer } from "../client/offer.ts";
import type { Client } from "../client/types.ts";
import { type Capability, capability } from "../core/capability.ts";
import { Failure } from "../core/errors.ts";
import { canonical, type JsonObject } from "../core/json.ts";
import type { Given, Kind, Subject } from "../core/kind.ts";
import type { Operation } from "../core/operation.ts";
import { batchesOf, type Placed } from "./batches.ts";
import type { Carrier, Course } from "./carry.ts";
import type { SharedReader } from "./reader.ts";
import { type Routes, routesOf, type Verb } from "./routes.ts";
import { createTally, type Result } from "./tally.ts";
import { createAll, scopesOf, writeAll } from "./write.ts";

/** What carrying out is told beside its subjects. */
export interface CarryOptions {
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
    subjects: readonly Subject[],
    options?: CarryOptions,
  ): Promise<readonly Result[]>;
  update(
    kind: Kind,
    subjects: readonly Subject[],
    options?: CarryOptions,
  ): Promise<readonly Result[]>;
  /** What is gone already counts as deleted. */
  delete(
    kind: Kind,
    subjects: readonly Subject[],
    options?: CarryOptions,
  ): Promise<readonly Result[]>;
}

/** What a lifecycle works with, for one run. */
export interface LifecycleParts {
  readonly client: Client;
  readonly offer: Offer;
  readonly reader: SharedReader;
}

/** A lifecycle for one run: facts that ways need are read once, and again after writes to their area of the API. */
export function createLifecycle({ client, offer, reader }: LifecycleParts): Lifecycle {
  const facts = createFacts(reader);
  const routes = createRoutes(offer);
  const course: Course = { stopped: undefined, failures: 0 };
  const carry = async (task: Task, options: CarryOptions = {}): Promise<readonly Result[]> => {
    const { kind, verb, subjects } = task;
    const { rounds, failures, idle } = routes(kind, verb, subjects);
    const tally = createTally(options.onResult);
    for (const [index, failure] of failures) tally.finish(index, failure);
    for (const index of idle) tally.finish(index);
    const { signal } = options;
    const work = { carrier: { kind, client, signal, fact: facts.read, course }, tally, rounds };
    try {
      if (verb === "create") await createAll(kind, reader, work);
      else await writeAll(verb, work);
    } finally {
      reader.invalidate();
      facts.forget(new Set(rounds.map(({ way }) => way.operation.area)));
    }
    return tally.results(subjects.length);
  };
  return {
    stopped: () => course.stopped,
    create: (kind, subjects, options) => carry({ kind, verb: "create", subjects }, options),
    update: (kind, subjects, options) => carry({ kind, verb: "update", subjects }, options),
    delete: (kind, subjects, options) => carry({ kind, verb: "delete", subjects }, options),
  };
}

/** One verb over many objects of one kind. */
export interface Task {
  readonly kind: Kind;
  readonly verb: Verb;
  readonly subjects: readonly Subject[];
}

/** Counts the calls that these tasks of one run will make on a server, by what it offers alone; nothing is read or written. */
export function estimate(offer: Offer, tasks: readonly Task[]): Cost {
  const routes = createRoutes(offer);
  const facts = new Map<Given, Set<string>>();
  let readCalls = 0;
  let writeCalls = 0;
  for (const { kind, verb, subjects } of tasks) {
    const { rounds } = routes(kind, verb, subjects);
    for (const { way, placed } of rounds) {
      if (way.given !== undefined) countFacts(facts, way.given, placed);
      writeCalls += batchesOf(way, placed).length;
    }
    const again = verb === "create" ? rounds.slice(1).flatMap(({ placed }) => placed) : [];
    readCalls += scopesOf(kind, again).length;
  }
  for (const asked of facts.values()) readCalls += asked.size;
  return { readCalls, writeCalls };
}

/** The operations that these tasks call on a server, each once, by what it offers alone. */
export function operationsOf(offer: Offer, tasks: readonly Task[]): ReadonlySet<Operation> {
  const routes = createRoutes(offer);
  const ways = tasks.flatMap(({ kind, verb, subjects }) =>
    routes(kind, verb, subjects).rounds.map(({ way }) => way),
  );
  return new Set(ways.map(({ operation }) => operation));
}

function countFacts(facts: Map<Given, Set<string>>, given: Given, placed: readonly Placed[]): void {
  const asked = facts.get(given) ?? new Set();
  facts.set(given, asked);
  for (const { subject } of placed) asked.add(dependsOn(given, subject.spec));
}

/** The same text for wishes that a fact is the same for. */
function dependsOn({ by = [] }: Given, spec: JsonObject): string {
  return by.length === 0 ? "" : canonical(by.map((name) => spec[name] ?? null));
}

function createRoutes(offer: Offer) {
  const capabilities = new Map<Kind, Capability>();
  return (kind: Kind, verb: Verb, subjects: readonly Subject[]): Routes => {
    const known = capabilities.get(kind) ?? capability(kind, (operation) => offer.has(operation));
    capabilities.set(kind, known);
    return routesOf(kind, verb, { capability: known, subjects });
  };
}

interface Facts {
  readonly read: Carrier["fact"];
  /** Forgets what is read from these areas of the API, for they were written to. */
  readonly forget: (areas: ReadonlySet<string>) => void;
}

/** Facts of one run; one that could not be had is asked for again, since a write may bring it about. */
function createFacts(reader: SharedReader): Facts {
  const facts = new Map<Given, Map<string, Promise<unknown>>>();
  const read = async (given: Given, spec: JsonObject): Promise<unknown> => {
    const fact = await given.read(reader, spec);
    if (fact !== undefined) return fact;
    throw new Failure("not_offered", `${given.missing}.`);
  };
  const recall: Facts["read"] = (given, spec) => {
    const ofGiven = facts.get(given) ?? new Map<string, Promise<unknown>>();
    facts.set(given, ofGiven);
    const key = dependsOn(given, spec);
    const known = ofGiven.get(key);
    if (known !== undefined) return known;
    const fact = read(given, spec).catch((error: unknown) => {
      ofGiven.delete(key);
      throw error;
    });
    ofGiven.set(key, fact);
    return fact;
  };
  const forget: Facts["forget"] = (areas) => {
    for (const given of facts.keys()) if (areas.has(given.operation.area)) facts.delete(given);
  };
  return { read: recall, forget };
}
