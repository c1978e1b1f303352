// The access of embed tenants to the dashboards of workbooks.
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

/** Creates the table. Dashboards that could be embedded stay visible to all embed tenants. */
export function embedAccess(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "workbook_embed_access")
        .addColumn("workbook_id", "integer", cascadingReference("workbooks"))
        .addColumn("embed_tenant_id", "integer", (column) =>
          column.references("embed_tenants.id").onDelete("cascade"),
        )
        .execute();
      const index = (name: string) => db.schema.createIndex(name).on("workbook_embed_access");
      await index("workbook_embed_access_of_tenants")
        .unique()
        .columns(["workbook_id", "embed_tenant_id"])
        .execute();
      await index("workbook_embed_access_of_all")
        .unique()
        .column("workbook_id")
        .where(sql<boolean>`embed_tenant_id is null`)
        .execute();
      await index("workbook_embed_access_by_tenant")
        .columns(["embed_tenant_id", "workbook_id"])
        .execute();
      await sql`insert into workbook_embed_access (workbook_id)
        select workbook_id from dashboards where status = 'published' and allow_embed = 1`.execute(
        db,
      );
    },
  };
}
