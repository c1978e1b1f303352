// Defines the operations of a remote place for inventories: documents under names, a journal for each, and locks with
// leases.
import type { LockRequest, LockResult, OwnershipLock } from "./ownership-lock.ts";
import type { LockInfo } from "./store.ts";

/** One stack's inventory as the backend stores it, at one moment. */
export interface RemoteInventory {
  /** The written inventory, parsed; undefined if it was never written. */
  readonly content: unknown;
  /** The parsed lines of the journal, in order. */
  readonly lines: readonly unknown[];
  /** Appends to the journal since the last write. */
  readonly appendCount: number;
}

/** The inventory of another stack of the same backend. */
export interface OtherInventory extends RemoteInventory {
  /** As messages name it. */
  readonly where: string;
}

/**
 * The place of one stack's inventory. Each call is one transaction of the store. Only the store decides who holds a
 * lock, by its own clock. Refusals and errors of the store are thrown as failures.
 */
export interface RemoteBackend {
  /** As messages name it; contains no secret. */
  readonly location: string;
  load(): Promise<RemoteInventory>;
  /** Loads the inventories of all other stacks of the store, one after the other. */
  loadOthers(): AsyncIterable<OtherInventory>;
  /** True if the store is the server of all objects in its inventories, whatever address they record. */
  readonly isServer: boolean;
  /** Acquires the lock for one lease. */
  acquireLock(request: LockRequest): Promise<LockResult>;
  /** Extends the lease; returns undefined if this lock is no longer held. */
  renewLock(request: LockRequest): Promise<string | undefined>;
  /** Returns the lock whose lease has not expired by the store's clock. */
  lockHolder(): Promise<LockInfo | undefined>;
  /** Releases the lock with this id; returns false if it is not held. */
  releaseLock(id: string): Promise<boolean>;
  /** Appends lines at a position of the journal if the lock is still held; otherwise returns false. */
  append(
    id: string,
    at: { readonly position: number; readonly lines: readonly string[] },
  ): Promise<boolean>;
  /** Writes the content and empties the journal if the lock is still held; else returns false. */
  replace(id: string, content: string): Promise<boolean>;
  /** The lock on the ownership of all objects of the store. */
  readonly ownership: OwnershipLock;
  /** Stores a part of an inventory and returns its name, which is new. Readers see it once a content names it. */
  writePart(text: string): Promise<string>;
  /** Reads a part, also of another stack's inventory; undefined if it was deleted. */
  readPart(name: string): Promise<string | undefined>;
  /** Deletes this stack's parts other than these, once they are older than `limits.orphanedPartMs`. */
  deleteOrphanedParts(referenced: ReadonlySet<string>): Promise<void>;
  /** Closes the connections. */
  close(): Promise<void>;
}
