// Inventories kept by the service itself, as states whose names begin alike.
import {
  appendStateJournal,
  getState,
  getStateLock,
  listStateJournal,
  listStates,
  lockState,
  putState,
  unlockState,
} from "../../api/state.ts";
import { createClient } from "../../client/client.ts";
import type { Client } from "../../client/types.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import type { AnswerOf } from "../../core/operation.ts";
import { parseJson } from "./format.ts";
import type { LockWish, Shelf, Shelved } from "./shelf.ts";
import { refuseTooMany } from "./siblings.ts";
import type { LockInfo } from "./store.ts";

const prefix = "svc-inventory.";
const leaseSeconds = limits.leaseMs / 1000;

type Access = Pick<Parameters<typeof createClient>[0], "url" | "credential" | "scheme">;

/** The place of a stack's inventory on the server that `access` reaches. Fails with `not_offered` where that keeps none. */
export function serviceShelf(access: Access, stack: string): Shelf {
  // A client of its own: neither Ctrl-C nor the stack's own limits are to keep the end of a run from being recorded.
  const client = createClient({ ...access, concurrency: 2 });
  const name = nameFor(stack);
  const where = `state ${name} of ${client.origin}`;
  const at = { params: { name } };
  let offered: Promise<void> | undefined;
  const ready = async (): Promise<void> => (offered ??= mustOffer(client));
  const holder = async (): Promise<LockInfo | undefined> => {
    const lock = await unlessMissing(client.call(getStateLock, at));
    return lock && lockOf(lock);
  };
  return {
    where,
    load: async () => {
      await ready();
      return loaded(client, name);
    },
    others: async () => othersOn(client, name),
    take: async (wish) => {
      await ready();
      const taken = await unlessLocked(client.call(lockState, { ...at, body: asked(wish) }));
      if (taken !== undefined) return { until: taken.leaseUntil ?? wish.acquiredAt };
      const heldBy = await holder();
      if (heldBy !== undefined) return { heldBy };
      throw new Failure("locked", `Others keep taking the lock on ${where}.`, {
        remedy: "Try again.",
      });
    },
    renew: async (wish) => {
      const body = { ...asked(wish), renew: true };
      const renewed = await unlessLocked(client.call(lockState, { ...at, body }));
      return renewed?.leaseUntil;
    },
    holder,
    give: async (id) =>
      (await unlessLocked(client.call(unlockState, { ...at, body: { ID: id } }))) !== undefined,
    append: async (id, { position, lines }) => {
      const body = { position, lines: [...lines] };
      const call = client.call(appendStateJournal, { ...at, query: { ID: id }, body });
      return (await unlessLocked(call)) !== undefined;
    },
    replace: async (id, content) => {
      const body = parseJson(content) as JsonObject;
      const call = client.call(putState, { ...at, query: { ID: id }, body });
      return (await unlessLocked(call)) !== undefined;
    },
    close: () => client.close(),
  };
}

function nameFor(stack: string): string {
  const name = `${prefix}${stack}`;
  if (name.length <= 200) return name;
  throw new Failure("usage", `the name of the stack ${stack} is too long for the service to keep`, {
    remedy: "Shorten it, or keep its inventory elsewhere.",
  });
}

async function mustOffer(client: Client): Promise<void> {
  const offer = await client.offered();
  if ([getState, putState, lockState, appendStateJournal].every((one) => offer.has(one))) return;
  throw new Failure("not_offered", `${client.origin} keeps no states`, {
    remedy: "Name a file or a database as the stack's inventory.",
  });
}

/** The journal first: a content that was written meanwhile says all that it does, and empties it. */
async function loaded(client: Client, name: string): Promise<Shelved> {
  const calls = await client.all(listStateJournal, { params: { name } });
  const inOrder = calls.toSorted((one, other) => one.position - other.position);
  const content = await unlessMissing(client.call(getState, { params: { name }, query: {} }));
  const lines = inOrder.flatMap((call) => call.lines).map(parseJson);
  return { content, lines, calls: inOrder.length };
}

async function othersOn(client: Client, own: string) {
  const states = await client.all(listStates, { query: { prefix } });
  const names = states.map(({ name }) => name).filter((name) => name !== own);
  refuseTooMany(client.origin, names.length);
  const found = [];
  for (const name of names) {
    found.push({ ...(await loaded(client, name)), where: `state ${name} of ${client.origin}` });
  }
  return found;
}

type Lock = AnswerOf<typeof getStateLock>;

function asked(wish: LockWish) {
  return {
    ID: wish.id,
    Operation: wish.purpose,
    Who: wish.holder,
    Created: wish.acquiredAt,
    leaseSeconds,
  };
}

function lockOf({
  ID,
  Operation = "",
  Who = "somebody",
  Created = "",
  leaseUntil,
}: Lock): LockInfo {
  const expiresAt = leaseUntil ?? "it is given back";
  return { id: ID, purpose: Operation, holder: Who, acquiredAt: Created, expiresAt };
}

/** Undefined where the lock is somebody else's, or nobody's any more. */
async function unlessLocked<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (isFailure(error) && ["locked", "conflict", "not_found"].includes(error.code)) {
      return undefined;
    }
    throw error;
  });
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (isFailure(error, "not_found")) return undefined;
    throw error;
  });
}
