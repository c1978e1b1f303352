// Emails that several of the account's own users share, which identity providers may create.
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Replaces the unique index of emails by an ordinary one. */
export function sharedEmails(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.dropIndex("users_email_key").execute();
      await sql`create index users_email_key on users (email_key) where is_external = 0`.execute(
        db,
      );
    },
  };
}
