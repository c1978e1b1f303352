// Inventories on a shelf: the same reading, locking and journal as with files, over whatever keeps the texts.
import { randomBytes } from "node:crypto";
import { limits } from "../../core/limits.ts";
import type { Inventory } from "../model.ts";
import { inventoryOf, mustBelongTo, renderInventory } from "./format.ts";
import { type HeldFrom, HeldInventory, type Hold } from "./held.ts";
import {
  freshInventory,
  headerOf,
  headLine,
  journalOf,
  type JournalHeader,
  play,
  recordsSince,
} from "./journal.ts";
import { type About, lockHeld, lockLost, notThisLock } from "./messages.ts";
import { isGone, ourProcess, ourselves } from "./process.ts";
import type { LockWish, Shelf, Shelved } from "./shelf.ts";
import { indexOwners, type OwnerIndex } from "./siblings.ts";
import type { InventoryStore, JournalRecord } from "./store.ts";

/** What a store over a shelf takes from its surroundings. */
export interface ShelvedOptions {
  /** Milliseconds since 1970; for the holder's own look at its lease. */
  readonly now?: (() => number) | undefined;
  /** Who locks, as others will read it; user, host and process when not given. */
  readonly holder?: string | undefined;
  /** The stack's folder as commands in messages name it. */
  readonly seenAt?: string | undefined;
}

/** The inventory of `stack` on a shelf. Fails with `corrupt` for one of a newer format, or another stack's. */
export function shelvedInventory(
  shelf: Shelf,
  stack: string,
  options: ShelvedOptions = {},
): InventoryStore {
  const about: About = { where: shelf.where, seenAt: options.seenAt };
  const salt = randomBytes(32).toString("hex");
  let owners: OwnerIndex | undefined;
  return {
    read: async () => {
      owners = undefined;
      const { written, records } = readFrom(await shelf.load(), {
        stack,
        salt,
        where: about.where,
      });
      return play(written, records);
    },
    owner: async (origin, kind, key) => {
      owners ??= await indexOthers(shelf, stack);
      return owners(origin, kind, key);
    },
    lock: async (purpose) => {
      owners = undefined;
      const wish = wishFor(purpose, options);
      const taken = await takenFrom(shelf, wish);
      if ("heldBy" in taken) throw lockHeld(about, taken.heldBy);
      try {
        const shelved = await shelf.load();
        const from = readFrom(shelved, { stack, salt, where: about.where });
        const hold = holdOn(shelf, { about, wish, from, calls: shelved.calls });
        const now = options.now ?? Date.now;
        const info = { ...wish, expiresAt: taken.until };
        return new HeldInventory(hold, { info, written: from.written, now });
      } catch (error) {
        await shelf.give(wish.id);
        throw error;
      }
    },
    unlock: async (id) => {
      const holder = await shelf.holder();
      if (holder?.id === id && (await shelf.give(id))) return;
      throw notThisLock(about, id, holder);
    },
    close: () => shelf.close(),
  };
}

/** The lock of a process of this machine that is gone holds nobody up: just that one is given back first. */
async function takenFrom(shelf: Shelf, wish: LockWish): ReturnType<Shelf["take"]> {
  const taken = await shelf.take(wish);
  const by = "heldBy" in taken ? taken.heldBy : undefined;
  if (by?.process === undefined || !isGone(by.process)) return taken;
  await shelf.give(by.id);
  return shelf.take(wish);
}

function wishFor(purpose: string, { holder, now = Date.now }: ShelvedOptions): LockWish {
  return {
    id: crypto.randomUUID(),
    purpose,
    holder: holder ?? ourselves(),
    acquiredAt: new Date(now()).toISOString(),
    process: ourProcess(),
  };
}

interface Reading {
  /** Undefined for whichever it is. */
  readonly stack: string | undefined;
  readonly salt: string;
  readonly where: string;
}

function readFrom({ content, lines }: Shelved, { stack, salt, where }: Reading): HeldFrom {
  const journal = lines.length === 0 ? undefined : journalOf(lines, `journal of ${where}`);
  const written =
    content === undefined ? freshInventory(journal, stack, salt) : inventoryOf(content, where);
  mustBelongTo(stack ?? written.stack, written, where);
  return { written, records: recordsSince(written, journal, `journal of ${where}`) };
}

async function indexOthers(shelf: Shelf, stack: string): Promise<OwnerIndex> {
  const others = await shelf.others();
  const read = others.map(({ where, ...shelved }) => {
    const { written, records } = readFrom(shelved, { stack: undefined, salt: "", where });
    return play(written, records);
  });
  return indexOwners(read, stack);
}

interface HoldParts {
  readonly about: About;
  readonly wish: LockWish;
  readonly from: HeldFrom;
  /** Calls that the journal holds already. */
  readonly calls: number;
}

function holdOn(shelf: Shelf, { about, wish, from, calls }: HoldParts): Hold {
  const { id } = wish;
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
    if (!(await done)) throw lockLost(about, id, await shelf.holder());
  };
  return {
    ...about,
    renew: async (info) => {
      const expiresAt = await shelf.renew(wish);
      return expiresAt === undefined ? undefined : { ...info, expiresAt };
    },
    holder: () => shelf.holder(),
    append: (records) =>
      inTurn(async () => {
        if (records.length === 0) return;
        for (const lines of batches(position === 0 ? [headLine(header), ...records] : records)) {
          await kept(shelf.append(id, { position, lines }));
          position += 1;
        }
      }),
    replace: (next: Inventory) =>
      inTurn(async () => {
        await kept(shelf.replace(id, [...renderInventory(next)].join("")));
        header = headerOf(next);
        position = 0;
      }),
    release: () => inTurn(async () => void (await shelf.give(id))),
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
