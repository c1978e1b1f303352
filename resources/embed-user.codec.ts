// External users between wish and wire: the state to provision, and what became of each in a call for many.
import type { provisionEmbedUsers } from "../api/embed-tenants.ts";
import { codeOf } from "../api/problems.ts";
import { Failure } from "../core/errors.ts";
import type { ObjectWrite } from "../core/kind.ts";
import type { AnswerOf } from "../core/operation.ts";
import { definedMembers } from "./codec.ts";
import type { Spec } from "./embed-user.schema.ts";

/** The state that a user is to have, as the API takes it. */
export function provisionedState({ spec: wish }: ObjectWrite<Spec>) {
  const { embedTenant: _tenant, displayName, picture, userAttributes: _values, ...rest } = wish;
  return { ...rest, userProfile: definedMembers({ displayName, picture }) };
}

/** The bulk operation succeeds as a whole and tells of each user who failed. */
export function outcome(
  { failed }: AnswerOf<typeof provisionEmbedUsers>,
  subjects: readonly ObjectWrite<Spec>[],
): (Failure | undefined)[] {
  const errors = new Map(failed.map(({ externalId, error }) => [externalId, error]));
  return subjects.map(({ spec: { externalId } }) => {
    const error = errors.get(externalId);
    if (error === undefined) return undefined;
    // The only limit of one user among many is that of the account.
    const code = error.status === 429 ? "limit_reached" : codeOf(error.status, undefined);
    return new Failure(code, error.message);
  });
}
