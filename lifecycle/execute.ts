// Makes the calls of one way: batched, a bounded number at once, a refused batch halved until only the guilty one fails.
import pLimit from "p-limit";
import type { Client } from "../client/types.ts";
import { type ErrorCode, Failure } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Prerequisite, Kind, Binding } from "../core/kind.ts";
import { limits } from "../core/limits.ts";
import type { Secret } from "../core/secret.ts";
import { batchesOf, type IndexedWrite } from "./batches.ts";
import { redactFailure } from "./redact.ts";
import type { WriteStep } from "./steps.ts";
import { withFieldOrigins } from "./field-origin.ts";

/** What carrying out works with; it lives as long as one verb. */
export interface StepContext {
  readonly kind: Kind;
  readonly client: Client;
  readonly signal: AbortSignal | undefined;
  /** A fact for the wish of a subject, read once a run. */
  prerequisiteValue(given: Prerequisite, spec: JsonObject): Promise<unknown>;
  readonly runState: RunState;
}

/** How a run goes; shared by all that it carries out. */
export interface RunState {
  /** Why the run went no further, once there is no use in going on: what is left is not tried. */
  stopped: Failure | undefined;
  /** Calls in a row that the server did not cope with. */
  failures: number;
}

/** Told once for every subject of a round; `failure` is undefined where it was carried out, `minted` a secret of its create. */
export type SettledHandler = (
  placed: IndexedWrite,
  failure: Failure | undefined,
  minted: Secret | undefined,
) => void;

/** Carries out one round. Only a bug makes it reject; no further call is made then. */
export async function executeStep(
  carrier: StepContext,
  { binding: way, writes: placed }: WriteStep,
  settled: SettledHandler,
): Promise<void> {
  const atOnce = pLimit(carrier.client.concurrency);
  const carryBatch = async (batch: readonly IndexedWrite[]): Promise<void> => {
    const ended = await attempt(carrier, way, batch);
    if (ended instanceof Failure && batch.length > 1 && contentErrorCodes.has(ended.code)) {
      const half = Math.ceil(batch.length / 2);
      await carryBatch(batch.slice(0, half));
      await carryBatch(batch.slice(half));
      return;
    }
    for (const [index, one] of batch.entries()) {
      if (ended instanceof Failure) settled(one, ended, undefined);
      else settled(one, ended.failures[index], ended.generatedSecret);
    }
  };
  await Promise.all(batchesOf(way, placed).map((batch) => atOnce(() => carryBatch(batch))));
}

/** Refusals that are about what the request says, so that one object of a batch may be to blame. */
const contentErrorCodes: ReadonlySet<ErrorCode> = new Set([
  "invalid",
  "conflict",
  "not_found",
  "too_large",
]);

/** Failures that every further call would meet as well. */
const fatalErrorCodes: ReadonlySet<ErrorCode> = new Set([
  "unauthenticated",
  "unreachable",
  "aborted",
]);

/** Failures of a server that does not cope; one may be about one object, several in a row are not. */
const serverFailureCodes: ReadonlySet<ErrorCode> = new Set([
  "internal",
  "rate_limited",
  "timeout",
  "unavailable",
  "unknown_outcome",
]);

/** What an answer tells: why it failed for each of them, where it says so, and the secret that it holds. */
interface CallResult {
  readonly failures: readonly (Failure | undefined)[];
  readonly generatedSecret: Secret | undefined;
}

/** One call: why it failed as a whole, or what its answer tells. */
async function attempt(
  carrier: StepContext,
  way: Binding,
  batch: readonly IndexedWrite[],
): Promise<Failure | CallResult> {
  const { kind, client, signal, runState: course } = carrier;
  if (signal?.aborted)
    course.stopped ??= new Failure("aborted", "Stopped before it was carried out.");
  if (course.stopped !== undefined) return notAttemptedFailure(course.stopped);
  const subjects = batch.map(({ write: subject }) => subject);
  const { prerequisite: given } = way;
  const wishes = subjects.map(({ spec }) => spec);
  let fact: unknown;
  try {
    if (given !== undefined) fact = await carrier.prerequisiteValue(given, wishes[0] ?? {});
    const answer = await client.call(way.operation, way.input(subjects, fact), { signal });
    course.failures = 0;
    const failures = way.outcome?.(answer, subjects) ?? [];
    return {
      failures: failures.map((failure) => failure && redactFailure(failure, kind, wishes)),
      generatedSecret: way.extractSecret?.(answer),
    };
  } catch (error) {
    if (!(error instanceof Failure)) {
      course.stopped ??= new Failure("aborted", "Stopped by a fault of the program.");
      throw error;
    }
    const failure = redactFailure(error, kind, wishes);
    recordFailure(course, failure);
    const [subject, another] = subjects;
    const isOfOne = subject !== undefined && another === undefined;
    return isOfOne
      ? withFieldOrigins(failure, { binding: way, write: subject, prerequisiteValue: fact })
      : failure;
  }
}

/** An answer that only refuses shows that the server is well. */
function recordFailure(course: RunState, failure: Failure): void {
  course.failures = serverFailureCodes.has(failure.code) ? course.failures + 1 : 0;
  if (fatalErrorCodes.has(failure.code) || course.failures >= limits.failuresInARow) {
    course.stopped ??= failure;
  }
}

function notAttemptedFailure(cause: Failure): Failure {
  return new Failure("aborted", "It was not tried: the run had stopped.", { cause });
}
