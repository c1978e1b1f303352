// Writing for an engine that writes object by object: what the API takes in batches waits a moment for company.
import { capability, type Capability } from "../../core/capability.ts";
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import type { Failure } from "../../core/errors.ts";
import type { Kind, ObjectWrite } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import type { Lifecycle } from "../../lifecycle/lifecycle.ts";
import { writeStepsOf, type Verb } from "../../lifecycle/steps.ts";
import type { Result } from "../../lifecycle/results.ts";

/** Writes single objects. */
export interface BatchingWriter {
  /** A refused batch is halved until only the guilty one fails, so each result is the object's own. */
  write(verb: Verb, kind: Kind, subject: ObjectWrite): Promise<Result>;
  /** Why this server could not carry it out; undefined where nothing stands in the way. Nothing is called. */
  preflightError(verb: Verb, kind: Kind, subject: ObjectWrite): Failure | undefined;
}

interface QueuedWrite {
  readonly subject: ObjectWrite;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** A writer over one lifecycle; it bounds how long and how many wait together. */
export function createBatchingWriter(
  lifecycle: Lifecycle,
  offer: ApiDiscovery,
  signal: AbortSignal,
): BatchingWriter {
  const queues = new Map<string, QueuedWrite[]>();
  const capabilities = new Map<Kind, Capability>();

  const flush = (verb: Verb, kind: Kind, waiting: readonly QueuedWrite[]): void => {
    const subjects = waiting.map(({ subject }) => subject);
    lifecycle[verb](kind, subjects, {
      signal,
      onResult: (index, result) => waiting[index]?.resolve(result),
    }).catch((error: unknown) => {
      for (const { reject: fail } of waiting) fail(error);
    });
  };
  const enqueue = (verb: Verb, kind: Kind, waiting: QueuedWrite): void => {
    if (!supportsBatches(kind, verb)) return flush(verb, kind, [waiting]);
    const name = `${verb} ${kind.name}`;
    const queue = queues.get(name);
    if (queue !== undefined) {
      queue.push(waiting);
      if (queue.length >= limits.createsMarkedAtOnce) send(name, queue);
      return;
    }
    const fresh = [waiting];
    queues.set(name, fresh);
    setTimeout(() => send(name, fresh), limits.coalesceMs);

    function send(of: string, those: readonly QueuedWrite[]): void {
      if (queues.get(of) !== those) return;
      queues.delete(of);
      flush(verb, kind, those);
    }
  };
  return {
    write: (verb, kind, subject) =>
      new Promise((settle, fail) =>
        enqueue(verb, kind, { subject, resolve: settle, reject: fail }),
      ),
    preflightError: (verb, kind, subject) => {
      const known = capabilities.get(kind) ?? capability(kind, (operation) => offer.has(operation));
      capabilities.set(kind, known);
      const { failures } = writeStepsOf(kind, verb, { capability: known, subjects: [subject] });
      return failures.get(0);
    },
  };
}

function supportsBatches(kind: Kind, verb: Verb): boolean {
  return kind.bindings[verb].some((way) => way.batch.max > 1);
}

/** The subject that is created: every field that is wished for is to be set. */
export function createSubject(spec: ObjectWrite["spec"]): ObjectWrite {
  const changed = Object.keys(spec).filter((name) => spec[name] !== undefined);
  return { spec, live: undefined, changed: new Set(changed) };
}
