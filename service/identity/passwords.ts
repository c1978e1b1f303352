// Signs users in by password, and sets passwords through links.
import { randomBytes } from "node:crypto";
import { limits } from "../../core/limits/limits.ts";
import { checkNoPassword, hashPassword, isPasswordOf } from "../security/password-hash.ts";
import { secretHash } from "../security/secret-hash.ts";
import { toTimestamp } from "../store/codec.ts";
import { deadlineIsOver } from "../store/deadlines.ts";
import type { Db } from "../store/schema.ts";
import { isInternalUser } from "../store/sql-conditions.ts";
import { inTransaction } from "../store/transaction.ts";
import { endAccess } from "./end-access.ts";
import { onlyUser } from "./shared-email.ts";

/** A user who may sign in. */
export interface SignedInUser {
  readonly id: number;
  readonly username: string;
}

/** The input of a user. */
export interface Credentials {
  /** Username or email. */
  readonly name: string;
  readonly password: string;
}

/**
 * Returns the user of a name and password; undefined if they are wrong, the user is deactivated, or attempts for the
 * user are delayed. Neither the result nor its timing shows the reason, or whether the user exists; an email that users
 * share takes longer. Throws `invalid` for the right password of one of them.
 */
export async function signInByPassword(
  db: Db,
  { name, password }: Credentials,
  now: Date,
): Promise<SignedInUser | undefined> {
  const found = await findByName(db, name);
  const given = password.length > limits.passwordMax ? undefined : password;
  // One hash at a time: a sign-in takes no more of the hashing threads and memory if users share an email.
  let isRight = false;
  for (const user of found.length === 0 ? [undefined] : found) {
    isRight = (await isRightPassword(db, { user, given, now })) || isRight;
  }
  if (!isRight) return undefined;
  const user = onlyUser(name.trim(), found);
  if (user === undefined || user.is_deactivated === 1) return undefined;
  await inTransaction(db, async (tx) => {
    await tx
      .updateTable("user_passwords")
      .set({ failures: 0, retry_at: null })
      .where("user_id", "=", user.id)
      .execute();
    const at = toTimestamp(now);
    await tx.updateTable("users").set({ last_login: at }).where("id", "=", user.id).execute();
  });
  return { id: user.id, username: user.username };
}

/** Checks a password, and counts the attempt. Takes as long if there is no user or no password. */
async function isRightPassword(
  db: Db,
  {
    user,
    given,
    now,
  }: {
    readonly user: { readonly id: number; readonly password_hash: string | null } | undefined;
    /** Undefined for a text that is too long for a password. */
    readonly given: string | undefined;
    readonly now: Date;
  },
): Promise<boolean> {
  const hash = user?.password_hash;
  if (given !== undefined && hash && (await claimAttempt(db, user.id, now))) {
    return isPasswordOf(hash, given);
  }
  await checkNoPassword("");
  return false;
}

/** Passwords that a sign-in with a shared email checks. */
const sharedMax = 5;

/** Returns the user with a username, else the users with an email. */
async function findByName(db: Db, name: string) {
  const key = name.trim();
  const found = await db
    .selectFrom("users")
    .leftJoin("user_passwords", "user_passwords.user_id", "users.id")
    .select(["users.id", "users.username", "users.is_deactivated", "users.email_key"])
    .select("user_passwords.password_hash")
    .where(isInternalUser)
    .where((eb) =>
      eb.or([eb("users.username", "=", key), eb("users.email_key", "=", key.toLowerCase())]),
    )
    .orderBy((eb) => eb.case().when("users.username", "=", key).then(0).else(1).end())
    .orderBy("users.id")
    .limit(sharedMax)
    .execute();
  // One user's name may be the email of another.
  if (found[0]?.username === key) return found.slice(0, 1);
  // Who cannot sign in does not make an email ambiguous.
  const active = found.filter((user) => user.is_deactivated === 0);
  return active.length > 0 ? active : found;
}

/** Counts an attempt before its password is checked, so that parallel attempts count too. Returns false if the user must wait. */
function claimAttempt(db: Db, userId: number, now: Date): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const row = await tx
      .updateTable("user_passwords")
      .set((eb) => ({ failures: eb("failures", "+", 1) }))
      .where("user_id", "=", userId)
      .where(deadlineIsOver("retry_at", { now, longestMs: limits.signInDelayMaxMs }))
      .returning("failures")
      .executeTakeFirst();
    if (!row) return false;
    const delay = delayAfter(row.failures);
    if (delay === 0) return true;
    await tx
      .updateTable("user_passwords")
      .set({ retry_at: toTimestamp(now.getTime() + delay) })
      .where("user_id", "=", userId)
      .execute();
    return true;
  });
}

function delayAfter(failures: number): number {
  const excess = failures - limits.freeSignInFailures;
  if (excess < 0) return 0;
  return Math.min(limits.signInDelayMaxMs, limits.signInDelayMs * 2 ** Math.min(excess, 20));
}

/** Creates the link with which a user sets a password, and ends an earlier one. Returns its secret. */
export async function insertPasswordLink(
  tx: Db,
  userId: number,
  now: Date,
): Promise<{ token: string; expiresAt: string }> {
  const token = randomBytes(32).toString("base64url");
  const expiresAt = toTimestamp(now.getTime() + limits.passwordLinkMs);
  const columns = { token_hash: secretHash(token), expires_at: expiresAt };
  await tx
    .insertInto("password_links")
    .values({ ...columns, user_id: userId })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(columns))
    .execute();
  return { token, expiresAt };
}

/** Returns the user of a link; undefined if the link is unknown, used or expired. */
export async function findPasswordLink(
  db: Db,
  token: string,
  now: Date,
): Promise<SignedInUser | undefined> {
  return db
    .selectFrom("password_links")
    .innerJoin("users", "users.id", "password_links.user_id")
    .select(["users.id", "users.username"])
    .where("password_links.token_hash", "=", secretHash(token))
    .where("password_links.expires_at", ">", toTimestamp(now))
    .where("users.is_deactivated", "=", 0)
    .executeTakeFirst();
}

/** Sets the password of a link, which works once. Returns false if another request used it. */
export async function setPasswordByLink(
  db: Db,
  { token, password }: { token: string; password: string },
  now: Date,
): Promise<boolean> {
  const passwordHash = await hashPassword(password);
  return inTransaction(db, async (tx) => {
    const link = await tx
      .deleteFrom("password_links")
      .where("token_hash", "=", secretHash(token))
      .where("expires_at", ">", toTimestamp(now))
      .returning("user_id")
      .executeTakeFirst();
    if (!link) return false;
    await storePassword(tx, { userId: link.user_id, passwordHash });
    return true;
  });
}

/** Stores the hash of a password. Users who signed in with an earlier password must sign in again. */
export async function storePassword(
  tx: Db,
  { userId, passwordHash }: { userId: number; passwordHash: string },
): Promise<void> {
  const columns = {
    password_hash: passwordHash,
    failures: 0,
    retry_at: null,
  };
  await tx
    .insertInto("user_passwords")
    .values({ ...columns, user_id: userId })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(columns))
    .execute();
  await endAccess(tx, userId);
}
