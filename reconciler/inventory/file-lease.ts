// Implements the lease on an inventory file; checks the lock file before each write.
import type { Inventory } from "../model/index.ts";
import { withDiskErrors, writeAtomically } from "../operator/atomic-write.ts";
import { renderInventory } from "./format.ts";
import { type InventorySnapshot, type Lease, isExpired } from "./locked-inventory.ts";
import { headerOf, JournalWriter } from "./journal.ts";
import { removeLock, type LockFileContext, lockPath, readLock, renew } from "./lock-file.ts";
import { lockLostError } from "./lock-messages.ts";
import type { LockInfo } from "./store.ts";

/**
 * Creates the lease and starts a new journal file. A process that was stopped for longer than its lease could still
 * overwrite its successor in the microseconds between the last check and the rename; no file system prevents that.
 */
export function fileLease(
  terms: LockFileContext,
  { id }: LockInfo,
  from: InventorySnapshot,
): Lease {
  const { path, now } = terms;
  const about = { location: path, displayPath: terms.displayPath };
  const found = () => readLock(lockPath(path));
  /** Synchronous, so that nothing runs between the check and the write. */
  const mustHold = (): void => {
    const current = found();
    if (current?.id !== id || isExpired(current, now())) throw lockLostError(about, id, current);
  };
  const journal = new JournalWriter(path, headerOf(from.written), mustHold);
  journal.start(from.records);
  return {
    ...about,
    renew: (info) => withDiskErrors(path, () => renew(terms, info)),
    holder: () => withDiskErrors(path, found),
    append: (records) => withDiskErrors(path, () => journal.append(records)),
    replace: (next: Inventory) =>
      withDiskErrors(path, async () => {
        await journal.idle();
        writeAtomically(path, renderInventory(next), mustHold);
        // A crash here leaves a journal of an older serial, which readers ignore.
        journal.reset(headerOf(next));
      }),
    release: () =>
      withDiskErrors(path, async () => {
        await journal.idle();
        journal.end(found()?.id === id);
        await removeLock(terms, id);
      }),
  };
}
