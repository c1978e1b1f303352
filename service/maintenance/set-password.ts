// Sets the password of a user in the store, for the first administrator and for operators who cannot sign in.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { storePassword } from "../identity/passwords.ts";
import { hashPassword, requireStrongPassword } from "../security/passwords.ts";
import { requireComplete } from "../store/data-folder.ts";
import type { Db } from "../store/schema.ts";
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

async function setPassword(db: Db, { username, password }: NewPassword): Promise<void> {
  requireStrongPassword(password, username);
  const user = await db
    .selectFrom("users")
    .select("id")
    .where("username", "=", username)
    .where(isInternalUser)
    .executeTakeFirst();
  if (!user) {
    const text = `the account has no user ${JSON.stringify(username)}`;
    throw new Failure("not_found", text, { remedy: "Pass the username as --user." });
  }
  const passwordHash = await hashPassword(password);
  await inTransaction(db, (tx) => storePassword(tx, { userId: user.id, passwordHash }, new Date()));
}
