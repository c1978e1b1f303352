// The number of files and bytes of each upload, so that another file is checked without counting the earlier ones.
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the columns, and counts the files of open uploads. */
export function uploadSizes(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const name of ["file_count", "file_bytes"]) {
        await db.schema
          .alterTable("uploads")
          .addColumn(name, "integer", (column) => column.notNull().defaultTo(0))
          .execute();
      }
      await sql`update uploads set
        file_count = (select count(*) from upload_files f where f.upload_id = uploads.id),
        file_bytes = (select coalesce(sum(c.bytes), 0) from upload_files f
          join model_contents c on c.id = f.content_id where f.upload_id = uploads.id)`.execute(db);
    },
  };
}
