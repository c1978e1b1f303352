// A user's memberships, set by group name in one scope: account-wide, or one embed tenant.
import type { CredentialLimits } from "../../../core/operation/authorize.ts";
import { Failure } from "../../../core/errors.ts";
import { refuseManagedGroups } from "../shared/managed.ts";
import { requireMayJoin } from "../user-groups/membership.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db } from "../../store/schema.ts";

/** The desired memberships of a user in one scope. Other scopes do not change. */
export interface DesiredMemberships {
  readonly userId: number;
  /** 0 for account-wide groups, otherwise the id of the embed tenant. */
  readonly scope: number;
  /** An empty list clears the memberships. Repeated names count once. */
  readonly names: readonly string[];
  /** Limits of the credential that sets them. */
  readonly limits: CredentialLimits;
}

// Filter by scope here: in SQL the database would scan all groups of the scope instead of this user's few.
const currentMemberships = preparedQuery((db: Db, value: { userId: number }) =>
  db
    .selectFrom("group_members")
    .innerJoin("user_groups", "user_groups.id", "group_members.group_id")
    .select(["group_members.group_id as id", "user_groups.tenant_scope as scope"])
    .where("group_members.user_id", "=", value.userId),
);

/**
 * Makes the user a member of exactly these groups. Throws `invalid` with the names of groups that do not exist, and `forbidden` as
 * {@link requireMayJoin}.
 */
export async function replaceMemberships(db: Db, desired: DesiredMemberships): Promise<void> {
  const { userId, scope, limits } = desired;
  const wanted = await requireGroupIds(db, scope, desired.names);
  const memberOf = (await currentMemberships(db, { userId })).filter(
    (group) => group.scope === scope,
  );
  const had = new Set(memberOf.map(({ id }) => id));
  const removed = [...had].filter((id) => !wanted.has(id));
  const added = [...wanted].filter((id) => !had.has(id));
  if (scope === 0) await refuseManagedGroups(db, [...removed, ...added]);
  if (removed.length > 0) {
    await db
      .deleteFrom("group_members")
      .where("user_id", "=", userId)
      .where("group_id", "in", removed)
      .execute();
  }
  if (added.length > 0) {
    await requireMayJoin(db, added, limits);
    const rows = added.map((id) => ({ group_id: id, user_id: userId }));
    // Another server may be adding the same membership concurrently.
    await db
      .insertInto("group_members")
      .values(rows)
      .onConflict((on) => on.doNothing())
      .execute();
  }
}

async function requireGroupIds(
  db: Db,
  scope: number,
  names: readonly string[],
): Promise<ReadonlySet<number>> {
  const wanted = [...new Set(names)];
  if (wanted.length === 0) return new Set();
  const found = await db
    .selectFrom("user_groups")
    .select(["id", "name"])
    .where("tenant_scope", "=", scope)
    .where("name", "in", wanted)
    .execute();
  const existing = new Set(found.map(({ name }) => name));
  const missing = wanted.filter((name) => !existing.has(name));
  if (missing.length > 0) {
    throw new Failure("invalid", `Groups with names ${missing.join(", ")} not found`, {
      details: { missing },
    });
  }
  return new Set(found.map(({ id }) => id));
}
