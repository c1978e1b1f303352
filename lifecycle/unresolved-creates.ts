// Finds the creates that cannot succeed, by reading what they look up, such as the ID of a user. Writes nothing.
import pLimit from "p-limit";
import { type Failure, isFailure } from "../core/errors.ts";
import type { Binding, ObjectWrite } from "../core/kind.ts";
import { isRefusal, recordFailure, type StepContext, stopFailure } from "./execute.ts";
import { redactFailure } from "./redact-failure.ts";
import type { WriteStep, WriteSteps } from "./steps.ts";

type ResolveContext = Omit<StepContext, "freshPrerequisiteValue">;

/** Returns the failures of the writes whose object could not be created, by index. Looks up nothing more once the run stopped. */
export async function unresolvedCreates(
  { steps, failures: unsupported }: WriteSteps,
  context: ResolveContext,
): Promise<ReadonlyMap<number, Failure>> {
  const failures = new Map(unsupported);
  const limit = pLimit(context.client.concurrency);
  const resolved = steps
    .filter(({ creates }) => creates)
    .flatMap((step) =>
      step.writes.map(({ index, write }) =>
        limit(async () => {
          const failure = stopFailure(context) ?? (await stepFailure(context, step, write));
          if (failure !== undefined) failures.set(index, failure);
        }),
      ),
    );
  await Promise.all(resolved);
  return failures;
}

/** Looks up what the binding of a step needs, and what its fallback needs where the execution would try that. */
async function stepFailure(
  context: ResolveContext,
  { binding, fallback }: WriteStep,
  write: ObjectWrite,
): Promise<Failure | undefined> {
  const first = await lookupFailure(context, binding, write);
  const fallsBack = first !== undefined && fallback !== undefined && isRefusal(first);
  const failure = fallsBack ? await lookupFailure(context, fallback, write) : first;
  if (failure !== undefined) recordFailure(context.runState, failure);
  return failure;
}

/** Reads the prerequisite of a create and builds its request, which looks up the names of the spec in it. */
async function lookupFailure(
  { kind, prerequisiteValue }: ResolveContext,
  binding: Binding,
  write: ObjectWrite,
): Promise<Failure | undefined> {
  const { prerequisite, preparation } = binding;
  try {
    const value = prerequisite && (await prerequisiteValue(prerequisite, write.spec));
    // A request after a preparation names what that writes.
    if (preparation === undefined) binding.input([write], value);
    return undefined;
  } catch (error) {
    if (isFailure(error)) return redactFailure(error, kind, [write.spec]);
    throw error;
  }
}
