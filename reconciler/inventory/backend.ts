// Defines what a store provides: for each stack a content with a journal, and locks with leases. Every write names a lock,
// and is a compare-and-swap: it has no effect unless that lock is held.
import type { LockInfo, OwnedObject } from "./store.ts";

/** A lock to acquire. */
export type LockRequest = Omit<LockInfo, "expiresAt">;

/** When an acquired lock expires, or who holds it; undefined if the holder changed meanwhile. */
export type LockResult = { readonly until: string } | { readonly holder: LockInfo | undefined };

/** A lock that ends with its lease. Only the store decides who holds it, by its own clock. */
export interface Lease {
  /** Acquires the lock for one lease. */
  acquire(request: LockRequest): Promise<LockResult>;
  /** Extends the lease; returns undefined if this lock is no longer held. */
  renew(request: LockRequest): Promise<string | undefined>;
  /** Returns the lock whose lease has not expired. */
  holder(): Promise<LockInfo | undefined>;
  /** Releases the lock with this id; returns false if it is not held. */
  release(id: string): Promise<boolean>;
}

/** What a store contains of one stack, read as of one moment. */
export interface StoredInventory {
  /** As messages name it. */
  readonly where: string;
  /** The written inventory, parsed; undefined if it was never written. */
  readonly content: unknown;
  /** The text of the journal since the last write; empty without one. */
  readonly journal: string;
}

/** Reads an inventory; undefined if a writer replaced it meanwhile. */
export type LoadInventory = () => Promise<StoredInventory | undefined>;

/** The place of one stack's inventory. Each call is one step of the store. Its errors are thrown as failures. */
export interface Backend {
  /** As messages name it; contains no secret. */
  readonly location: string;
  /** True if the store is the server of all objects in its inventories, whatever address they record. */
  readonly isServer: boolean;
  readonly load: LoadInventory;
  /** Lists the inventories of the other stacks of the store that may own one of these objects, among them each with a journal. */
  others(objects: readonly OwnedObject[]): Promise<readonly LoadInventory[]>;
  /** The lock of the inventory. */
  readonly lock: Lease;
  /** The lock on the ownership of all objects of the store. */
  readonly ownership: Lease;
  /** Appends a text at a position of the journal, counted in appends since the last write. */
  append(
    lockId: string,
    piece: { readonly position: number; readonly text: string },
  ): Promise<boolean>;
  /** Writes the content, in pieces, and empties the journal. */
  replace(lockId: string, content: Iterable<string>): Promise<boolean>;
  /** Returns the number of calls to the service so far; left out for another place. */
  readonly calls?: (() => number) | undefined;
  /** Closes the connections. */
  close(): Promise<void>;
}
