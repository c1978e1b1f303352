// What nobody may do to users: lock themselves out, or leave the account without an administrator.
import { Failure } from "../../../core/errors.ts";
import type { Db, Row } from "../../store/schema.ts";
import { isInternalUser } from "../../store/sql-conditions.ts";

/** Who does what to whom. */
export interface UserChange {
  readonly callerId: number;
  readonly user: Row<"users">;
  /** What is left out stays as it is. */
  readonly changes: { readonly isAdmin?: boolean | null; readonly isDeactivated?: boolean | null };
}

/** Fails with `forbidden` where users deactivate themselves, or the last active administrator would be none any more. */
export async function guardChange(
  db: Db,
  { callerId, user, changes: becomes }: UserChange,
): Promise<void> {
  if (becomes.isDeactivated === true && user.id === callerId) {
    throw new Failure("forbidden", "nobody can deactivate themselves; ask another administrator");
  }
  if (becomes.isDeactivated === true || becomes.isAdmin === false)
    await guardLastAdministrator(db, user);
}

/** Fails with `invalid` where users delete themselves, with `forbidden` for the last active administrator. */
export async function guardDelete(
  db: Db,
  { callerId, user }: Pick<UserChange, "callerId" | "user">,
): Promise<void> {
  if (user.id === callerId) {
    throw new Failure("invalid", "nobody can delete themselves; ask another administrator");
  }
  await guardLastAdministrator(db, user);
}

async function guardLastAdministrator(db: Db, user: Row<"users">): Promise<void> {
  if (user.is_admin !== 1 || user.is_deactivated === 1) return;
  // Writing the account's row keeps two of these apart: else each could count on the other's administrator.
  await db
    .updateTable("account")
    .set((eb) => ({ name: eb.ref("name") }))
    .execute();
  const other = await db
    .selectFrom("users")
    .select("id")
    .where(isInternalUser)
    .where("is_admin", "=", 1)
    .where("is_deactivated", "=", 0)
    .where("id", "!=", user.id)
    .limit(1)
    .executeTakeFirst();
  if (other) return;
  throw new Failure(
    "forbidden",
    "this is the last active administrator; make another user one first",
  );
}
