// Writing for an engine that writes object by object: what the API takes in batches waits a moment for company.
import { capability, type Capability } from "../../core/capability.ts";
import type { Offer } from "../../client/offer.ts";
import type { Failure } from "../../core/errors.ts";
import type { Kind, Subject } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import type { Lifecycle } from "../../lifecycle/lifecycle.ts";
import { routesOf, type Verb } from "../../lifecycle/routes.ts";
import type { Result } from "../../lifecycle/tally.ts";

/** Writes single objects. */
export interface Writer {
  /** A refused batch is halved until only the guilty one fails, so each result is the object's own. */
  write(verb: Verb, kind: Kind, subject: Subject): Promise<Result>;
  /** Why this server could not carry it out; undefined where nothing stands in the way. Nothing is called. */
  obstacle(verb: Verb, kind: Kind, subject: Subject): Failure | undefined;
}

interface Waiting {
  readonly subject: Subject;
  readonly settle: (result: Result) => void;
  readonly fail: (error: unknown) => void;
}

/** A writer over one lifecycle; it bounds how long and how many wait together. */
export function createWriter(lifecycle: Lifecycle, offer: Offer, signal: AbortSignal): Writer {
  const queues = new Map<string, Waiting[]>();
  const capabilities = new Map<Kind, Capability>();

  const flush = (verb: Verb, kind: Kind, waiting: readonly Waiting[]): void => {
    const subjects = waiting.map(({ subject }) => subject);
    lifecycle[verb](kind, subjects, {
      signal,
      onResult: (index, result) => waiting[index]?.settle(result),
    }).catch((error: unknown) => {
      for (const { fail } of waiting) fail(error);
    });
  };
  const enqueue = (verb: Verb, kind: Kind, waiting: Waiting): void => {
    if (!takesBatches(kind, verb)) return flush(verb, kind, [waiting]);
    const name = `${verb} ${kind.name}`;
    const queue = queues.get(name);
    if (queue !== undefined) {
      queue.push(waiting);
      if (queue.length >= limits.begunAtOnce) send(name, queue);
      return;
    }
    const fresh = [waiting];
    queues.set(name, fresh);
    setTimeout(() => send(name, fresh), limits.coalesceMs);

    function send(of: string, those: readonly Waiting[]): void {
      if (queues.get(of) !== those) return;
      queues.delete(of);
      flush(verb, kind, those);
    }
  };
  return {
    write: (verb, kind, subject) =>
      new Promise((settle, fail) => enqueue(verb, kind, { subject, settle, fail })),
    obstacle: (verb, kind, subject) => {
      const known = capabilities.get(kind) ?? capability(kind, (operation) => offer.has(operation));
      capabilities.set(kind, known);
      const { failures } = routesOf(kind, verb, { capability: known, subjects: [subject] });
      return failures.get(0);
    },
  };
}

function takesBatches(kind: Kind, verb: Verb): boolean {
  return kind.life[verb].some((way) => way.batch.max > 1);
}

/** The subject that is created: every field that is wished for is to be set. */
export function toCreate(spec: Subject["spec"]): Subject {
  const changed = Object.keys(spec).filter((name) => spec[name] !== undefined);
  return { spec, live: undefined, changed: new Set(changed) };
}
