// The right to write an inventory file: the lock file is looked at right before every write.
import type { Inventory } from "../model.ts";
import { onDisk, writeWhole } from "./durable.ts";
import { renderInventory } from "./format.ts";
import { type HeldFrom, type Hold, isExpired } from "./held.ts";
import { headerOf, JournalWriter } from "./journal.ts";
import { drop, type LeaseTerms, lockPath, readLock, renew } from "./lease.ts";
import { lockLost } from "./messages.ts";
import type { LockInfo } from "./store.ts";

/**
 * The hold on an inventory file; writes its journal anew. Between the last look at the lock and the rename lie microseconds
 * in which a process that was stopped for longer than its lease could still overwrite its successor; no file system offers less.
 */
export function fileHold(terms: LeaseTerms, { id }: LockInfo, from: HeldFrom): Hold {
  const { path, now } = terms;
  const about = { where: path, seenAt: terms.seenAt };
  const found = () => readLock(lockPath(path));
  /** Synchronous, so that nothing comes between it and the write. */
  const mustHold = (): void => {
    const current = found();
    if (current?.id !== id || isExpired(current, now())) throw lockLost(about, id, current);
  };
  const journal = new JournalWriter(path, headerOf(from.written), mustHold);
  journal.start(from.records);
  return {
    ...about,
    renew: (info) => onDisk(path, () => renew(terms, info)),
    holder: () => onDisk(path, found),
    append: (records) => onDisk(path, () => journal.append(records)),
    replace: (next: Inventory) =>
      onDisk(path, async () => {
        await journal.idle();
        writeWhole(path, renderInventory(next), mustHold);
        // A crash before this leaves a journal of an older serial, which nobody reads.
        journal.reset(headerOf(next));
      }),
    release: () =>
      onDisk(path, async () => {
        await journal.idle();
        journal.end(found()?.id === id);
        await drop(terms, id);
      }),
  };
}
