// Assigns roles to users and removes them.
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { Db } from "../../store/schema.ts";
import { findUser } from "../users/users.ts";

/** A role and a user. */
export interface RoleAssignment {
  readonly roleId: number;
  readonly userId: number;
}

/** Throws `not_found` if the user is not one of the account's own. */
export async function requireOwnUser(db: Db, userId: number): Promise<void> {
  await findUser(db, userId);
}

/** Assigns a role. Throws `invalid` if the user already has the maximum number of roles. */
export async function assign(db: Db, { roleId, userId }: RoleAssignment): Promise<void> {
  const had = await db
    .selectFrom("role_users")
    .select("role_id")
    .where("user_id", "=", userId)
    .execute();
  const others = had.filter(({ role_id }) => role_id !== roleId);
  if (others.length >= limits.rolesOfUser) {
    const what = `the user has ${others.length} roles, which is the limit; remove one first`;
    throw new Failure("invalid", what);
  }
  await db
    .insertInto("role_users")
    .values({ role_id: roleId, user_id: userId })
    .onConflict((on) => on.doNothing())
    .execute();
}

/** Removes a role. */
export async function unassign(db: Db, { roleId, userId }: RoleAssignment): Promise<void> {
  await db
    .deleteFrom("role_users")
    .where("role_id", "=", roleId)
    .where("user_id", "=", userId)
    .execute();
}
