// Records each write in the audit log, in its transaction: a row for each object that it changes, with the values
// before and after. The operations declare the objects.
import { auditedObjects } from "../../../api/audited-objects.ts";
import { isId } from "../../../api/schemas.ts";
import { patchScimGroup } from "../../../api/scim.ts";
import { chunksOf } from "../../../core/chunks.ts";
import {
  type ChangedObject,
  type ChangedObjects,
  type ChangeRequest,
  namedObjects,
} from "../../../core/operation/changed-objects.ts";
import { isFailure } from "../../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { actionsOf, type Operation } from "../../../core/operation/operation.ts";
import { typesOf } from "../../../core/schema/schema.ts";
import { toJson, toTimestamp } from "../../store/codec.ts";
import { memberNamed } from "../../scim/patch.ts";
import { type AuditEntry, insertAuditEntries } from "../../store/audit-entries.ts";
import type { Call, OperationHandler } from "../shared/operation-handler.ts";
import { type ChangedValues, changedValues, shownValues } from "./shown-values.ts";
import { objectLookups } from "./object-lookups.ts";
import { objectReaders, type ObjectReader } from "./object-readers.ts";

/** Runs a write, and records it in the transaction of `call.db`. */
export type RecordedRun = (call: Call, run: () => Promise<unknown>) => Promise<unknown>;

/** The operation that switches the audit log off, which is recorded in any case. */
const switchOperation = "updateTenantSettings";

/**
 * Returns a function that runs and records the calls of `handler`. Only runs reads, operations that the audit log
 * leaves out, and every operation while the log is off.
 */
export function recorderOf(
  handler: OperationHandler,
  handlers: readonly OperationHandler[],
): RecordedRun {
  const { operation } = handler;
  if (operation.effect === "read" || operation.audited === false) return (_, run) => run();
  // Most operations of a server are never called.
  let audited: readonly AuditedObjects[] | undefined;
  return async (call, run) => {
    const { auditLogEnabled } = await call.account();
    if (!auditLogEnabled && operation.id !== switchOperation) return run();
    audited ??= auditedObjectsOf(operation, handlers);
    const onlyMembers = isMemberPatch(call);
    const before = await snapshot(audited, call, { answer: undefined, reads: !onlyMembers });
    const draft = await run();
    const after = await snapshot(audited, call, { answer: draft, reads: !onlyMembers, before });
    await insertRows(call, audited, { before, after });
    return draft;
  };
}

/** Objects of one type that an operation changes, and their readers. */
interface AuditedObjects extends ChangedObjects {
  /** Returns the reader of a type; undefined if nothing reads its objects. */
  readonly readerOf: (type: string) => ObjectReader | undefined;
}

function auditedObjectsOf(
  operation: Operation,
  handlers: readonly OperationHandler[],
): readonly AuditedObjects[] {
  const operations = handlers.map((one) => one.operation);
  return auditedObjects(operation, operations).map((objects) => {
    const byCall = cachedByType((type) =>
      readerByCall(readHandler(handlers, operation, { ...objects, type })),
    );
    return { ...objects, readerOf: (type) => objectReaders[type] ?? byCall(type) };
  });
}

/**
 * Caches the read operation of each type, because the search goes through all handlers and each write needs it twice.
 */
function cachedByType(find: AuditedObjects["readerOf"]): AuditedObjects["readerOf"] {
  const known = new Map<string, ObjectReader | undefined>();
  return (type) => {
    if (!known.has(type)) known.set(type, find(type));
    return known.get(type);
  };
}

/**
 * Returns the handler that reads one object of a type: the named handler, the handler of the type, or the one at the
 * operation's path.
 */
function readHandler(
  handlers: readonly OperationHandler[],
  operation: Operation,
  { type, reads }: { readonly type: string; readonly reads?: string },
): OperationHandler | undefined {
  const readers = handlers.filter(isReader);
  if (reads !== undefined) return handlers.find((one) => one.operation.id === reads);
  const ofType = readers.filter(({ operation: { path } }) => {
    const [parent, own] = path.split("/").slice(-2);
    return parent === type && own?.startsWith("{");
  });
  const [only] = ofType;
  return only ?? readers.find((one) => one.operation.path === operation.path);
}

/** Returns whether an operation reads one object, and only from the store. */
function isReader({ operation, prepare }: OperationHandler): boolean {
  const { method, list, verbatim, contentType, protocol } = operation;
  return method === "GET" && !(list ?? verbatim ?? contentType ?? protocol ?? prepare);
}

/** Reads objects one by one, as a read operation shows them. */
function readerByCall(reader: OperationHandler | undefined): ObjectReader | undefined {
  if (reader === undefined) return undefined;
  const { operation } = reader;
  const parameter = /\{(\w+)\}$/u.exec(operation.path)?.[1];
  const isNumeric = typesOf(operation.params.properties[parameter ?? ""] ?? {}).includes("integer");
  return async (call, ids) => {
    const found = new Map<string, JsonObject>();
    const { principal, params } = call;
    const asker = { ...principal, isAdmin: true, limits: {} };
    for (const id of ids) {
      if (isNumeric && id !== "" && !isId(Number(id))) continue;
      const value = isNumeric ? Number(id) : id;
      const own = parameter === undefined || id === "" ? {} : { [parameter]: value };
      const readCall = { ...call, operation, principal: asker, paging: {} };
      const request = { params: { ...(params as object), ...own }, query: {}, body: undefined };
      try {
        const shown = (await reader.run({ ...readCall, ...request }, undefined)) as JsonValue;
        if (isObject(shown)) found.set(id, shown);
      } catch (error) {
        if (!isFailure(error) || error.code === "unavailable") throw error;
        // An object that exists but cannot be read, such as a damaged value, can still be replaced or deleted.
        if (error.code !== "not_found" && error.code !== "forbidden") found.set(id, {});
      }
    }
    return found;
  };
}

/** The state of an object at one time. */
interface ReadObject extends ChangedObject {
  /** Its declaration. */
  readonly of: AuditedObjects;
  /** The values that were read; undefined if the object does not exist or its type has no reader. */
  readonly shown: JsonObject | undefined;
  /** Whether it can be read. */
  readonly isReadable: boolean;
}

type Snapshot = ReadonlyMap<string, ReadObject>;

interface SnapshotOptions {
  readonly answer: unknown;
  readonly reads: boolean;
  readonly before?: Snapshot;
}

/** Reads the objects of a call, and the objects of an earlier snapshot. */
async function snapshot(
  audited: readonly AuditedObjects[],
  call: Call,
  { answer, reads, before }: SnapshotOptions,
): Promise<Snapshot> {
  const objects = new Map<string, ReadObject>();
  for (const of of audited) {
    const earlier = [...(before?.values() ?? [])].filter((one) => one.of === of);
    const named = [...earlier, ...(await objectsOf(of, call, answer))];
    for (const [type, some] of Map.groupBy(named, (one) => one.type)) {
      const reader = reads ? of.readerOf(type) : undefined;
      const byId = new Map(some.map((one) => [one.id, one]));
      const unread = [...byId.values()].filter((one) => one.values === undefined);
      const found = await readAll(reader, call, unread);
      for (const { id, values } of byId.values()) {
        const shown = isObject(values) ? values : found.get(id);
        objects.set(`${type} ${id}`, { type, id, of, shown, isReadable: reader !== undefined });
      }
    }
  }
  return objects;
}

/** Reads objects, a bounded number in each query. */
async function readAll(
  reader: ObjectReader | undefined,
  call: Call,
  objects: readonly ChangedObject[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const found = new Map<string, JsonObject>();
  if (reader === undefined) return found;
  for (const part of chunksOf(objects, limits.rowsPerQuery)) {
    const ids = part.map(({ id }) => id);
    for (const [id, shown] of await reader(call, ids)) found.set(id, shown);
  }
  return found;
}

/** Returns the objects that a call names, or that its lookup finds. */
async function objectsOf(
  of: AuditedObjects,
  call: Call,
  answer: unknown,
): Promise<readonly ChangedObject[]> {
  const { params, query, body, principal } = call;
  if ("lookup" in of.id) {
    const found = (await objectLookups[of.id.lookup]?.(call, answer)) ?? [];
    const type = typeof of.type === "string" ? of.type : "";
    return found.map((one) => (typeof one === "string" ? { type, id: one } : one));
  }
  const request: ChangeRequest = { params, query, body, caller: principal.userId, answer };
  const named = namedObjects(of, request);
  // An object that exists once in the account has no ID.
  const isOnly = /^(?:PUT|PATCH)$/u.test(call.operation.method) && of.items === undefined;
  const type = typeof of.type === "string" ? of.type : undefined;
  return named.length === 0 && isOnly && type !== undefined ? [{ type, id: "" }] : named;
}

/** One row: objects of a type with the changed values. */
interface EntryValues {
  readonly type: string;
  readonly ids: readonly string[];
  readonly values: ChangedValues;
}

async function insertRows(
  call: Call,
  audited: readonly AuditedObjects[],
  { before, after }: { readonly before: Snapshot; readonly after: Snapshot },
): Promise<void> {
  const all = [...after.values()].map((one) => {
    const earlier = before.get(`${one.type} ${one.id}`);
    return { ...one, ...rowOf(call, earlier, one) };
  });
  const changed = all.filter((one) => one.isChanged);
  const own = changed.map(({ type, id, values }) => ({ type, ids: idsOf(id), values }));
  const rows = bounded([...own, ...wholesOf(changed)]);
  if (rows.length === 0) rows.push(unchanged(call, audited, all));
  await insertAuditEntries(
    call.db,
    rows.map((row) => entryOf(call, row)),
  );
}

/** Returns the first rows of each type, and one with the IDs of the others. */
function bounded(rows: readonly EntryValues[]): EntryValues[] {
  return [...Map.groupBy(rows, ({ type }) => type)].flatMap(([type, some]) => {
    const rest = some.slice(limits.auditItems).flatMap(({ ids }) => ids);
    const first = some.slice(0, limits.auditItems);
    return rest.length === 0 ? first : [...first, { type, ids: rest, values: {} }];
  });
}

function idsOf(id: string): readonly string[] {
  return id === "" ? [] : [id];
}

/** Returns the row of a call that changed none of its objects, or that names no objects. */
function unchanged(
  call: Call,
  [main]: readonly AuditedObjects[],
  objects: readonly ReadObject[],
): EntryValues {
  const [first] = objects;
  const type = first?.type ?? (typeof main?.type === "string" ? main.type : "");
  const ids = objects.filter((one) => one.type === type).flatMap(({ id }) => idsOf(id));
  const values = first === undefined ? requested(call) : { before: {}, after: {} };
  return { type, ids: ids.slice(0, limits.auditItems), values };
}

/** Returns the values of a row, and whether the object changed. */
function rowOf(
  call: Call,
  earlier: ReadObject | undefined,
  { isReadable, shown }: ReadObject,
): { readonly values: ChangedValues; readonly isChanged: boolean } {
  const was = earlier?.shown;
  if (!isReadable || (was ?? shown) === undefined) {
    return { values: requested(call), isChanged: !isReadable };
  }
  const holdsSecrets = isSecret(call);
  const values = changedValues(was, shown && withMembers(shown, call), { holdsSecrets });
  const isSame = [values.before, values.after].every(
    (one) => one !== undefined && Object.keys(one).length === 0,
  );
  return { values, isChanged: !isSame };
}

/** Returns a row for each object that has changed objects as parts, with the IDs of the parts. */
function wholesOf(
  changed: readonly (ReadObject & { readonly values: ChangedValues })[],
): readonly EntryValues[] {
  const parts = changed.flatMap(({ of: { partOf }, type, id }) => {
    const whole = partOf && id.split("/")[partOf.part];
    return partOf && whole !== undefined ? [{ type: partOf.type, whole, part: type, id }] : [];
  });
  const byWhole = Map.groupBy(parts, ({ type, whole }) => `${type} ${whole}`);
  return [...byWhole.values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const after = shownValues({ [first.part]: some.map(({ id }) => id) });
    return [{ type: first.type, ids: [first.whole], values: { after } }];
  });
}

/** Returns the members of the request and its path, for objects without a reader. */
function requested(call: Call): ChangedValues {
  const { operation, params } = call;
  if (isMemberPatch(call)) return { after: shownValues(withMembers({}, call)) };
  const body = operation.verbatim === true ? undefined : (call.body as JsonValue | undefined);
  const { deploymentId: _, ...named } = params as JsonObject;
  const whole = { ...named, ...(isObject(body) ? body : {}) };
  if (Object.keys(whole).length === 0) return {};
  return { after: shownValues(whole, { holdsSecrets: isSecret(call) }) };
}

/** A reader of the log may lack the permission to read secrets. */
function isSecret({ operation }: Call): boolean {
  return actionsOf(operation).includes("SecretsManage");
}

/**
 * Returns whether a SCIM request only changes members of a group. Its other values stay. Reading them twice would count
 * all members of a large group for each new member.
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

/** Adds the members that SCIM sent, because the members of a group are not among its values. */
function withMembers(after: JsonObject, { operation, body }: Call): JsonObject {
  if (!operation.path.startsWith("/api/scim/v2/Groups") || !isObject(body)) return after;
  const operations = memberNamed(body, "operations");
  const members = memberNamed(body, "members");
  if (operations !== undefined) return { ...after, Operations: operations };
  return members === undefined ? after : { ...after, members };
}

function entryOf(
  { principal, operation, params, now }: Call,
  { type, ids, values }: EntryValues,
): AuditEntry {
  const { before, after } = values;
  const { deploymentId } = params as { readonly deploymentId?: unknown };
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
    deployment_id: typeof deploymentId === "number" ? deploymentId : null,
    before_values: before ? toJson(before) : null,
    after_values: after ? toJson(after) : null,
  };
}
