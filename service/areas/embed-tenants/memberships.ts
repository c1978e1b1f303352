// A user's memberships, wished by the names of groups in one scope: account-wide, or an embed tenant's.
import { Failure } from "../../../core/errors.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db } from "../../store/schema.ts";

/** The memberships a user is to have in one scope; those in other scopes are left alone. */
export interface DesiredMemberships {
  readonly userId: number;
  /** 0 for account-wide groups, else the embed tenant's id. */
  readonly scope: number;
  /** Empty clears them; a name given twice counts once. */
  readonly names: readonly string[];
}

// With the scope as a condition the database would walk all groups of it, and not the few of this user.
const currentMemberships = preparedQuery((db: Db, value: { userId: number }) =>
  db
    .selectFrom("group_members")
    .innerJoin("user_groups", "user_groups.id", "group_members.group_id")
    .select(["group_members.group_id as id", "user_groups.tenant_scope as scope"])
    .where("group_members.user_id", "=", value.userId),
);

/** Makes the user a member of exactly these groups; `invalid`, naming them, where groups do not exist. */
export async function replaceMemberships(db: Db, wish: DesiredMemberships): Promise<void> {
  const { userId, scope } = wish;
  const wanted = await requireGroupIds(db, scope, wish.names);
  const memberOf = (await currentMemberships(db, { userId })).filter(
    (group) => group.scope === scope,
  );
  const had = new Set(memberOf.map(({ id }) => id));
  const gone = [...had].filter((id) => !wanted.has(id));
  const added = [...wanted].filter((id) => !had.has(id));
  if (gone.length > 0) {
    await db
      .deleteFrom("group_members")
      .where("user_id", "=", userId)
      .where("group_id", "in", gone)
      .execute();
  }
  if (added.length > 0) {
    const rows = added.map((id) => ({ group_id: id, user_id: userId }));
    // Another server may be adding the same just now.
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
  const there = new Set(found.map(({ name }) => name));
  const missing = wanted.filter((name) => !there.has(name));
  if (missing.length > 0) {
    throw new Failure("invalid", `Groups with names ${missing.join(", ")} not found`, {
      details: { missing },
    });
  }
  return new Set(found.map(({ id }) => id));
}
