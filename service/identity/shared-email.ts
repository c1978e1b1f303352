// Emails that several users share, which identity providers may create: nobody is found by such an email.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";

/** A user that is found by email. */
export interface NamedUser {
  readonly id: number;
  readonly username: string;
}

/** Returns the only one of the users with an email; undefined if there is none. Throws `invalid`, naming them, if there are several. */
export function onlyUser<User extends NamedUser>(
  email: string,
  users: readonly User[],
): User | undefined {
  if (users.length > 1) throw sharedEmail(email, users);
  return users[0];
}

/** Returns the error for an email that several users have. */
export function sharedEmail(email: string, users: readonly NamedUser[]): Failure {
  const shown = users.slice(0, limits.placesNamed);
  const names = shown.map(({ id, username }) => `${JSON.stringify(username)} (ID ${id})`);
  const more = users.length - shown.length;
  const all = more === 0 ? names : [...names, `${more} more`];
  const text = `the users ${all.join(" and ")} share the email ${JSON.stringify(email)}; name the user in another way, or give each an email of their own`;
  return new Failure("invalid", text);
}
