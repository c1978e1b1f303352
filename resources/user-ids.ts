// Finds users by their email, which several users of an identity provider may share.
import { listUsers } from "../api/users.ts";
import type { Prerequisite, Reader } from "../core/kind/kind.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { severalNamed } from "./codec.ts";

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
    if (found.length > 1) throw severalNamed("users", email, found);
    return super.get(email);
  }
  override has(email: string): boolean {
    return this.get(email) !== undefined;
  }
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
