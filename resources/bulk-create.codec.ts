// Creates in bulk: decides which objects share a call, and reads the result of each.
import type { Static } from "typebox";
import { codeOf } from "../api/problems.ts";
import type { bulkCreated } from "../api/schemas.ts";
import { Failure } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import type { WriteOutcome } from "../core/operation/write-outcome.ts";

/**
 * Batches bulk creates: those with equal `groupBy` fields share calls, up to the API's limit. `name` is the field that
 * distinguishes the objects of one call.
 */
export function bulkCreate(name: string, ...groupBy: readonly string[]) {
  return {
    groupBy,
    max: limits.bulkCreates,
    outcome: (answer: BulkAnswer, subjects: readonly Subject[]) =>
      bulkOutcome(answer, subjects, name),
    refusesExisting: true,
  } as const;
}

type BulkAnswer = Static<ReturnType<typeof bulkCreated>>;
type Subject = { readonly spec: object };

/** Returns the failure or the ID of each object of a bulk create, which succeeds as a whole. */
function bulkOutcome(
  { succeeded, failed }: BulkAnswer,
  subjects: readonly Subject[],
  name: string,
): readonly WriteOutcome[] {
  const errors = new Map(failed.map(({ index, error }) => [index, error]));
  // By name, because a wrong ID would put another object in its place. A name that the server changed leaves the ID unknown.
  const created = succeeded as readonly (JsonObject & { readonly id: number })[];
  const ids = new Map(created.map((one) => [one[name], one.id]));
  return subjects.map(({ spec }, index) => {
    const error = errors.get(index);
    return error ? { failure: itemFailure(error) } : { id: ids.get((spec as JsonObject)[name]) };
  });
}

/** Returns the failure of one object of a call that succeeds as a whole. */
export function itemFailure({ status, message }: { status: number; message: string }): Failure {
  // A 429 for one object is the account's limit.
  return new Failure(status === 429 ? "limit_reached" : codeOf(status, undefined), message);
}
