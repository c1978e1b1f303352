// Records each write in the audit log, in its transaction: an entry for each object whose rows it wrote, with the values
// before and after.
import { equal, type JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { memoizePerObject } from "../../../core/memoize.ts";
import type { Operation } from "../../../core/operation/operation.ts";
import { readAccount } from "../../accounts/account.ts";
import { type AuditEntry, insertAuditEntries } from "../../store/audit-entries.ts";
import { toJson, toTimestamp } from "../../store/codec.ts";
import { type RecordedRow, recordRows, type WrittenRow } from "../../store/record-rows.ts";
import type { Call } from "../shared/operation-handler.ts";
import { type AuditedTable, auditedTables } from "./audited-tables.ts";
import { type Columns, shownColumns, shownValues } from "./shown-values.ts";

/** The operation that switches the audit log off, which is recorded in any case. */
const switchOperation = "updateTenantSettings";

/**
 * Runs a call in the transaction `call.db`, and records what it writes. Only runs reads, operations that the audit log
 * leaves out, and every operation while the log is off.
 */
export async function runRecorded(
  call: Call,
  run: (call: Call) => Promise<unknown>,
): Promise<unknown> {
  const { operation, db } = call;
  if (operation.effect === "read" || operation.audited === false) return run(call);
  const { auditLogEnabled } = await call.account();
  if (!auditLogEnabled && operation.id !== switchOperation) return run(call);
  const recorded = recordRows(db, keysOf(operation));
  const result = await run({ ...call, db: recorded.db, account: () => readAccount(recorded.db) });
  const { rows, more } = await recorded.writtenRows();
  const objects = objectsOf(call, await extended(call, rows));
  await insertAuditEntries(
    db,
    entriesOf(call, objects, more).map((entry) => entryOf(call, entry)),
  );
  return result;
}

/** Returns the primary keys of the tables whose objects an operation records. */
const keysOf = memoizePerObject(
  ({ audited }: Operation): Readonly<Record<string, readonly string[]>> => {
    const except: readonly unknown[] = typeof audited === "object" ? audited.except : [];
    const recorded = Object.entries(auditedTables).filter(([, { type }]) => !except.includes(type));
    return Object.fromEntries(recorded.map(([name, { key }]) => [name, key]));
  },
);

async function extended({ db }: Call, rows: readonly WrittenRow[]): Promise<readonly WrittenRow[]> {
  const all: WrittenRow[] = [];
  for (const [name, some] of Map.groupBy(rows, ({ table }) => table)) {
    all.push(...((await auditedTables[name]?.extend?.(db, some)) ?? some));
  }
  return all;
}

/** An object with the columns of its rows; undefined before it was created, and after it was deleted. */
interface WrittenObject {
  readonly type: string;
  /** Undefined for an object that exists once in the account. */
  readonly id: string | undefined;
  readonly deploymentId: number | undefined;
  readonly whole: { readonly type: string; readonly id: string } | undefined;
  readonly before: Columns | undefined;
  readonly after: Columns | undefined;
}

/** Returns the objects that rows belong to, without those that existed neither before nor after. */
function objectsOf(call: Call, rows: readonly WrittenRow[]): readonly WrittenObject[] {
  const placed = rows.flatMap(({ table: name, before, after }) => {
    const table = auditedTables[name];
    const row = after ?? before;
    if (table === undefined || row === undefined) return [];
    return [{ table, name, before, after, row, ...placeOf(call, table, row) }];
  });
  const byObject = Map.groupBy(placed, ({ type, id }) => `${type} ${id ?? ""}`);
  return [...byObject.values()].flatMap((all): WrittenObject[] => {
    const [first] = all;
    if (first === undefined) return [];
    const columnsOf = (time: "before" | "after"): Columns | undefined => {
      const parts = all.flatMap(({ [time]: row, ...part }) => (row ? [{ ...part, row }] : []));
      const isKnown = parts.length > 0 || all.every(({ table }) => table.within !== undefined);
      return isKnown ? shownColumns(call, parts) : undefined;
    };
    const { type, id, row, table } = first;
    const { deployment_id: deploymentId } = row;
    const whole = table.partOf && row[table.partOf.id];
    return [
      {
        type,
        id,
        deploymentId: typeof deploymentId === "number" ? deploymentId : undefined,
        whole:
          table.partOf && whole != null
            ? { type: table.partOf.type, id: String(whole) }
            : undefined,
        before: columnsOf("before"),
        after: columnsOf("after"),
      },
    ];
  });
}

function placeOf({ operation }: Call, { type, id }: AuditedTable, row: RecordedRow) {
  const parts = id.flatMap((column) => row[column] ?? []);
  return {
    type: (typeof type === "function" ? type(row) : type) ?? operation.path.split("/").at(-1) ?? "",
    id: id.length === 0 ? undefined : parts.join("/"),
  };
}

/** The content of an entry. */
interface EntryValues {
  readonly type: string;
  readonly ids: readonly string[];
  readonly deploymentId?: number | undefined;
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

function entriesOf(
  call: Call,
  objects: readonly WrittenObject[],
  more: number,
): readonly EntryValues[] {
  const changed = objects.flatMap((object) => {
    const names = changedColumns(object);
    if (names.length === 0) return [];
    const { type, id, deploymentId, before, after, whole } = object;
    const values = {
      ...(before && { before: shownValues(before, names) }),
      ...(after && { after: shownValues(after, names) }),
    };
    return [{ type, ids: id === undefined ? [] : [id], deploymentId, ...values, whole }];
  });
  const wholes = [...Map.groupBy(changed, ({ whole }) => whole && `${whole.type} ${whole.id}`)];
  const entries: readonly EntryValues[] = [
    ...changed,
    ...wholes.flatMap(([, parts]): EntryValues[] => {
      const [{ whole, type, deploymentId } = {}] = parts;
      if (whole === undefined || type === undefined) return [];
      const ids = parts.flatMap((part) => part.ids).slice(0, limits.auditItems);
      return [{ type: whole.type, ids: [whole.id], deploymentId, after: { [type]: ids } }];
    }),
  ];
  if (entries.length === 0) return [unchanged(call, objects)];
  const [{ type } = { type: "" }] = entries;
  return [...Map.groupBy(entries, (entry) => entry.type)].flatMap(([name, some]) => {
    const rest = some.slice(limits.auditItems).flatMap(({ ids }) => ids);
    const ids = [...rest, ...(more > 0 && name === type ? [`… ${more} more`] : [])];
    const separate = some.slice(0, limits.auditItems);
    return ids.length === 0 ? separate : [...separate, { type: name, ids }];
  });
}

/** Returns the names of the columns that differ; all of an object that was created or deleted. */
function changedColumns({ before, after }: WrittenObject): readonly string[] {
  const names = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])];
  if (before === undefined || after === undefined) return names;
  return names.filter(
    (name) => !equal(before.get(name)?.compared ?? null, after.get(name)?.compared ?? null),
  );
}

/** Returns the entry of a call that changed nothing: the objects that it wrote, or the one that the path names. */
function unchanged(
  { operation: { path }, params }: Call,
  objects: readonly WrittenObject[],
): EntryValues {
  const values = { before: {}, after: {} };
  const segments = path
    .replace(/^\/api\/scim\/v2\/Users\b/u, "users")
    .replace(/^\/api\/(?:scim\/v2\/Groups|v1\/groups)\b/u, "user-groups")
    .split("/");
  const place = segments.findLastIndex((segment) => segment.startsWith("{"));
  const named = segments[place]?.slice(1, -1) ?? "";
  const id = (params as Readonly<Record<string, string | number>>)[named];
  const written = objects.filter(
    (object) => object.id !== undefined && object.type === segments.at(-1),
  );
  if (written.length === 0 && id !== undefined) {
    return { type: segments[place - 1] ?? "", ids: [String(id)], ...values };
  }
  const ids = written.flatMap((object) => object.id ?? []).slice(0, limits.auditItems);
  return { type: segments.at(-1) ?? "", ids, ...values };
}

function entryOf(
  { principal, operation, params, now }: Call,
  { type, ids, before, after, ...entry }: EntryValues,
): AuditEntry {
  const { deploymentId = entry.deploymentId } = params as { readonly deploymentId?: number };
  const { actor } = principal;
  return {
    created_at: toTimestamp(now()),
    event_name: operation.id,
    user_id: principal.userId === 0 ? null : principal.userId,
    username: actor?.username ?? null,
    user_email: actor?.email ?? null,
    credential: principal.credentialId,
    key_name: actor?.keyName ?? null,
    object_type: type,
    object_ids: toJson([...ids]),
    deployment_id: deploymentId ?? null,
    before_values: before ? toJson(before) : null,
    after_values: after ? toJson(after) : null,
  };
}
