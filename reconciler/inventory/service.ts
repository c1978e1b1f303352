// Stores inventories at the service, as states with a common prefix.
import {
  appendStateJournal,
  deleteState,
  findStates,
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
import type { Client, ClientOptions } from "../../client/types.ts";
import { type ErrorCode, Failure, isFailure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import type { AnswerOf, Operation } from "../../core/operation/operation.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import { inventoryFormat, parseJson } from "./format.ts";
import { type LockingProcess, processSchema } from "../operator/lock-process.ts";
import type { Backend, Lease, LoadInventory, LockRequest, StoredInventory } from "./backend.ts";
import { rejectTooMany, textsOfOwners } from "./owner-index.ts";
import type { LockInfo } from "./store.ts";
import { readContent, writeContent } from "./state-parts.ts";

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

/** The server that stores inventories, and the credential for it. */
export interface StoreAccess extends Pick<
  ClientOptions,
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
  readonly backend: (stack: string) => Backend;
}

/** Connects to the server over separate connections. */
export function stateServer(access: StoreAccess): StateServer {
  // Ctrl-C must not cancel the record of a run's end.
  const client = createClient({ ...access, concurrency: 2 });
  const offers = async (operations: readonly Operation[]): Promise<boolean> => {
    const offer = await (access.apiDiscovery?.() ?? client.discoverApi());
    return operations.every((operation) => offer.has(operation));
  };
  return {
    origin: client.origin,
    keepsInventories: () => offers(requiredOperations),
    backend: (stack) => serviceBackend(client, stack, offers),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function serviceBackend(
  client: Client,
  stack: string,
  offers: (operations: readonly Operation[]) => Promise<boolean>,
): Backend {
  const name = `${prefix}${stack}`;
  const where = locationOf(client, name);
  const request = { params: { name } };
  const guarded = async <T>(call: () => Promise<T>): Promise<T> => {
    if (!(await offers(requiredOperations)))
      throw new Failure("not_offered", `${client.origin} offers no states`, {
        remedy: "Name a file or a database as the stack's inventory.",
      });
    return call().catch((error: unknown) => permissionRequired(error, where));
  };
  const load = (state: string): LoadInventory => {
    return () => loadState(client, state);
  };
  return {
    location: where,
    isServer: true,
    load: () => guarded(load(name)),
    others: (objects) =>
      guarded(async () => {
        const texts = (await offers([findStates])) ? textsOfOwners(objects) : undefined;
        const names =
          texts === undefined
            ? (await client.all(listStates, { query: { prefix } })).map((state) => state.name)
            : (await client.call(findStates, { body: { prefix, format: inventoryFormat, texts } }))
                .names;
        const others = names.filter((other) => other !== name);
        rejectTooMany(client.origin, others.length);
        return others.map(load);
      }),
    lock: stateLease(client, name, guarded),
    ownership: stateLease(client, ownershipName, guarded),
    append: (id, { position, text }) => {
      const body = { position, lines: [text] };
      return isHeld(
        client.call(appendStateJournal, { ...request, query: { ID: id }, body }, whileHeld),
      );
    },
    replace: (id, content) => {
      const put = (body: JsonObject): Promise<boolean> =>
        isHeld(client.call(putState, { ...request, query: { ID: id }, body }, whileHeld));
      return guarded(() => writeContent(client, { stack, texts: content }, put));
    },
    calls: () => client.stats.calls,
    // The server object owns the connections.
    close: () => Promise.resolve(),
  };
}

/** The lock of the state `name`; `guarded` wraps calls that may be the first of a run. */
function stateLease(
  client: Client,
  name: string,
  guarded: <T>(call: () => Promise<T>) => Promise<T>,
): Lease {
  const at = { params: { name } };
  const holder = async (): Promise<LockInfo | undefined> => {
    const lock = await guarded(() => undefinedIfMissing(client.call(getStateLock, at)));
    return lock && lockInfoOf(lock);
  };
  return {
    acquire: async (request) => {
      const body = lockBody(request);
      const taken = await guarded(() => undefinedIfLost(client.call(lockState, { ...at, body })));
      return taken === undefined
        ? { holder: await holder() }
        : { until: taken.leaseUntil ?? request.acquiredAt };
    },
    renew: async (request) => {
      const body = { ...lockBody(request), renew: true };
      return (await undefinedIfLost(client.call(lockState, { ...at, body })))?.leaseUntil;
    },
    holder,
    release: (id) => isHeld(client.call(unlockState, { ...at, body: { ID: id } }, whileHeld)),
  };
}

function locationOf({ origin }: Client, name: string): string {
  return `state ${name} of ${origin}`;
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
async function loadState(client: Client, name: string): Promise<StoredInventory | undefined> {
  const where = locationOf(client, name);
  const appends = await client.all(listStateJournal, { params: { name } });
  const inOrder = appends.toSorted((left, right) => left.position - right.position);
  // A writer that replaces the content between two pages empties the journal.
  if (inOrder.some(({ position }, index) => position !== index)) return undefined;
  const journal = inOrder.flatMap(({ lines }) => lines).join("");
  const stored = await readContent(client, { name, where });
  return stored && { where, journal, ...stored };
}

type Lock = AnswerOf<typeof getStateLock>;

function lockBody(request: LockRequest) {
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
  const request = { id: ID, purpose: Operation, holder: Who, acquiredAt: Created, expiresAt };
  const process = parseJson(Info);
  const isProcess = validateProcess(process).length === 0;
  return isProcess ? { ...request, process: process as LockingProcess } : request;
}

/** Returns undefined if the object of a call does not exist. */
function undefinedIfMissing<T>(call: Promise<T>): Promise<T | undefined> {
  return undefinedIf(["not_found"], call);
}

/** Returns undefined if another lock, or none, is held. */
function undefinedIfLost<T>(call: Promise<T>): Promise<T | undefined> {
  return undefinedIf(["locked", "conflict", "not_found"], call);
}

async function isHeld(call: Promise<unknown>): Promise<boolean> {
  return (await undefinedIfLost(call)) !== undefined;
}

async function undefinedIf<T>(
  codes: readonly ErrorCode[],
  call: Promise<T>,
): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (isFailure(error) && codes.includes(error.code)) return undefined;
    throw error;
  });
}
