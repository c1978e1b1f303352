// What an identity provider manages through SCIM is read-only for everyone else, as long as the account has SCIM enabled.
import { Failure } from "../../core/errors.ts";
import type { Db } from "../store/schema.ts";

/** Throws `conflict` if an identity provider manages a user. */
export async function refuseManagedUser(db: Db, id: number): Promise<void> {
  const managed = await db
    .selectFrom("scim_users")
    .innerJoin("account", (join) => join.onTrue())
    .select("user_id")
    .where("user_id", "=", id)
    .where("account.scim_enabled", "=", 1)
    .executeTakeFirst();
  if (managed) throw managedElsewhere(`user ${id}`);
}

/** Throws `conflict` if an identity provider manages one of the groups. */
export async function refuseManagedGroups(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const managed = await db
    .selectFrom("scim_groups")
    .innerJoin("account", (join) => join.onTrue())
    .select("group_id")
    .where("group_id", "in", ids)
    .where("account.scim_enabled", "=", 1)
    .executeTakeFirst();
  if (managed) throw managedElsewhere(`group ${managed.group_id}`);
}

function managedElsewhere(what: string): Failure {
  return new Failure(
    "conflict",
    `the identity provider manages ${what} through SCIM; make the change there, or disable SCIM`,
  );
}
