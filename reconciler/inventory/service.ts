// Stores inventories at the service, as states with a common prefix.
import { createHash } from "node:crypto";
import {
  appendStateJournal,
  deleteState,
  getState,
  getStateLock,
  listStateJournal,
  listStates,
  lockState,
  putState,
  unlockState,
} from "../../api/state.ts";
import { createClient } from "../../client/client.ts";
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import type { Client } from "../../client/types.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import type { AnswerOf } from "../../core/operation/operation.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import { parseJson } from "./format.ts";
import { type LockingProcess, processSchema } from "../operator/lock-process.ts";
import { undefinedIfMissing } from "./missing-state.ts";
import type { LockRequest } from "./ownership-lock.ts";
import type { OtherInventory, RemoteBackend, RemoteInventory } from "./remote-backend.ts";
import { rejectTooMany } from "./other-inventories.ts";
import type { LockInfo } from "./store.ts";

const prefix = "svc-inventory.";
/** The state whose lock guards the ownership of objects; its name does not begin like the name of an inventory. */
const ownershipName = "svc-ownership";

const leaseSeconds = limits.leaseMs / 1000;
/** A run that holds the lock keeps trying while the server restarts: its results are recorded nowhere else. */
const whileHeld = { attempts: limits.restartAttempts };

/** The operations that inventories need. */
const requiredOperations = [
  appendStateJournal,
  deleteState,
  getState,
  getStateLock,
  listStateJournal,
  listStates,
  lockState,
  putState,
  unlockState,
];

interface ServiceAccess extends Pick<
  Parameters<typeof createClient>[0],
  "url" | "credential" | "scheme" | "renewCredential" | "requestsPerSecond"
> {
  /** The discovered operations of the server, if known. */
  readonly apiDiscovery?: (() => Promise<ApiDiscovery>) | undefined;
}

/** A server that may store inventories. */
export interface StateServer extends AsyncDisposable {
  readonly origin: string;
  /** True if the server offers all operations that inventories need. */
  readonly keepsInventories: () => Promise<boolean>;
  /**
   * Returns the place of a stack's inventory. Its calls fail with `not_offered` if the server has no states, and with
   * `forbidden` without the permission StateRead or StateWrite.
   */
  readonly backend: (stack: string) => RemoteBackend;
}

/** Connects to the server over separate connections. */
export function stateServer(access: ServiceAccess): StateServer {
  // Ctrl-C must not cancel the record of a run's end.
  const client = createClient({ ...access, concurrency: 2 });
  const keepsInventories = async (): Promise<boolean> => {
    const offer = await (access.apiDiscovery?.() ?? client.discoverApi());
    return requiredOperations.every((operation) => offer.has(operation));
  };
  return {
    origin: client.origin,
    keepsInventories,
    backend: (stack) =>
      serviceBackend(client, stack, () => requireStates(client, keepsInventories)),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function serviceBackend(client: Client, stack: string, mayAsk: () => Promise<void>): RemoteBackend {
  const name = nameFor(stack);
  const where = `state ${name} of ${client.origin}`;
  const at = { params: { name } };
  const guarded = async <T>(call: () => Promise<T>): Promise<T> => {
    await mayAsk();
    return call().catch((error: unknown) => permissionRequired(error, where));
  };
  const lock = stateLock(client, name, guarded);
  return {
    location: where,
    isServer: true,
    load: () => guarded(() => loadInventory(client, name)),
    loadOthers: async function* () {
      await mayAsk();
      yield* loadOtherInventories(client, name);
    },
    ...lock,
    ownership: stateLock(client, ownershipName, guarded),
    append: async (id, { position, lines }) => {
      const body = { position, lines: [...lines] };
      const call = client.call(appendStateJournal, { ...at, query: { ID: id }, body }, whileHeld);
      return (await undefinedIfLocked(call)) !== undefined;
    },
    replace: async (id, content) => {
      const body = parseJson(content) as JsonObject;
      const call = client.call(putState, { ...at, query: { ID: id }, body }, whileHeld);
      return (await undefinedIfLocked(call)) !== undefined;
    },
    writePart: async (text) => {
      const part = `${partPrefixOf(stack)}${crypto.randomUUID()}`;
      const input = { params: { name: part }, query: {}, body: { text } };
      await guarded(() => client.call(putState, input, whileHeld));
      return part;
    },
    readPart: async (part) => {
      const call = client.call(getState, { params: { name: part }, query: {} });
      const content = await guarded(() => undefinedIfMissing(call));
      return typeof content?.["text"] === "string" ? content["text"] : undefined;
    },
    deleteOrphanedParts: (referenced) =>
      guarded(() => deleteOrphanedParts(client, partPrefixOf(stack), referenced)),
    // The server object owns the connections.
    close: () => Promise.resolve(),
  };
}

type LockOperations = Pick<
  RemoteBackend,
  "acquireLock" | "renewLock" | "lockHolder" | "releaseLock"
>;

/** Locks the state `name`; `guarded` wraps each call with the usual checks. */
function stateLock(
  client: Client,
  name: string,
  guarded: <T>(call: () => Promise<T>) => Promise<T>,
): LockOperations {
  const where = `state ${name} of ${client.origin}`;
  const at = { params: { name } };
  const holder = async (): Promise<LockInfo | undefined> => {
    const lock = await guarded(() => undefinedIfMissing(client.call(getStateLock, at)));
    return lock && lockInfoOf(lock);
  };
  return {
    acquireLock: async (request) => {
      const body = lockRequestBody(request);
      const taken = await guarded(() => undefinedIfLocked(client.call(lockState, { ...at, body })));
      if (taken !== undefined) return { until: taken.leaseUntil ?? request.acquiredAt };
      const current = await holder();
      if (current !== undefined) return { holder: current };
      throw new Failure("locked", `other runs keep taking the lock on ${where}`, {
        remedy: "Try again.",
      });
    },
    renewLock: async (request) => {
      const body = { ...lockRequestBody(request), renew: true };
      const renewed = await undefinedIfLocked(client.call(lockState, { ...at, body }));
      return renewed?.leaseUntil;
    },
    lockHolder: holder,
    releaseLock: async (id) => {
      const call = client.call(unlockState, { ...at, body: { ID: id } }, whileHeld);
      return (await undefinedIfLocked(call)) !== undefined;
    },
  };
}

function nameFor(stack: string): string {
  const name = `${prefix}${stack}`;
  if (name.length <= 200) return name;
  throw new Failure(
    "usage",
    `the name of the stack ${stack} is too long for an inventory at the service`,
    {
      remedy: "Shorten it, or store its inventory elsewhere.",
    },
  );
}

async function requireStates(
  { origin }: Client,
  keepsInventories: () => Promise<boolean>,
): Promise<void> {
  if (await keepsInventories()) return;
  throw new Failure("not_offered", `${origin} offers no states`, {
    remedy: "Name a file or a database as the stack's inventory.",
  });
}

/** Fails instead of using another place, which would not know the objects that the stack owns. */
function permissionRequired(error: unknown, where: string): never {
  if (!isFailure(error, "forbidden")) throw error;
  const what = `the stack's inventory is the ${where}, which this credential cannot use`;
  throw new Failure("forbidden", `${what}: ${error.message}`, {
    cause: error,
    remedy:
      "Use the credential of an administrator, or one whose `states` contain the inventory (`read` to plan, `write` to apply), or store the inventory elsewhere: `inventory: file` or `inventory: postgres` in the Stack. See docs/how-to/plan-with-a-read-only-key.md.",
  });
}

/** Reads the journal before the content: content that is written in between contains the changes in the journal. */
async function loadInventory(client: Client, name: string): Promise<RemoteInventory> {
  const calls = await client.all(listStateJournal, { params: { name } });
  const inOrder = calls.toSorted((one, other) => one.position - other.position);
  const content = await undefinedIfMissing(client.call(getState, { params: { name }, query: {} }));
  const lines = inOrder.flatMap((call) => call.lines).map(parseJson);
  return { content, lines, appendCount: inOrder.length };
}

async function* loadOtherInventories(client: Client, own: string): AsyncGenerator<OtherInventory> {
  const states = await client.all(listStates, { query: { prefix } });
  const names = states.map(({ name }) => name).filter((name) => name !== own);
  rejectTooMany(client.origin, names.length);
  for (const name of names) {
    yield { ...(await loadInventory(client, name)), where: `state ${name} of ${client.origin}` };
  }
}

/** Names of parts do not begin like names of inventories, so that no listing of inventories contains them. */
function partPrefixOf(stack: string): string {
  return `svc-part.${createHash("sha256").update(stack).digest("hex").slice(0, 16)}.`;
}

/** Compares only times of the server. A part in use by a slow writer is younger than the limit. */
async function deleteOrphanedParts(
  client: Client,
  partPrefix: string,
  referenced: ReadonlySet<string>,
): Promise<void> {
  const parts = await client.all(listStates, { query: { prefix: partPrefix } });
  const newest = Math.max(...parts.map(({ updatedAt }) => Date.parse(updatedAt)));
  for (const { name, updatedAt } of parts) {
    const isOld = newest - Date.parse(updatedAt) > limits.orphanedPartMs;
    if (isOld && !referenced.has(name)) {
      await client.call(deleteState, { params: { name }, query: {} });
    }
  }
}

type Lock = AnswerOf<typeof getStateLock>;

function lockRequestBody(request: LockRequest) {
  return {
    ID: request.id,
    Operation: request.purpose,
    Info: JSON.stringify(request.process),
    Who: request.holder,
    Created: request.acquiredAt,
    leaseSeconds,
  };
}

const validateProcess = declaredValidator(processSchema);

function lockInfoOf({
  ID,
  Operation = "",
  Info = "",
  Who = "unknown",
  Created = "",
  leaseUntil,
}: Lock): LockInfo {
  const expiresAt = leaseUntil ?? "released";
  const known = { id: ID, purpose: Operation, holder: Who, acquiredAt: Created, expiresAt };
  const process = parseJson(Info);
  const isProcess = validateProcess(process).length === 0;
  return isProcess ? { ...known, process: process as LockingProcess } : known;
}

/** Returns undefined if another lock, or none, is held. */
async function undefinedIfLocked<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (isFailure(error) && ["locked", "conflict", "not_found"].includes(error.code)) {
      return undefined;
    }
    throw error;
  });
}
