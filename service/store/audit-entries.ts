// Inserts entries of the audit log in one statement.
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

/** Inserts an entry, if the account keeps an audit log. */
export async function insertAuditEntry(db: Db, entry: AuditEntry): Promise<void> {
  await insertWhereEnabled(db, entry);
}

/** The prepared inserts by the number of entries. Most writes have few. */
const inserts = Array.from({ length: 8 }, (_, index) =>
  preparedQuery((db: Db, values: Readonly<Record<string, never>>) => {
    const entries = Array.from({ length: index + 1 }, (__, position) =>
      Object.fromEntries(auditColumns.map((column) => [column, values[`${position} ${column}`]])),
    );
    return db
      .insertInto("audit_logs")
      .values(entries as unknown as AuditEntry[])
      .returning("id");
  }),
);

/** Inserts the entries of one write, if the caller knows that they must be recorded. */
export async function insertAuditEntries(db: Db, entries: readonly AuditEntry[]): Promise<void> {
  const insert = inserts[entries.length - 1];
  if (insert === undefined) {
    await db.insertInto("audit_logs").values(entries).execute();
    return;
  }
  const values = entries.flatMap((entry, position) =>
    auditColumns.map((column) => [`${position} ${column}`, entry[column]]),
  );
  await insert(db, Object.fromEntries(values) as Readonly<Record<string, never>>);
}
