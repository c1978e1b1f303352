// Converts users from the API to specs, and reads the result of each user from a bulk response.
import type { bulkUsers, listUsers } from "../api/users.ts";
import { Failure } from "../core/errors.ts";
import type { ObjectWrite } from "../core/kind/kind.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import type { WriteOutcome } from "../core/operation/write-outcome.ts";
import { itemFailure } from "./bulk-create.codec.ts";
import { definedMembers, idOf } from "./codec.ts";
import type { Spec } from "./user.schema.ts";

/** Converts a user of the API. Fails if the list omits roles, because every declared role would then look like drift. */
export function toObserved(item: AnswerOf<typeof listUsers>) {
  const { id, email, username, isAdmin, isDeactivated, ...rest } = item;
  if (username === undefined || isAdmin === undefined || isDeactivated === undefined) {
    throw new Failure(
      "not_offered",
      "this server lists users without username and role, so users cannot be compared",
      {
        remedy:
          "Use the credential of an administrator. If it is one, this server does not support users in a stack.",
      },
    );
  }
  const { firstName, title, picture, groups, defaultRoles: roles } = rest;
  const { managedBy, scimIntegration, createdAt, lastLogin } = rest;
  const { externalId, securityContext, settings, embedTheme } = rest;
  const own = definedMembers({ externalId, securityContext, settings, embedTheme });
  const texts = definedMembers({ firstName, title, picture, groups, roles });
  return {
    id: String(id),
    spec: { email: email.toLowerCase(), username, isAdmin, isDeactivated, ...texts, ...own },
    status: definedMembers({ id, managedBy, scimIntegration, createdAt, lastLogin }),
  };
}

/** Returns the body that creates a user. */
export function newUser({ email, username, roles: defaultRoles, ...more }: Spec) {
  const { firstName, picture, isAdmin, externalId, password, settings } = more;
  const own = { firstName, picture, isAdmin, defaultRoles, externalId, password, settings };
  return { email, username, ...definedMembers(own) };
}

/** Returns the failure of each user of a bulk delete, which succeeds as a whole. */
export function deleteOutcome(
  { failed }: AnswerOf<typeof bulkUsers>,
  subjects: readonly ObjectWrite<Spec>[],
): readonly WriteOutcome[] {
  const errors = new Map(failed.map(({ userId, error }) => [userId, error]));
  return subjects.map((subject) => {
    const error = errors.get(idOf(subject));
    return { failure: error && itemFailure(error) };
  });
}
