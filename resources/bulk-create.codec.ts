// Creates in bulk: which objects share a call, and how each of them ends.
import type { Static } from "typebox";
import { codeOf } from "../api/problems.ts";
import type { bulkCreated } from "../api/schemas.ts";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits.ts";

/** Batches bulk creates: those with equal `groupBy` fields share calls, up to the API's limit. */
export function bulkCreate(...groupBy: readonly string[]) {
  return {
    groupBy,
    max: limits.bulkCreates,
    outcome: bulkOutcome,
    refusesExisting: true,
  } as const;
}

/** Returns the failure of each object of a bulk create, which succeeds as a whole. */
function bulkOutcome(
  { failed }: Static<ReturnType<typeof bulkCreated>>,
  subjects: readonly unknown[],
): (Failure | undefined)[] {
  const errors = new Map(failed.map(({ index, error }) => [index, error]));
  return subjects.map((_, index) => {
    const error = errors.get(index);
    return error && itemFailure(error);
  });
}

/** Returns the failure of one object of a call that succeeds as a whole. */
export function itemFailure({ status, message }: { status: number; message: string }): Failure {
  // A 429 for one object is the account's limit.
  return new Failure(status === 429 ? "limit_reached" : codeOf(status, undefined), message);
}
