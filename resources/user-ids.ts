// Finds users by their email, which several users of an identity provider may share.
import { listUsers } from "../api/users.ts";
import { Failure } from "../core/errors.ts";
import type { Prerequisite, Reader } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { AnswerOf } from "../core/operation/operation.ts";

type Users = readonly AnswerOf<typeof listUsers>[];

/** Finds the IDs of users. It is no map, because a map would show one of the users who share an email. */
export interface UserIds {
  /** Returns the ID of the user with a lowercase email. Fails with `conflict` if several users share it, so that none is chosen. */
  get(email: string): number | undefined;
}

function sharedEmail(email: string, users: Users): Failure {
  const shown = users.slice(0, limits.placesNamed);
  const names = shown.map(({ id, username }) => `${JSON.stringify(username)} (ID ${id})`);
  const more = users.length > shown.length ? ` and ${users.length - shown.length} more` : "";
  return new Failure("conflict", `the users ${names.join(", ")}${more} share the email ${email}`, {
    remedy: "Give each user that a document names an email of its own.",
  });
}

const idsByEmail = memoizePerObject((users: Users): UserIds => {
  const byEmail = Map.groupBy(users, ({ email }) => email.toLowerCase());
  return {
    get: (email) => {
      const [user, ...others] = byEmail.get(email) ?? [];
      if (user !== undefined && others.length > 0) throw sharedEmail(email, [user, ...others]);
      return user?.id;
    },
  };
});

/** Returns the lowercase emails of users by ID. */
export const emailById = memoizePerObject(
  (users: Users): ReadonlyMap<number, string> =>
    new Map(users.map(({ id, email }) => [id, email.toLowerCase()])),
);

/** The IDs of users by email. */
export const userIds = {
  operation: listUsers,
  read: async (reader: Reader) => idsByEmail(await reader.all(listUsers, {})),
  missingMessage: "the users cannot be listed",
} satisfies Prerequisite<UserIds>;
