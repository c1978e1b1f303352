// Area audit-logs: lists and exports the changes of the account.
import { exportAuditLogs, listAuditLogs } from "../../../api/audit-logs.ts";
import { Failure } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { csvText, spreadsheetText } from "../../../core/text/csv.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { fromJson, toTimestamp } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import type { Db, Row } from "../../store/schema.ts";
import { contains, isAuditedChange } from "../../store/sql-conditions.ts";
import {
  handle,
  handleList,
  omitNullish,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { pageOf } from "../shared/pagination.ts";

/** The handlers of this area. */
export const auditLogs: readonly OperationHandler[] = [
  handleList(listAuditLogs, async (call) =>
    pageOf(call, keyset(selectEntries(call.db, call.query), "audit_logs.id"), showEntry),
  ),
  handle(exportAuditLogs, async ({ db, query }) => {
    const rows = keyset(selectEntries(db, query), "audit_logs.id");
    const lines = [csvText([columns])];
    let characters = 0;
    for (let after: string | undefined; lines.length <= limits.auditExportEntries;) {
      const place = after === undefined ? {} : { after };
      const count = Math.min(limits.rowsPerQuery, limits.auditExportEntries + 1 - lines.length);
      const read = await rows.read({ ...place, count });
      for (const row of read) {
        const line = csvText([cellsOf(row).map(spreadsheetText)]);
        characters += line.length;
        if (characters > limits.auditExportCharacters) throw tooLong();
        lines.push(line);
      }
      const last = read.at(-1);
      if (last === undefined) break;
      after = rows.positionOf(last);
    }
    return lines.join("");
  }),
];

function tooLong(): Failure {
  const text = `the export has more than ${limits.auditExportCharacters} characters; export shorter periods with start and end`;
  return new Failure("too_large", text);
}

type Filters = RequestOf<typeof listAuditLogs>["query"];

function selectEntries(db: Db, query: Filters) {
  const { start, end, search, eventName, userEmail, objectType, objectId, changed } = query;
  let found = db.selectFrom("audit_logs").selectAll();
  if (start !== undefined) found = found.where("created_at", ">=", timeOf("start", start));
  if (end !== undefined) found = found.where("created_at", "<", timeOf("end", end));
  if (eventName !== undefined) found = found.where("event_name", "=", eventName);
  if (userEmail !== undefined) {
    const email = userEmail.toLowerCase();
    found = found.where((eb) => eb(eb.fn<string>("lower", ["user_email"]), "=", email));
  }
  if (objectType !== undefined) found = found.where("object_type", "=", objectType);
  if (objectId !== undefined) {
    found = found.where(contains("object_ids", JSON.stringify(objectId)));
  }
  if (changed !== undefined) found = found.where(isAuditedChange(changed));
  if (search !== undefined) {
    const searched = ["event_name", "username", "user_email", "key_name", "object_ids"];
    found = found.where((eb) => eb.or(searched.map((column) => contains(column, search))));
  }
  return found;
}

/** The schema's format also accepts leap seconds, which no entry has. */
function timeOf(name: string, text: string): string {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return toTimestamp(time);
  throw new Failure("invalid", `${name} is not a time; use one such as 2026-01-31T09:30:00Z`);
}

function showEntry(row: Row<"audit_logs">) {
  return {
    id: row.id,
    createdAt: row.created_at,
    eventName: row.event_name,
    credential: row.credential,
    objectType: row.object_type,
    objectIds: fromJson(row.object_ids) as string[],
    ...omitNullish({
      userId: row.user_id,
      username: row.username,
      userEmail: row.user_email,
      apiKeyName: row.key_name,
      deploymentId: row.deployment_id,
      before: valuesOf(row.before_values),
      after: valuesOf(row.after_values),
    }),
  };
}

function valuesOf(text: string | null): JsonObject | null {
  return text === null ? null : (fromJson(text) as JsonObject);
}

const columns = [
  "createdAt",
  "eventName",
  "userEmail",
  "username",
  "apiKeyName",
  "credential",
  "objectType",
  "objectIds",
  "deploymentId",
  "before",
  "after",
];

function cellsOf(row: Row<"audit_logs">): readonly string[] {
  const ids = fromJson(row.object_ids) as readonly string[];
  return [
    row.created_at,
    row.event_name,
    row.user_email ?? "",
    row.username ?? "",
    row.key_name ?? "",
    row.credential,
    row.object_type,
    ids.join(" "),
    row.deployment_id === null ? "" : String(row.deployment_id),
    row.before_values ?? "",
    row.after_values ?? "",
  ];
}
