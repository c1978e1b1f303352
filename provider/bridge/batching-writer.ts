// Collects the single writes of an engine into batches, where the API accepts batches.
import { capability, type Capability } from "../../core/capability.ts";
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import { Failure } from "../../core/errors.ts";
import { managerRefusal } from "../../core/external-manager.ts";
import type { Kind, ObjectWrite } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import type { Lifecycle } from "../../lifecycle/lifecycle.ts";
import { writeStepsOf, type Verb } from "../../lifecycle/steps.ts";
import type { Result } from "../../lifecycle/results.ts";
import { asSentence } from "../../core/validation-messages.ts";

/** Writes single objects, in batches where the API accepts them. */
export interface BatchingWriter {
  /** Writes one object. A refused batch is split until only the invalid object fails, so each result belongs to its own object. */
  write(verb: Verb, kind: Kind, subject: ObjectWrite): Promise<Result>;
  /** Returns why this server cannot execute the write, or would refuse it, or undefined. Sends no request. */
  preflightError(verb: Verb, kind: Kind, subject: ObjectWrite): Failure | undefined;
}

interface QueuedWrite {
  readonly subject: ObjectWrite;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates a writer over one lifecycle. `limits` bound how long and how many writes wait for a batch. */
export function createBatchingWriter(
  lifecycle: Lifecycle,
  apiDiscovery: ApiDiscovery,
  signal: AbortSignal,
): BatchingWriter {
  const queues = new Map<string, QueuedWrite[]>();
  const running = new Map<string, Promise<void>>();
  const capabilities = new Map<Kind, Capability>();

  const flush = async (verb: Verb, kind: Kind, waiting: readonly QueuedWrite[]): Promise<void> => {
    const subjects = waiting.map(({ subject }) => subject);
    try {
      await lifecycle[verb](kind, subjects, {
        signal,
        onResult: (index, result) => waiting[index]?.resolve(result),
      });
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  };
  const enqueue = (verb: Verb, kind: Kind, waiting: QueuedWrite): void => {
    if (!supportsBatches(kind, verb)) return void flush(verb, kind, [waiting]);
    const name = `${verb} ${kind.name}`;
    const queue = queues.get(name);
    if (queue !== undefined) {
      queue.push(waiting);
      if (queue.length >= limits.createsMarkedAtOnce) send(name, queue);
      return;
    }
    const newQueue = [waiting];
    queues.set(name, newQueue);
    // Writes that arrive while a batch is under way share the next one.
    setTimeout(
      () => void (running.get(name) ?? Promise.resolve()).then(() => send(name, newQueue)),
      limits.coalesceMs,
    );

    function send(queueName: string, queued: readonly QueuedWrite[]): void {
      if (queues.get(queueName) !== queued) return;
      queues.delete(queueName);
      running.set(queueName, flush(verb, kind, queued));
    }
  };
  return {
    write: (verb, kind, subject) =>
      new Promise((resolve, reject) => enqueue(verb, kind, { subject, resolve, reject })),
    preflightError: (verb, kind, subject) => {
      const found =
        capabilities.get(kind) ?? capability(kind, (operation) => apiDiscovery.has(operation));
      capabilities.set(kind, found);
      const { failures } = writeStepsOf(kind, verb, { capability: found, subjects: [subject] });
      return failures.get(0) ?? managedFailure(verb, kind, subject);
    },
  };
}

/** Returns why the server refuses to change what an identity provider manages. Values that are not known yet are in no spec. */
function managedFailure(
  verb: Verb,
  kind: Kind,
  { spec, live, changed }: ObjectWrite,
): Failure | undefined {
  if (verb === "create" || live === undefined) return undefined;
  const written = new Set([...changed].filter((name) => spec[name] !== undefined));
  const refusal = managerRefusal(kind, live, verb === "delete" ? undefined : written);
  return (
    refusal &&
    new Failure("conflict", asSentence(refusal.summary), { remedy: asSentence(refusal.remedy) })
  );
}

function supportsBatches(kind: Kind, verb: Verb): boolean {
  return kind.bindings[verb].some((binding) => binding.batch.max > 1);
}

/** Returns the write of a new object: every field of `spec` is set. */
export function createSubject(spec: ObjectWrite["spec"]): ObjectWrite {
  const changed = Object.keys(spec).filter((name) => spec[name] !== undefined);
  return { spec, live: undefined, changed: new Set(changed) };
}
