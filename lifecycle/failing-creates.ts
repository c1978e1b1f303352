// Finds the creates that cannot succeed, by making their look-ups, such as of the ID of a user. Writes nothing.
import pLimit from "p-limit";
import { type Failure, isFailure } from "../core/errors.ts";
import type { ObjectWrite } from "../core/kind/kind.ts";
import { isRefusal, recordFailure, type StepContext, stopFailure } from "./execute.ts";
import { redactFailure } from "./redact-failure.ts";
import type { WriteStep, WriteSteps } from "./steps.ts";

type ResolveContext = Omit<StepContext, "freshPrerequisiteValue">;

/**
 * Returns the failures of the writes whose object could not be created, or not with all its fields, by index. Looks up nothing more
 * once the run stopped.
 */
export async function failingCreates(
  { steps, failures: unsupported }: WriteSteps,
  context: ResolveContext,
): Promise<ReadonlyMap<number, Failure>> {
  const failures = new Map(unsupported);
  const limit = pLimit(context.client.concurrency);
  const parts = Map.groupBy(
    steps.flatMap((step) => step.writes.map(({ index, write }) => ({ step, index, write }))),
    ({ index }) => index,
  );
  const resolve = async (index: number): Promise<void> => {
    for (const { step, write } of parts.get(index) ?? []) {
      const failure = stopFailure(context) ?? (await stepFailure(context, step, write));
      if (failure !== undefined) return void failures.set(index, failure);
    }
  };
  await Promise.all([...parts.keys()].map((index) => limit(() => resolve(index))));
  return failures;
}

/** Makes the look-ups of a step's binding, and of its fallback if the execution would try it. */
async function stepFailure(
  context: ResolveContext,
  { binding, fallback, creates }: WriteStep,
  write: ObjectWrite,
): Promise<Failure | undefined> {
  const first = await lookupFailure(context, { binding, creates }, write);
  const fallsBack = first !== undefined && fallback !== undefined && isRefusal(first);
  const failure = fallsBack
    ? await lookupFailure(context, { binding: fallback, creates }, write)
    : first;
  if (failure !== undefined) recordFailure(context.runState, failure);
  return failure;
}

/** Reads the prerequisite of a write and builds its request, which looks up the names of the spec in it. */
async function lookupFailure(
  { kind, prerequisiteValue }: ResolveContext,
  { binding, creates }: Pick<WriteStep, "binding" | "creates">,
  write: ObjectWrite,
): Promise<Failure | undefined> {
  const { prerequisite, preparation } = binding;
  try {
    const value = prerequisite && (await prerequisiteValue(prerequisite, write.spec));
    // A request after a preparation names the prepared object. A request that updates the object names its ID.
    if (creates && preparation === undefined) binding.input([write], value);
    return undefined;
  } catch (error) {
    if (isFailure(error)) return redactFailure(error, kind, [write.spec]);
    throw error;
  }
}
