// Adds the embed tenant of notifications whose recipients are all users of one.
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** The name that databases record. */
export const notificationTenantsName = "0076-notification-tenants";

/** Adds the column. The name of a tenant does not change. */
export const notificationTenants: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const column = "embed_tenant_name text references embed_tenants (name) on delete cascade";
    await sql.raw(`alter table notifications add column ${column}`).execute(db);
    await sql
      .raw("create index notifications_by_embed_tenant_name on notifications (embed_tenant_name)")
      .execute(db);
  },
};
