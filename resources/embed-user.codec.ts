// Converts external users from specs to requests, and reads the result of each user from a bulk response.
import type { provisionEmbedUsers } from "../api/embed-tenants.ts";
import type { ObjectWrite } from "../core/kind.ts";
import type { AnswerOf } from "../core/operation.ts";
import type { WriteOutcome } from "../core/write-outcome.ts";
import { itemFailure } from "./bulk-create.codec.ts";
import { definedMembers } from "./codec.ts";
import type { Spec } from "./embed-user.schema.ts";

/** Returns the request that provisions a user. */
export function provisionedState({ spec }: ObjectWrite<Spec>) {
  const { embedTenant: _tenant, displayName, picture, userAttributes: _values, ...rest } = spec;
  return { ...rest, userProfile: definedMembers({ displayName, picture }) };
}

/** Returns the failure of each user of a bulk call, which succeeds as a whole. */
export function outcome(
  { failed }: AnswerOf<typeof provisionEmbedUsers>,
  subjects: readonly ObjectWrite<Spec>[],
): readonly WriteOutcome[] {
  const errors = new Map(failed.map(({ externalId, error }) => [externalId, error]));
  return subjects.map(({ spec: { externalId } }) => {
    const error = errors.get(externalId);
    return { failure: error && itemFailure(error) };
  });
}
