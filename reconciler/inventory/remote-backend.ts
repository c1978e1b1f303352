// What a store of inventories other than files has to offer: texts under names, a journal for each, and a lock with a lease.
import type { LockInfo } from "./store.ts";

/** What a shelf holds of one inventory, as of one moment. */
export interface RemoteInventory {
  /** The inventory as it was written last, parsed; undefined where it never was. */
  readonly content: unknown;
  /** The values of the journal's lines, in order. */
  readonly lines: readonly unknown[];
  /** Calls that have appended to the journal since then. */
  readonly appendCount: number;
}

/** A lock that somebody wants, or holds. */
export type LockRequest = Omit<LockInfo, "expiresAt">;

/**
 * The place of one stack's inventory among those of others. Each call is one transaction of its store, which alone decides
 * by its own clock who holds the lock. What the store refuses or fails at is told as a failure.
 */
export interface RemoteBackend {
  /** As messages name it; no secret in it. */
  readonly location: string;
  load(): Promise<RemoteInventory>;
  /** Of every other stack of the same store, with how messages name each. */
  loadOthers(): Promise<readonly (RemoteInventory & { readonly where: string })[]>;
  /** Takes the lock for a lease; answers when that ends, or who holds it. */
  acquireLock(
    request: LockRequest,
  ): Promise<{ readonly until: string } | { readonly heldBy: LockInfo }>;
  /** Prolongs the lease; undefined where the lock is not this one any more. */
  renewLock(request: LockRequest): Promise<string | undefined>;
  lockHolder(): Promise<LockInfo | undefined>;
  /** Removes the lock with this id; false where there is none such. */
  releaseLock(id: string): Promise<boolean>;
  /** Appends lines at a position in the journal, if the lock is still this one; false where it is not. */
  append(
    id: string,
    at: { readonly position: number; readonly lines: readonly string[] },
  ): Promise<boolean>;
  /** Writes the content and empties the journal, if the lock is still this one; false where it is not. */
  replace(id: string, content: string): Promise<boolean>;
  /** Ends its connections. */
  close(): Promise<void>;
}
