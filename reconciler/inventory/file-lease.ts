// Implements the lease on an inventory file; checks the lock file before each write.
import { dirname, join } from "node:path";
import type { Inventory } from "../model/index.ts";
import { writeAtomically } from "../../files/atomic-files.ts";
import { withDiskErrors } from "../operator/disk-errors.ts";
import { renderInventory } from "./format.ts";
import { type InventorySnapshot, type Lease, isExpired } from "./held-lock.ts";
import { headerOf, JournalWriter } from "./journal.ts";
import {
  acquire,
  removeLock,
  type LockFileContext,
  lockPath,
  readLock,
  renew,
} from "./lock-file.ts";
import type { OwnerIndex } from "./other-inventories.ts";
import { type OwnershipLock, withOwnershipLock } from "./ownership-lock.ts";
import { lockLostError } from "./lock-messages.ts";
import type { LockInfo } from "./store.ts";

/** The inputs of a lease on a file. */
export interface FileLeaseOptions {
  readonly snapshot: InventorySnapshot;
  /** Reads the inventories of the other stacks of the folder. */
  readonly owners: () => OwnerIndex;
}

/**
 * Creates the lease and starts a new journal file. A process that was stopped for longer than its lease could still
 * overwrite its successor in the microseconds between the last check and the rename; no file system prevents that.
 */
export function fileLease(
  terms: LockFileContext,
  { id }: LockInfo,
  { snapshot, owners }: FileLeaseOptions,
): Lease {
  const { path, now } = terms;
  const about = { location: path, displayPath: terms.displayPath };
  const found = () => readLock(lockPath(path));
  /** Synchronous, so that nothing runs between the check and the write. */
  const mustHold = (): void => {
    const current = found();
    if (current?.id !== id || isExpired(current, now())) throw lockLostError(about, id, current);
  };
  const journal = new JournalWriter(path, headerOf(snapshot.written), mustHold);
  journal.start(snapshot.records);
  return {
    ...about,
    renew: (info) => withDiskErrors(path, () => renew(terms, info)),
    holder: () => withDiskErrors(path, found),
    append: (records) => withDiskErrors(path, () => journal.append(records)),
    withOwners: (act) =>
      withDiskErrors(path, () =>
        withOwnershipLock(folderOwnership(terms), dirname(path), (requireHeld) =>
          act(owners(), requireHeld),
        ),
      ),
    replace: (next: Inventory) =>
      withDiskErrors(path, async () => {
        await journal.idle();
        writeAtomically(path, renderInventory(next), { beforeRename: mustHold });
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

/** The lock on the ownership of the objects in all inventories of the folder: a lock file beside them. */
function folderOwnership(terms: LockFileContext): OwnershipLock {
  const context = { ...terms, path: join(dirname(terms.path), "ownership") };
  let held: LockInfo | undefined;
  return {
    acquireLock: async ({ purpose }) => {
      held = await acquire(context, purpose);
      return { until: held.expiresAt };
    },
    renewLock: async () => {
      held = held && (await renew(context, held));
      return held?.expiresAt;
    },
    releaseLock: async () => held !== undefined && removeLock(context, held.id),
  };
}
