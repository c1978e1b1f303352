// What an identity provider manages through SCIM is read-only for everyone else, as long as the account has SCIM enabled.
import { Failure } from "../../core/errors.ts";
import { preparedListQuery } from "../store/prepared-query.ts";
import type { Db } from "../store/schema.ts";

const managedUserRows = preparedListQuery((db, ids: readonly number[]) =>
  db
    .selectFrom("scim_users")
    .innerJoin("account", (join) => join.onTrue())
    .select("user_id")
    .where("user_id", "in", ids)
    .where("account.scim_enabled", "=", 1),
);

const managedGroupRows = preparedListQuery((db, ids: readonly number[]) =>
  db
    .selectFrom("scim_groups")
    .innerJoin("account", (join) => join.onTrue())
    .select("group_id")
    .where("group_id", "in", ids)
    .where("account.scim_enabled", "=", 1),
);

/** Returns those of the users that an identity provider manages. */
export async function managedUsers(db: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  return new Set((await managedUserRows(db, ids)).map(({ user_id }) => user_id));
}

/** Returns those of the groups that an identity provider manages. */
export async function managedGroups(db: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  return new Set((await managedGroupRows(db, ids)).map(({ group_id }) => group_id));
}

/** Returns the response member that names what manages an object; none if nothing but the API does. */
export function showManager(isManaged: boolean): { managedBy?: "scim" } {
  return isManaged ? { managedBy: "scim" } : {};
}

/** Throws `conflict` if an identity provider manages a user. */
export async function refuseManagedUser(db: Db, id: number): Promise<void> {
  const [managed] = await managedUsers(db, [id]);
  if (managed !== undefined) throw managedElsewhere(`user ${managed}`);
}

/** Throws `conflict` if an identity provider manages one of the groups. */
export async function refuseManagedGroups(db: Db, ids: readonly number[]): Promise<void> {
  const [managed] = await managedGroups(db, ids);
  if (managed !== undefined) throw managedElsewhere(`group ${managed}`);
}

function managedElsewhere(what: string): Failure {
  return new Failure(
    "conflict",
    `the identity provider manages ${what} through SCIM; make the change there, or disable SCIM`,
  );
}
