// Collects the single writes of an engine into batches, where the API accepts batches.
import { capability, type Capability } from "../../core/kind/capability.ts";
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import { Failure } from "../../core/errors.ts";
import { managerRefusal } from "../../core/kind/external-manager.ts";
import type { Kind, ObjectWrite } from "../../core/kind/kind.ts";
import type { Lifecycle } from "../../lifecycle/lifecycle.ts";
import { writeStepsOf, type Verb } from "../../lifecycle/steps.ts";
import type { Result } from "../../lifecycle/results.ts";
import { createCoalescingQueues } from "./coalescing-queues.ts";

/** Writes single objects, in batches where the API accepts them. */
export interface BatchingWriter {
  /** Counts a write of the engine from its start to its return, including its reads. */
  during<T>(verb: Verb, kind: Kind, work: () => Promise<T>): Promise<T>;
  /** Writes one object. A refused batch is split until only the invalid object fails, so each result belongs to its own object. */
  write(verb: Verb, kind: Kind, subject: ObjectWrite): Promise<Result>;
  /** Returns why this server cannot execute the write, or would refuse it, or undefined. Sends no request. */
  preflightError(verb: Verb, kind: Kind, subject: ObjectWrite): Failure | undefined;
}

interface QueuedWrite {
  readonly verb: Verb;
  readonly kind: Kind;
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
  const capabilities = new Map<Kind, Capability>();

  const flush = async (waiting: readonly QueuedWrite[]): Promise<void> => {
    const [first] = waiting;
    if (first === undefined) return;
    const { verb, kind } = first;
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
  const queues = createCoalescingQueues(flush);
  return {
    during: (verb, kind, work) => queues.during(queueName(verb, kind), work),
    write: (verb, kind, subject) =>
      new Promise((resolve, reject) => {
        const queued = { verb, kind, subject, resolve, reject };
        if (supportsBatches(kind, verb)) queues.add(queueName(verb, kind), queued);
        else void flush([queued]);
      }),
    preflightError: (verb, kind, subject) => {
      const found =
        capabilities.get(kind) ?? capability(kind, (operation) => apiDiscovery.has(operation));
      capabilities.set(kind, found);
      const { failures } = writeStepsOf(kind, verb, { capability: found, subjects: [subject] });
      return failures.get(0) ?? managedFailure(verb, kind, subject);
    },
  };
}

/** Returns why the server refuses to change an object that an identity provider manages. Specs omit values that are not known yet. */
function managedFailure(
  verb: Verb,
  kind: Kind,
  { spec, live, changed }: ObjectWrite,
): Failure | undefined {
  if (verb === "create" || live === undefined) return undefined;
  const written = new Set([...changed].filter((name) => spec[name] !== undefined));
  const refusal = managerRefusal(kind, live, verb === "delete" ? undefined : written);
  return refusal && new Failure("conflict", refusal.summary, { remedy: refusal.remedy });
}

function queueName(verb: Verb, kind: Kind): string {
  return `${verb} ${kind.name}`;
}

function supportsBatches(kind: Kind, verb: Verb): boolean {
  return kind.bindings[verb].some((binding) => binding.batch.max > 1);
}

/** Returns the write of a new object: every field of `spec` is set. */
export function createSubject(spec: ObjectWrite["spec"]): ObjectWrite {
  const changed = Object.keys(spec).filter((name) => spec[name] !== undefined);
  return { spec, live: undefined, changed: new Set(changed) };
}
