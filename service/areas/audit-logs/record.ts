// Records each write in the audit log, in its transaction: one row for a call, with what the object's own read operation
// returns before and after it.
import { auditedObject, auditedPath } from "../../../api/audited-object.ts";
import { patchScimGroup } from "../../../api/scim.ts";
import { isFailure } from "../../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { limits } from "../../../core/limits.ts";
import type { Operation } from "../../../core/operation.ts";
import { toJson, toTimestamp } from "../../store/codec.ts";
import { memberNamed } from "../../scim/patch.ts";
import { insertAuditEntry } from "../../store/audit-entries.ts";
import type { Call, OperationHandler } from "../operation-handler.ts";
import { type ChangedValues, changedValues, shownValues } from "./shown-values.ts";

/** Runs a write, and records it in the transaction of `call.db`. */
export type RecordedRun = (call: Call, run: () => Promise<unknown>) => Promise<unknown>;

/** The operation that switches the audit log off, which is recorded in any case. */
const switchOperation = "updateTenantSettings";

/** Returns what records the calls of `handler`. Reads, and operations that the audit log leaves out, only run. */
export function recorderOf(
  handler: OperationHandler,
  handlers: readonly OperationHandler[],
): RecordedRun {
  const { operation } = handler;
  if (operation.effect === "read" || operation.audited === false) return (_, run) => run();
  // Most operations of a server are never called.
  let audited: AuditedCall | undefined;
  return async (call, run) => {
    audited ??= auditedCall(operation, handlers);
    const onlyMembers = isMemberPatch(call);
    const reader = onlyMembers ? undefined : audited.reader;
    const before = await readObject(reader, call, readerParams(call));
    const draft = await run();
    const ids = objectIds(audited, call, draft);
    const values = onlyMembers
      ? { after: shownValues(withMembers({}, call)) }
      : await valuesOf(audited, call, { before, id: ids[0] });
    await insertEntry(call, audited.type, { ids, values });
    return draft;
  };
}

/** How the calls of one operation are recorded. */
interface AuditedCall {
  readonly type: string;
  /** The path parameter with the object's ID. */
  readonly idParameter: string | undefined;
  /** The parameter below the path, if it is that of a collection. */
  readonly itemParameter: string | undefined;
  /** Reads the object at the path. */
  readonly reader: OperationHandler | undefined;
  /** Reads an object of the collection at the path. */
  readonly itemReader: OperationHandler | undefined;
}

function auditedCall(operation: Operation, handlers: readonly OperationHandler[]): AuditedCall {
  const objectPath = auditedPath(operation);
  const item = handlers.find(({ operation: { path } }) => isItemPath(path, objectPath));
  const itemParameter = item && /\{(\w+)\}$/.exec(item.operation.path)?.[1];
  const { type, idParameter } = auditedObject(operation, item !== undefined);
  const readerAt = (isPath: (path: string) => boolean) =>
    handlers.find((one) => isReader(one) && isPath(one.operation.path));
  return {
    type,
    idParameter,
    itemParameter,
    reader: readerAt((path) => path === objectPath),
    itemReader: readerAt((path) => isItemPath(path, objectPath)),
  };
}

function isItemPath(path: string, collection: string): boolean {
  return path.startsWith(`${collection}/{`) && path.indexOf("/", collection.length + 1) === -1;
}

/** An operation that reads one object from the store alone. */
function isReader({ operation, prepare, finish }: OperationHandler): boolean {
  const { method, list, verbatim, contentType } = operation;
  return method === "GET" && !(list ?? verbatim ?? contentType ?? prepare ?? finish);
}

/** Returns the object as its read operation shows it; undefined if there is none. */
async function readObject(
  reader: OperationHandler | undefined,
  call: Call,
  params: unknown,
): Promise<JsonObject | undefined> {
  if (reader === undefined) return undefined;
  const { operation } = reader;
  const principal = { ...call.principal, isAdmin: true, limits: {} };
  const asked = { ...call, operation, params, principal, query: {}, body: undefined, paging: {} };
  try {
    const found = (await reader.run(asked, undefined)) as JsonValue | undefined;
    return isObject(found) ? found : undefined;
  } catch (error) {
    if (isFailure(error)) return undefined;
    throw error;
  }
}

async function valuesOf(
  { reader, itemReader, itemParameter, idParameter }: AuditedCall,
  call: Call,
  { before, id }: { before: JsonObject | undefined; id: string | undefined },
): Promise<ChangedValues> {
  const { method } = call.operation;
  if (method === "DELETE" && reader) return changedValues(before, undefined);
  if (reader) {
    const after = await readObject(reader, call, readerParams(call));
    if (before ?? after) return changedValues(before, after && withMembers(after, call));
  }
  if (method === "POST" && itemReader && itemParameter !== undefined && id !== undefined) {
    const params = { ...(call.params as object), [itemParameter]: idValue(id) };
    const after = await readObject(itemReader, call, params);
    if (after) return changedValues(undefined, withMembers(after, call));
  }
  const { verbatim, permission } = call.operation;
  const body = verbatim === true ? undefined : (call.body as JsonValue | undefined);
  // Whoever reads the log may lack the permission to read secrets.
  const holdsSecrets = typeof permission === "object" && permission.action === "SecretsManage";
  const whole = { ...otherIds(call.params, idParameter), ...(isObject(body) ? body : {}) };
  return Object.keys(whole).length === 0 ? {} : { after: shownValues(whole, { holdsSecrets }) };
}

/**
 * Returns whether a SCIM request only changes members of a group. Its values stay, and reading them twice would count
 * all members of a large group for each one that joins.
 */
function isMemberPatch({ operation, body }: Call): boolean {
  if (operation.id !== patchScimGroup.id || !isObject(body)) return false;
  const sent = memberNamed(body, "operations");
  const isOfMembers = (one: JsonValue): boolean => {
    const path = isObject(one) ? memberNamed(one, "path") : undefined;
    return typeof path === "string" && /^members(?:\[|\.|$)/i.test(path);
  };
  return Array.isArray(sent) && sent.every((one: JsonValue) => isOfMembers(one));
}

/** Adds the members that SCIM sent: those of a group are no values of it. */
function withMembers(after: JsonObject, { operation, body }: Call): JsonObject {
  if (!operation.path.startsWith("/api/scim/v2/Groups") || !isObject(body)) return after;
  const operations = memberNamed(body, "operations");
  const members = memberNamed(body, "members");
  if (operations !== undefined) return { ...after, Operations: operations };
  return members === undefined ? after : { ...after, members };
}

/** Returns the parameters of the operation that reads the object. SCIM has IDs as text. */
function readerParams({ operation, params }: Call): unknown {
  if (operation.protocol !== "scim") return params;
  const { id } = params as { readonly id?: unknown };
  return typeof id === "string" ? { id: idValue(id) } : params;
}

/** Returns what the path names beside the object and its deployment, such as the role that a user gets. */
function otherIds(params: unknown, idParameter: string | undefined): JsonObject {
  const entries = Object.entries(params as JsonObject);
  return Object.fromEntries(
    entries.filter(([name]) => name !== idParameter && name !== "deploymentId"),
  );
}

function idValue(id: string): string | number {
  return /^[1-9][0-9]{0,9}$/.test(id) ? Number(id) : id;
}

/** Returns the ids of the changed objects, or their names: from the path, the answer, or the list in the request. */
function objectIds(
  { idParameter, itemParameter }: AuditedCall,
  call: Call,
  draft: unknown,
): readonly string[] {
  const params = call.params as Readonly<Record<string, unknown>>;
  if (idParameter !== undefined) return texts([params[idParameter]]);
  const created = isObject(draft) ? draft["id"] : undefined;
  if (created !== undefined) return texts([created]);
  const body = isObject(call.body) ? call.body : {};
  const list = Object.values(body).find((value) => Array.isArray(value)) ?? [];
  const items = Array.isArray(list) ? list.slice(0, limits.auditItems) : [];
  return texts(items.map((item: JsonValue) => itemId(item, itemParameter)));
}

function itemId(item: JsonValue, parameter: string | undefined): JsonValue | undefined {
  if (!isObject(item)) return item;
  return (
    (parameter === undefined ? undefined : item[parameter]) ??
    item["id"] ??
    item["name"] ??
    item["externalId"]
  );
}

function texts(values: readonly unknown[]): readonly string[] {
  return values.flatMap((value) =>
    typeof value === "string" || typeof value === "number" ? [String(value)] : [],
  );
}

/** Inserts the entry in one statement, if the account keeps an audit log. */
async function insertEntry(
  { db, principal, operation, params, now }: Call,
  type: string,
  { ids, values }: { ids: readonly string[]; values: ChangedValues },
): Promise<void> {
  const { before, after } = values;
  const { deploymentId } = params as { readonly deploymentId?: unknown };
  const { actor } = principal;
  const entry = {
    created_at: toTimestamp(now()),
    event_name: operation.id,
    user_id: principal.userId === 0 ? null : principal.userId,
    username: actor?.username ?? null,
    user_email: actor?.email ?? null,
    credential: principal.credentialId,
    key_name: actor?.keyName ?? null,
    object_type: type,
    object_ids: toJson([...ids]),
    deployment_id: typeof deploymentId === "number" ? deploymentId : null,
    before_values: before ? toJson(before) : null,
    after_values: after ? toJson(after) : null,
  };
  await insertAuditEntry(db, entry, { always: operation.id === switchOperation });
}
