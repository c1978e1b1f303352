// Guards against locking an account out: users cannot remove themselves or the last administrator.
import { Failure } from "../../../core/errors.ts";
import type { Db, Row } from "../../store/schema.ts";
import { isInternalUser } from "../../store/sql-conditions.ts";

/** The caller, the target user and the change. */
export interface UserChange {
  readonly callerId: number;
  readonly user: Row<"users">;
  /** Absent members do not change. */
  readonly changes: { readonly isAdmin?: boolean | null; readonly isDeactivated?: boolean | null };
}

/** Throws `forbidden` if users deactivate themselves, or if no active administrator would remain. */
export async function guardChange(db: Db, { callerId, user, changes }: UserChange): Promise<void> {
  if (changes.isDeactivated === true && user.id === callerId) {
    throw new Failure(
      "forbidden",
      "you cannot deactivate your own user; ask another administrator",
    );
  }
  if (changes.isDeactivated === true || changes.isAdmin === false)
    await guardLastAdministrator(db, user);
}

/** Throws `invalid` if users delete themselves, and `forbidden` for the last active administrator. */
export async function guardDelete(
  db: Db,
  { callerId, user }: Pick<UserChange, "callerId" | "user">,
): Promise<void> {
  if (user.id === callerId) {
    throw new Failure("invalid", "you cannot delete your own user; ask another administrator");
  }
  await guardLastAdministrator(db, user);
}

async function guardLastAdministrator(db: Db, user: Row<"users">): Promise<void> {
  if (user.is_admin !== 1 || user.is_deactivated === 1) return;
  // Write the account row to serialize concurrent checks. Otherwise each could count on the other's administrator.
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
    "this is the last active administrator; make another user an administrator first",
  );
}
