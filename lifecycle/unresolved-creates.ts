// Finds the creates that cannot succeed, by reading what they look up, such as the ID of a user. Writes nothing.
import pLimit from "p-limit";
import { type Failure, isFailure } from "../core/errors.ts";
import type { Binding, ObjectWrite } from "../core/kind.ts";
import { recordFailure, type StepContext } from "./execute.ts";
import { redactFailure } from "./redact-failure.ts";
import type { WriteSteps } from "./steps.ts";

type ResolveContext = Pick<StepContext, "kind" | "client" | "prerequisiteValue" | "runState">;

/** Returns the failures of the writes whose object could not be created, by index. */
export async function unresolvedCreates(
  { steps, failures: unsupported }: WriteSteps,
  context: ResolveContext,
): Promise<ReadonlyMap<number, Failure>> {
  const failures = new Map(unsupported);
  const limit = pLimit(context.client.concurrency);
  const resolved = steps
    .filter(({ creates }) => creates)
    .flatMap(({ binding, fallback, writes }) =>
      writes.map(({ index, write }) =>
        limit(async () => {
          const first = await lookupFailure(context, binding, write);
          const failure =
            first === undefined || fallback === undefined
              ? first
              : await lookupFailure(context, fallback, write);
          if (failure === undefined) return;
          recordFailure(context.runState, failure);
          failures.set(index, failure);
        }),
      ),
    );
  await Promise.all(resolved);
  return failures;
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
