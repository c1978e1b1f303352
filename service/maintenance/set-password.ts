// Sets the password of a user in the store, for the first administrator and for operators who cannot sign in.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { storePassword } from "../identity/passwords.ts";
import { hashPassword, requireStrongPassword } from "../security/password-hash.ts";
import { insertAuditEntry } from "../store/audit-entries.ts";
import { toJson, toTimestamp } from "../store/codec.ts";
import { requireComplete } from "../store/data-folder.ts";
import type { Db, Row } from "../store/schema.ts";
import { openSqlite } from "../store/sqlite.ts";
import { isInternalUser } from "../store/sql-conditions.ts";
import { inTransaction } from "../store/transaction.ts";
import { openAdminDatabase } from "./admin-database.ts";

/** The user and the new password. */
export interface NewPassword {
  readonly username: string;
  readonly password: string;
}

/**
 * Sets a password in a data folder. Throws `locked` while a server uses the folder, `usage` if it is not a data folder,
 * `not_found` for an unknown user, and `invalid` for a weak password.
 */
export async function setFolderPassword(folder: string, wanted: NewPassword): Promise<void> {
  if (!existsSync(join(folder, "account.db"))) {
    throw new Failure("usage", `${folder} is not the data folder of an account`, {
      remedy: "Pass the folder that contains account.db.",
    });
  }
  const store = await openSqlite(folder, { onLocked: requireComplete });
  try {
    await setPassword(store.db, wanted);
  } finally {
    await store.close();
  }
}

/** Sets a password in a schema of a database. Servers may keep running. Throws as {@link setFolderPassword} does. */
export async function setDatabasePassword(
  { database: url, schema }: { database: string; schema: string },
  wanted: NewPassword,
): Promise<void> {
  const { stores, database } = await openAdminDatabase(url);
  try {
    const tables = await database.query(
      "select 1 from pg_tables where schemaname = $1 and tablename = 'user_passwords'",
      [schema],
    );
    if (tables.length === 0) {
      throw new Failure("usage", `the schema ${schema} contains no account of this version`, {
        remedy: "Pass the schema of the account, and start a server of this version once.",
      });
    }
    const store = await stores.open({ schema });
    try {
      await setPassword(store.db, wanted);
    } finally {
      await store.close();
    }
  } finally {
    await stores.close();
  }
}

/** Sets a password in a store, which the audit log records. Throws `not_found` for an unknown user, and `invalid` for a weak password. */
export async function setPassword(db: Db, { username, password }: NewPassword): Promise<void> {
  requireStrongPassword(password, username);
  const user = await db
    .selectFrom("users")
    .select(["id", "email"])
    .where("username", "=", username)
    .where(isInternalUser)
    .executeTakeFirst();
  if (!user) {
    const text = `the account has no user ${JSON.stringify(username)}`;
    throw new Failure("not_found", text, { remedy: "Pass the username as --user." });
  }
  const passwordHash = await hashPassword(password);
  const now = new Date();
  await inTransaction(db, async (tx) => {
    await storePassword(tx, { userId: user.id, passwordHash });
    await audit(tx, { ...user, username }, now);
  });
}

/** Records the change in the audit log. An operator has no user, so the entry names none. */
async function audit(
  tx: Db,
  { id, username, email }: Pick<Row<"users">, "id" | "username" | "email">,
  now: Date,
): Promise<void> {
  const entry = {
    created_at: toTimestamp(now),
    event_name: "setPassword",
    user_id: null,
    username: null,
    user_email: null,
    credential: "operator",
    key_name: null,
    object_type: "users",
    object_ids: toJson([String(id)]),
    deployment_id: null,
    before_values: null,
    after_values: toJson({ username, ...(email !== null && { email }) }),
  };
  await insertAuditEntry(tx, entry);
}
