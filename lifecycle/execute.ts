// Executes the calls of one binding: in batches, with limited concurrency. Splits a rejected batch until only the invalid write fails.
import { isDeepStrictEqual } from "node:util";
import pLimit from "p-limit";
import type { Client } from "../client/types.ts";
import { type ErrorCode, Failure, isFailure } from "../core/errors.ts";
import type { Caller } from "../core/operation/preparation.ts";
import type { JsonObject } from "../core/json.ts";
import type { Prerequisite, Kind, Binding, ObjectWrite } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import type { WriteOutcome } from "../core/operation/write-outcome.ts";
import { redactFailure } from "./redact-failure.ts";
import { callBatchesOf, type IndexedWrite } from "./call-batches.ts";
import type { CreateAnswer } from "./results.ts";
import type { WriteStep } from "./steps.ts";
import { withFieldOrigins } from "./field-origin.ts";

/** Context of the execution of one verb. */
export interface StepContext {
  readonly kind: Kind;
  readonly client: Client;
  readonly signal: AbortSignal | undefined;
  /** Returns the prerequisite value of a spec, read once per run. */
  prerequisiteValue(prerequisite: Prerequisite, spec: JsonObject): Promise<unknown>;
  /** Returns its current value. */
  freshPrerequisiteValue(prerequisite: Prerequisite, spec: JsonObject): Promise<unknown>;
  readonly runState: RunState;
}

/** State of a run, shared by all its executions. */
export interface RunState {
  /** The failure that stopped the run. Remaining writes are not attempted. */
  stopped: Failure | undefined;
  /** Consecutive calls that failed on the server. */
  failures: number;
  /** Calls that write, without retries. */
  writeCalls: number;
}

/** Receives the result of each write: the failure, if any, and the data from the response of a create. */
export type SettledHandler = (
  placed: IndexedWrite,
  failure: Failure | undefined,
  answer: CreateAnswer,
) => void;

/** Executes one step. Rejects only because of a bug, and then makes no further calls. */
export async function executeStep(
  context: StepContext,
  { binding, writes, fallback, creates }: WriteStep,
  settled: SettledHandler,
): Promise<void> {
  const limit = pLimit(context.client.concurrency);
  const refused: IndexedWrite[] = [];
  const executeBatch = async (batch: readonly IndexedWrite[]): Promise<void> => {
    const ended = await attempt(context, binding, batch);
    if (ended instanceof Failure && batch.length > 1 && contentErrorCodes.has(ended.code)) {
      const half = Math.ceil(batch.length / 2);
      await executeBatch(batch.slice(0, half));
      await executeBatch(batch.slice(half));
      return;
    }
    // A delete can be repeated: an object that is gone counts as deleted. A create could make a second object.
    const isForFallback = (failure: Failure): boolean =>
      isRefusal(failure) || (!creates && lostAnswerCodes.has(failure.code));
    if (fallback !== undefined && ended instanceof Failure && isForFallback(ended)) {
      refused.push(...batch);
      return;
    }
    for (const [index, one] of batch.entries()) {
      if (ended instanceof Failure) settled(one, ended, {});
      else {
        const { failure, id } = ended.outcomes[index] ?? {};
        settled(one, failure, { ...ended.answer, ...(id !== undefined && { id }) });
      }
    }
  };
  await Promise.all(
    callBatchesOf(binding, writes).map((batch) => limit(() => executeBatch(batch))),
  );
  if (fallback === undefined || refused.length === 0) return;
  await executeStep(context, { binding: fallback, writes: refused, creates }, settled);
}

/** Errors after which it is unknown whether the call was executed. */
export const lostAnswerCodes: ReadonlySet<ErrorCode> = new Set([
  "unknown_outcome",
  "unexpected_answer",
  "timeout",
]);

/** Errors of a binding as a whole, which another binding may not have: its permission, or its prerequisite. */
const refusalCodes: ReadonlySet<ErrorCode> = new Set([
  "forbidden",
  "not_offered",
  "missing_reference",
]);

/** Returns whether another binding may succeed where one failed. */
export function isRefusal({ code }: Failure): boolean {
  return refusalCodes.has(code);
}

/** Errors of the request's content, which one object of a batch can cause. */
const contentErrorCodes: ReadonlySet<ErrorCode> = new Set([
  "invalid",
  "conflict",
  "not_found",
  "too_large",
]);

/** Errors that every further call would also cause. */
const fatalErrorCodes: ReadonlySet<ErrorCode> = new Set([
  "unauthenticated",
  "unreachable",
  "aborted",
]);

/** Server errors. Several in a row are not caused by single objects. */
const serverFailureCodes: ReadonlySet<ErrorCode> = new Set([
  "internal",
  "rate_limited",
  "timeout",
  "unavailable",
  "unknown_outcome",
]);

/** Message of a failure that a signal caused. */
const canceledMessage = "canceled before it was executed";

/** The result of a call: how each write ended, if the response contains it, and the data about the object. */
interface CallResult {
  readonly outcomes: readonly WriteOutcome[];
  readonly answer: CreateAnswer;
}

/** Makes one call. Returns its failure as a whole, or its result. */
async function attempt(
  context: StepContext,
  binding: Binding,
  batch: readonly IndexedWrite[],
): Promise<Failure | CallResult> {
  const { kind, runState } = context;
  const stopped = stopFailure(context);
  if (stopped !== undefined) return stopped;
  const writes = batch.map(({ write }) => write);
  const { prerequisite } = binding;
  const specs = writes.map(({ spec }) => spec);
  let prerequisiteValue: unknown;
  const call = () => callOperation(context, binding, { writes, prerequisiteValue });
  /** Calls again if the object that the prerequisite named has been replaced since it was read. */
  const callAgain = async (error: unknown) => {
    const isDelete = binding.operation.method === "DELETE";
    if (prerequisite === undefined || isDelete || !isFailure(error, "not_found")) throw error;
    const before = prerequisiteValue;
    prerequisiteValue = await context.freshPrerequisiteValue(prerequisite, specs[0] ?? {});
    if (isDeepStrictEqual(before, prerequisiteValue)) throw error;
    return call();
  };
  try {
    if (prerequisite !== undefined)
      prerequisiteValue = await context.prerequisiteValue(prerequisite, specs[0] ?? {});
    const answer = await call().catch(callAgain);
    runState.failures = 0;
    const outcomes = binding.outcome?.(answer, writes) ?? [];
    return {
      outcomes: outcomes.map(({ failure, ...rest }) => ({
        ...rest,
        failure: failure && redactFailure(failure, kind, specs),
      })),
      answer: createAnswerOf(kind, binding, answer),
    };
  } catch (error) {
    if (!(error instanceof Failure)) {
      runState.stopped ??= new Failure("aborted", "stopped by an internal error");
      throw error;
    }
    const failure = redactFailure(error, kind, specs);
    recordFailure(runState, failure);
    const [write, another] = writes;
    const isSingle = write !== undefined && another === undefined;
    return isSingle ? withFieldOrigins(failure, { binding, write, prerequisiteValue }) : failure;
  }
}

/**
 * Returns the data about the object from the response of a create. The response has the ID of the object if the object
 * is deleted by ID below the collection that it was posted to.
 */
function createAnswerOf(
  kind: Kind,
  { operation: { path, method }, extractSecret }: Binding,
  answer: unknown,
): CreateAnswer {
  const generatedSecret = extractSecret?.(answer);
  const isOfObject = kind.bindings.delete.some(
    ({ operation }) => operation.path.replace(/\/\{[^/]+\}$/u, "") === path,
  );
  const { id } = (answer ?? {}) as { readonly id?: unknown };
  const hasId =
    method === "POST" && isOfObject && (typeof id === "number" || typeof id === "string");
  return {
    ...(generatedSecret !== undefined && { generatedSecret }),
    ...(hasId && { id }),
  };
}

/** Calls the operation of a binding, after its preparation if it has one. */
async function callOperation(
  { client, signal, runState }: StepContext,
  binding: Binding,
  {
    writes,
    prerequisiteValue,
  }: { readonly writes: readonly ObjectWrite[]; readonly prerequisiteValue: unknown },
): Promise<unknown> {
  const { operation, preparation } = binding;
  const call: typeof client.call = (one, ...request) => {
    const answer = client.call(one, ...request);
    if (one.effect === "read") return answer;
    runState.writeCalls += 1;
    return answer.catch((error: unknown) => {
      // The run was stopped while the write waited for its turn.
      if (isFailure(error, "aborted")) runState.writeCalls -= 1;
      throw error;
    });
  };
  const [write] = writes;
  if (preparation === undefined || write === undefined) {
    return call(operation, binding.input(writes, prerequisiteValue), { signal });
  }
  const cleanup: Caller = {
    call: (one, input) =>
      call(one, input, {
        signal: AbortSignal.timeout(limits.runCleanupMs),
        isCleanup: true,
      }),
  };
  const prepared = await preparation.run(
    { call: (one, input) => call(one, input, { signal }), cleanup },
    write,
    prerequisiteValue,
  );
  try {
    const answer = await call(operation, binding.input(writes, prepared), { signal });
    const problem = preparation.problem?.(answer);
    if (problem !== undefined) throw problem;
    return answer;
  } catch (error) {
    await preparation.undo(cleanup, prepared);
    throw isFailure(error, "not_found") ? preparedFailure(error) : error;
  }
}

/**
 * Returns the failure of an operation that does not find the result of its preparation. The object itself may exist.
 */
function preparedFailure(cause: unknown): Failure {
  return new Failure(
    "conflict",
    "the temporary data of this change was deleted before it was used",
    {
      cause,
      remedy: "Plan and apply again.",
    },
  );
}

/** Counts server errors and stops the run where further calls would fail. Any other error shows that the server works. */
export function recordFailure(runState: RunState, failure: Failure): void {
  runState.failures = serverFailureCodes.has(failure.code) ? runState.failures + 1 : 0;
  if (fatalErrorCodes.has(failure.code) || runState.failures >= limits.failuresInARow) {
    runState.stopped ??= failure;
  }
}

/**
 * Returns the failure of a write that is not attempted because the run was canceled or has stopped; undefined while it
 * continues.
 */
export function stopFailure({
  signal,
  runState,
}: Pick<StepContext, "signal" | "runState">): Failure | undefined {
  if (signal?.aborted) runState.stopped ??= new Failure("aborted", canceledMessage);
  return runState.stopped && notAttemptedFailure(runState.stopped);
}

function notAttemptedFailure(cause: Failure): Failure {
  const { message, remedy } = cause;
  const why =
    message === canceledMessage ? message : `not attempted, because the run stopped: ${message}`;
  return new Failure("aborted", why, { cause, ...(remedy !== undefined && { remedy }) });
}
