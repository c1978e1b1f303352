// Runs several operations of one request (RFC 7644, section 3.7). Each succeeds or fails independently. Operations that
// refer to the result of another one run after it.
import { statusOf } from "../../../api/problems.ts";
import { bulkOperationsMax } from "../../../api/scim-schemas.ts";
import { Failure } from "../../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { operationList } from "../../scim/patch.ts";
import { scimError, scimErrorBody, valueFailure } from "../../scim/scim-error.ts";
import { inSavepoint } from "../../store/transaction.ts";
import { createCycle, reference } from "./circular-references.ts";
import { groups, type Resources, users, writtenResource } from "./resources.ts";
import { type ScimCall, scimBase } from "./scim-call.ts";

interface BulkOperation {
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly bulkId: string | undefined;
  readonly version: string | undefined;
  readonly data: JsonObject;
  /** The `bulkId`s that the path and the data refer to. */
  readonly references: readonly string[];
}

interface Outcome {
  readonly index: number;
  readonly isFailure: boolean;
  readonly answer: JsonObject;
}

/** Runs the operations of a request and returns the response. Throws `invalidSyntax` or `too_large`. */
export async function runBulk(call: ScimCall, body: JsonObject): Promise<JsonObject> {
  const operations = operationsOf(body);
  const errorsMax = typeof body["failOnErrors"] === "number" ? body["failOnErrors"] : Infinity;
  const created = new Map<string, string>();
  const pending = new Set(
    operations.flatMap(({ method, bulkId }) =>
      method === "POST" && bulkId !== undefined ? [bulkId] : [],
    ),
  );
  const outcomes: Outcome[] = [];
  let waiting: readonly BulkOperation[] = operations;
  let failures = 0;
  while (waiting.length > 0 && failures < errorsMax) {
    const ready = waiting.filter((one) =>
      one.references.every((id) => !pending.has(id) || id === one.bulkId),
    );
    const next = ready.length > 0 ? ready : cycleOf(waiting);
    const ids = { created, pending: new Set(pending) };
    const cycle = ready.length > 0 ? undefined : await runCycle(call, next, ids);
    for (const operation of next) {
      if (failures >= errorsMax) break;
      // Operations of a cycle that cannot be created run without the IDs, and fail with the reason.
      const done =
        cycle ?? (await runCycle(call, refersToItself(operation) ? [operation] : [], ids));
      const outcome = done?.get(operation) ?? (await runOne(call, operation, ids));
      if (outcome.isFailure) failures += 1;
      if (operation.bulkId !== undefined) pending.delete(operation.bulkId);
      outcomes.push(outcome);
    }
    waiting = waiting.filter((one) => !next.includes(one));
  }
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkResponse"],
    Operations: outcomes.toSorted((a, b) => a.index - b.index).map(({ answer }) => answer),
  };
}

/**
 * Returns operations that refer to each other, directly or indirectly, and to no other waiting operations. Each of the
 * given operations waits for another one.
 */
function cycleOf(waiting: readonly BulkOperation[]): readonly BulkOperation[] {
  const byId = new Map(
    waiting.flatMap((one) => (one.method === "POST" ? [[one.bulkId ?? "", one]] : [])),
  );
  const waitsFor = (one: BulkOperation) => one.references.flatMap((id) => byId.get(id) ?? []);
  const waits = waiting.flatMap((one) => waitsFor(one).map((other) => ({ one, other })));
  const waiters = Map.groupBy(waits, ({ other }) => other);
  const reached = new Set<BulkOperation>();
  let last: BulkOperation | undefined;
  for (const one of waiting) {
    if (reached.has(one)) continue;
    last = one;
    reach(one, (from) => (waiters.get(from) ?? []).map((wait) => wait.one), reached);
  }
  // No earlier start leads to the last one, so every operation that the last one waits for also waits for it.
  return last === undefined ? [] : [...reach(last, waitsFor, new Set())];
}

/** Adds an operation and the operations that it reaches, unless it was reached before. */
function reach(
  start: BulkOperation,
  next: (from: BulkOperation) => readonly BulkOperation[],
  reached: Set<BulkOperation>,
): ReadonlySet<BulkOperation> {
  const open = [start];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (reached.has(one)) continue;
    reached.add(one);
    open.push(...next(one));
  }
  return reached;
}

function refersToItself({ method, bulkId, references }: BulkOperation): boolean {
  return method === "POST" && bulkId !== undefined && references.includes(bulkId);
}

/** Creates resources that refer to each other, all or none. Returns undefined if they cannot be created. */
async function runCycle(
  call: ScimCall,
  cycle: readonly BulkOperation[],
  ids: BulkIds,
): Promise<ReadonlyMap<BulkOperation, Outcome> | undefined> {
  if (cycle.length === 0) return undefined;
  const known = [...ids.created];
  const drafts = cycle.map((one) => ({ ...one, bulkId: one.bulkId ?? "", one }));
  const plain = { ...call, headers: {} };
  try {
    return await inSavepoint(call.db, async () => {
      const written = await createCycle(drafts, ids.created, {
        create: ({ one: { path, method } }, data) =>
          targetOf(path, method)[0].create(plain, resolveMembers(data, ids)),
        complete: ({ one: { path, method, data } }, id) =>
          targetOf(path, method)[0].replace(plain, id, resolveMembers(data, ids)),
      });
      const outcomes = new Map<BulkOperation, Outcome>();
      for (const { one, bulkId } of drafts) {
        const { index, method, path } = one;
        const [resources] = targetOf(path, method);
        const shown = await writtenResource(call, resources, written.get(bulkId) ?? 0);
        const answer = { method, bulkId, ...shown, status: "201" };
        outcomes.set(one, { index, isFailure: false, answer });
      }
      return outcomes;
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    ids.created.clear();
    for (const [name, id] of known) ids.created.set(name, id);
    return undefined;
  }
}

/** The IDs that operations can refer to. */
interface BulkIds {
  /** IDs by `bulkId`. */
  readonly created: Map<string, string>;
  /** The `bulkId`s of resources that no operation has tried to create yet. */
  readonly pending: ReadonlySet<string>;
}

async function runOne(call: ScimCall, operation: BulkOperation, ids: BulkIds): Promise<Outcome> {
  const { index, method, bulkId, version } = operation;
  const named = { method, ...(bulkId === undefined ? {} : { bulkId }) };
  const headers = version === undefined ? {} : { "if-match": version };
  try {
    const answer = await inSavepoint(call.db, () => execute({ ...call, headers }, operation, ids));
    return { index, isFailure: false, answer: { ...named, ...answer } };
  } catch (cause) {
    const error = valueFailure(cause);
    if (!(error instanceof Failure)) throw error;
    const status = statusOf(error.code);
    const response: JsonObject = { ...scimErrorBody(status, error) };
    const location = method === "POST" ? {} : { location: `${scimBase(call)}${operation.path}` };
    return {
      index,
      isFailure: true,
      answer: { ...named, ...location, status: String(status), response },
    };
  }
}

async function execute(
  call: ScimCall,
  { method, path, bulkId, data }: BulkOperation,
  ids: BulkIds,
): Promise<JsonObject> {
  const [resources, id] = targetOf(resolved(path, ids), method);
  const input = resolveMembers(data, ids);
  if (method === "DELETE") {
    await resources.remove(call, id);
    return { location: `${scimBase(call)}${resources.store.type.endpoint}/${id}`, status: "204" };
  }
  const written =
    method === "POST"
      ? await resources.create(call, input)
      : await (method === "PUT" ? resources.replace : resources.patch)(call, id, input);
  if (method === "POST" && bulkId !== undefined) ids.created.set(bulkId, String(written));
  const shown = await writtenResource(call, resources, written);
  return { ...shown, status: method === "POST" ? "201" : "200" };
}

/** Returns the resources and the ID that a path names; the ID of a new resource is "". */
function targetOf(path: string, method: string): readonly [Resources, string] {
  const [, kind = "", id = ""] = /^\/(Users|Groups)(?:\/([^/]+))?$/i.exec(path) ?? [];
  const isKnown = ["POST", "PUT", "PATCH", "DELETE"].includes(method);
  if (kind === "" || !isKnown || (method === "POST") !== (id === "")) {
    throw scimError("invalidSyntax", `${method} ${path} is not an operation of a bulk request`);
  }
  return [kind.toLowerCase() === "users" ? users : groups, id];
}

function operationsOf(body: JsonObject): readonly BulkOperation[] {
  const given = operationList(body);
  if (given.length > bulkOperationsMax) {
    throw new Failure(
      "too_large",
      `a bulk request has at most ${bulkOperationsMax} operations; this has ${given.length}`,
    );
  }
  const operations = given.map(operationOf);
  const ids = operations.flatMap(({ bulkId }) => bulkId ?? []);
  if (new Set(ids).size < ids.length)
    throw scimError("invalidSyntax", "two operations have the same bulkId");
  return operations;
}

function operationOf(given: JsonValue, index: number): BulkOperation {
  const where = `Operations[${index}]`;
  if (!isObject(given)) throw scimError("invalidSyntax", `${where} must be an object`);
  const { method, path, bulkId, version, data = {} } = given;
  if (typeof method !== "string" || typeof path !== "string" || !isObject(data)) {
    throw scimError("invalidSyntax", `${where} needs method and path, and data must be an object`);
  }
  const name = method.toUpperCase();
  if (name === "POST" && typeof bulkId !== "string") {
    throw scimError("invalidSyntax", `${where} needs a bulkId: it creates a resource`);
  }
  return {
    index,
    method: name,
    path,
    bulkId: typeof bulkId === "string" ? bulkId : undefined,
    version: typeof version === "string" ? version : undefined,
    data,
    references: referencesOf({ path, data }),
  };
}

/** Returns the `bulkId`s that the path and the values of an operation refer to. */
function referencesOf({ path, data }: Pick<BulkOperation, "path" | "data">): readonly string[] {
  const inPath = path.split("/").flatMap((part) => reference.exec(part)?.[1] ?? []);
  const found: string[] = [];
  const waiting: (JsonValue | undefined)[] = [data];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value === "string") found.push(...(reference.exec(value)?.slice(1) ?? []));
    else if (isObject(value) || Array.isArray(value))
      waiting.push(...Object.values(value).map((one) => (one ?? null) as JsonValue));
  }
  return [...inPath, ...found];
}

function resolveMembers(data: JsonObject, ids: BulkIds): JsonObject {
  return JSON.parse(JSON.stringify(data), (_, value: unknown) =>
    typeof value === "string" ? resolved(value, ids) : value,
  ) as JsonObject;
}

/**
 * Replaces `bulkId:ID` by the ID of the resource. Throws `invalidValue` if it was not created, and `conflict` if it waits
 * for this operation, as RFC 7644 describes for circular references.
 */
function resolved(text: string, { created, pending }: BulkIds): string {
  const parts = text.startsWith("/") ? text.split("/") : [text];
  const found = parts.map((part) => {
    const name = reference.exec(part)?.[1];
    if (name === undefined) return part;
    const id = created.get(name);
    if (id === undefined && pending.has(name)) {
      const message = `${part} and this operation refer to each other; add the members afterwards`;
      throw new Failure("conflict", message, { details: { scimType: null } });
    }
    if (id === undefined) throw scimError("invalidValue", `no operation created ${part}`);
    return id;
  });
  return found.join("/");
}
