// Inventories on a shelf: the same reading, locking and journal as with files, over whatever keeps the texts.
import { randomBytes } from "node:crypto";
import { limits } from "../../core/limits.ts";
import type { Inventory } from "../model/index.ts";
import { inventoryOf, requireSameStack, renderInventory } from "./format.ts";
import { type InventorySnapshot, LockedInventory, type Lease } from "./locked-inventory.ts";
import {
  emptyInventory,
  headerOf,
  headerLine,
  journalOf,
  type JournalHeader,
  replay,
  recordsSince,
} from "./journal.ts";
import {
  type InventoryLabel,
  lockedError,
  lockLostError,
  wrongLockError,
} from "./lock-messages.ts";
import { hasExited, currentProcess, currentHolder } from "../operator/lock-process.ts";
import type { LockRequest, RemoteBackend, RemoteInventory } from "./remote-backend.ts";
import { indexOwners, type OwnerIndex } from "./other-inventories.ts";
import type { InventoryStore, JournalRecord } from "./store.ts";

/** What a store over a shelf takes from its surroundings. */
export interface RemoteInventoryOptions {
  /** Milliseconds since 1970; for the holder's own look at its lease. */
  readonly now?: (() => number) | undefined;
  /** Who locks, as others will read it; user, host and process when not given. */
  readonly holder?: string | undefined;
  /** The stack's folder as commands in messages name it. */
  readonly displayPath?: string | undefined;
}

/** The inventory of `stack` on a shelf. Fails with `corrupt` for one of a newer format, or another stack's. */
export function remoteInventory(
  backend: RemoteBackend,
  stack: string,
  options: RemoteInventoryOptions = {},
): InventoryStore {
  const about: InventoryLabel = { location: backend.location, displayPath: options.displayPath };
  const salt = randomBytes(32).toString("hex");
  let owners: OwnerIndex | undefined;
  return {
    read: async () => {
      owners = undefined;
      const { written, records } = readSnapshot(await backend.load(), {
        stack,
        salt,
        location: about.location,
      });
      return replay(written, records);
    },
    owner: async (origin, kind, key) => {
      owners ??= await indexOthers(backend, stack);
      return owners(origin, kind, key);
    },
    lock: async (purpose) => {
      owners = undefined;
      const request = lockRequestFor(purpose, options);
      const taken = await acquireLock(backend, request);
      if ("heldBy" in taken) throw lockedError(about, taken.heldBy);
      try {
        const stored = await backend.load();
        const from = readSnapshot(stored, { stack, salt, location: about.location });
        const lease = createLease(backend, {
          label: about,
          lock: request,
          snapshot: from,
          appendCount: stored.appendCount,
        });
        const now = options.now ?? Date.now;
        const info = { ...request, expiresAt: taken.until };
        return new LockedInventory(lease, { info, written: from.written, now });
      } catch (error) {
        await backend.releaseLock(request.id);
        throw error;
      }
    },
    unlock: async (id) => {
      const holder = await backend.lockHolder();
      if (holder?.id === id && (await backend.releaseLock(id))) return;
      throw wrongLockError(about, id, holder);
    },
    close: () => backend.close(),
  };
}

/** The lock of a process of this machine that is gone holds nobody up: just that one is given back first. */
async function acquireLock(
  backend: RemoteBackend,
  request: LockRequest,
): ReturnType<RemoteBackend["acquireLock"]> {
  const taken = await backend.acquireLock(request);
  const by = "heldBy" in taken ? taken.heldBy : undefined;
  if (by?.process === undefined || !hasExited(by.process)) return taken;
  await backend.releaseLock(by.id);
  return backend.acquireLock(request);
}

function lockRequestFor(
  purpose: string,
  { holder, now = Date.now }: RemoteInventoryOptions,
): LockRequest {
  return {
    id: crypto.randomUUID(),
    purpose,
    holder: holder ?? currentHolder(),
    acquiredAt: new Date(now()).toISOString(),
    process: currentProcess(),
  };
}

interface ReadContext {
  /** Undefined for whichever it is. */
  readonly stack: string | undefined;
  readonly salt: string;
  readonly location: string;
}

function readSnapshot(
  { content, lines }: RemoteInventory,
  { stack, salt, location: where }: ReadContext,
): InventorySnapshot {
  const journal = lines.length === 0 ? undefined : journalOf(lines, `journal of ${where}`);
  const written =
    content === undefined ? emptyInventory(journal, stack, salt) : inventoryOf(content, where);
  requireSameStack(stack ?? written.stack, written, where);
  return { written, records: recordsSince(written, journal, `journal of ${where}`) };
}

async function indexOthers(backend: RemoteBackend, stack: string): Promise<OwnerIndex> {
  const others = await backend.loadOthers();
  const read = others.map(({ where, ...stored }) => {
    const { written, records } = readSnapshot(stored, {
      stack: undefined,
      salt: "",
      location: where,
    });
    return replay(written, records);
  });
  return indexOwners(read, stack);
}

interface LeaseOptions {
  readonly label: InventoryLabel;
  readonly lock: LockRequest;
  readonly snapshot: InventorySnapshot;
  /** Calls that the journal holds already. */
  readonly appendCount: number;
}

function createLease(
  backend: RemoteBackend,
  { label: about, lock: request, snapshot: from, appendCount: calls }: LeaseOptions,
): Lease {
  const { id } = request;
  let header: JournalHeader = headerOf(from.written);
  let position = calls;
  /** One after the other: each says at which position it goes on. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const next = last.then(act);
    last = next.catch(() => undefined);
    return next;
  };
  const kept = async (done: Promise<boolean>): Promise<void> => {
    if (!(await done)) throw lockLostError(about, id, await backend.lockHolder());
  };
  return {
    ...about,
    renew: async (info) => {
      const expiresAt = await backend.renewLock(request);
      return expiresAt === undefined ? undefined : { ...info, expiresAt };
    },
    holder: () => backend.lockHolder(),
    append: (records) =>
      inTurn(async () => {
        if (records.length === 0) return;
        for (const lines of batches(position === 0 ? [headerLine(header), ...records] : records)) {
          await kept(backend.append(id, { position, lines }));
          position += 1;
        }
      }),
    replace: (next: Inventory) =>
      inTurn(async () => {
        await kept(backend.replace(id, [...renderInventory(next)].join("")));
        header = headerOf(next);
        position = 0;
      }),
    release: () => inTurn(async () => void (await backend.releaseLock(id))),
  };
}

/** Lines in portions that one call can carry; a single one that is longer goes alone. */
function* batches(records: readonly (JournalRecord | object)[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const record of records) {
    const line = JSON.stringify(record);
    // As a text within JSON it is longer.
    const length = 2 * Buffer.byteLength(line);
    if (
      batch.length > 0 &&
      (batch.length >= limits.journalLines || bytes + length > limits.journalBytes)
    ) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(line);
    bytes += length;
  }
  if (batch.length > 0) yield batch;
}
