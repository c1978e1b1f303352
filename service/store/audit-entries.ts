// Inserts entries of the audit log in one statement, which also reads whether the account keeps one.
import { type Insertable, sql } from "kysely";
import { preparedQuery } from "./prepared-query.ts";
import type { AuditLogTable } from "./account-tables.ts";
import type { Db } from "./schema.ts";

/** An entry without its id. Absent values are null. */
export type AuditEntry = Required<Omit<Insertable<AuditLogTable>, "id">>;

const insertWhereEnabled = preparedQuery((db: Db, entry: AuditEntry) => {
  const integers: readonly string[] = ["user_id", "deployment_id"];
  const columns = auditColumns.map((column) => {
    const type = sql.raw(integers.includes(column) ? "integer" : "text");
    return sql`cast(${entry[column]} as ${type})`.as(column);
  });
  return db
    .insertInto("audit_logs")
    .columns([...auditColumns])
    .expression(db.selectFrom("account").select(columns).where("audit_log_enabled", "=", 1))
    .returning("id");
});

const auditColumns = [
  "created_at",
  "event_name",
  "user_id",
  "username",
  "user_email",
  "credential",
  "key_name",
  "object_type",
  "object_ids",
  "deployment_id",
  "before_values",
  "after_values",
] as const satisfies readonly (keyof AuditEntry)[];

/** Inserts an entry, if the account keeps an audit log or `always` is set. */
export async function insertAuditEntry(
  db: Db,
  entry: AuditEntry,
  { always }: { readonly always: boolean },
): Promise<void> {
  if (always) await db.insertInto("audit_logs").values(entry).execute();
  else await insertWhereEnabled(db, entry);
}

/** Inserts the entries of one write, if the account keeps an audit log or `always` is set. */
export async function insertAuditEntries(
  db: Db,
  entries: readonly AuditEntry[],
  how: { readonly always: boolean },
): Promise<void> {
  const [first] = entries;
  if (first !== undefined && entries.length === 1) return insertAuditEntry(db, first, how);
  const account = await db.selectFrom("account").select("audit_log_enabled").executeTakeFirst();
  if (!how.always && account?.audit_log_enabled !== 1) return;
  await db
    .insertInto("audit_logs")
    .values([...entries])
    .execute();
}
