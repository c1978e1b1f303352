// Finds users by their email, which several users of an identity provider may share.
import { listUsers } from "../api/users.ts";
import { Failure } from "../core/errors.ts";
import type { Prerequisite, Reader } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { AnswerOf } from "../core/operation/operation.ts";

type Users = readonly AnswerOf<typeof listUsers>[];

/** IDs by lowercase email. A lookup of an email that several users share fails with `conflict`, so that none is chosen. */
class IdsByEmail extends Map<string, number> {
  readonly #users: ReadonlyMap<string, Users>;
  constructor(users: Users) {
    super(users.map(({ email, id }) => [email.toLowerCase(), id]));
    this.#users = Map.groupBy(users, ({ email }) => email.toLowerCase());
  }
  override get(email: string): number | undefined {
    const found = this.#users.get(email) ?? [];
    if (found.length > 1) throw sharedEmail(email, found);
    return super.get(email);
  }
  override has(email: string): boolean {
    return this.get(email) !== undefined;
  }
}

function sharedEmail(email: string, users: Users): Failure {
  const shown = users.slice(0, limits.placesNamed);
  const names = shown.map(({ id, username }) => `${JSON.stringify(username)} (ID ${id})`);
  const more = users.length > shown.length ? ` and ${users.length - shown.length} more` : "";
  return new Failure("conflict", `the users ${names.join(", ")}${more} share the email ${email}`, {
    remedy: "Give each user that a document names an email of its own.",
  });
}

const idsByEmail = memoizePerObject(
  (users: Users): ReadonlyMap<string, number> => new IdsByEmail(users),
);

/** Returns the lowercase emails of users by ID. */
export const emailById = memoizePerObject(
  (users: Users): ReadonlyMap<number, string> =>
    new Map(users.map(({ id, email }) => [id, email.toLowerCase()])),
);

/** The users' IDs by lowercase email. */
export const userIds = {
  operation: listUsers,
  read: async (reader: Reader) => idsByEmail(await reader.all(listUsers, {})),
  missingMessage: "the users cannot be listed",
} satisfies Prerequisite<ReadonlyMap<string, number>>;
