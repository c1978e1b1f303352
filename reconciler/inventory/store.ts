// Defines an inventory for the rest of the reconciler: read, lock, journal, write.
import type { Entry, Inventory, RunChange, RunRecord } from "../model/index.ts";
import type { LockingProcess } from "../operator/lock-process.ts";

/**
 * A journal record. What a call may create is durable before the call; results follow together. A run is recorded as one
 * `run` and one `run-change` a change, so that no record grows with the number of changes.
 */
export type JournalRecord =
  | { readonly phase: "pending"; readonly address: string; readonly entry: Entry }
  | { readonly phase: "done"; readonly address: string; readonly entry: Entry | undefined }
  | { readonly phase: "run"; readonly run: RunRecord }
  | { readonly phase: "run-change"; readonly run: string; readonly change: RunChange };

/**
 * An object that a stack owns: kind name, natural key, and the ID at the service if it is known. The ID identifies the owner
 * where a parent was renamed, so that the object has another key than its owner recorded.
 */
export interface OwnedObject {
  readonly kind: string;
  readonly key: string;
  readonly id?: string | undefined;
}

/** Returns the stack that owns an object, if another stack of the store does. */
export type OwnerOf = (object: OwnedObject) => string | undefined;

/** Existing objects that become the stack's. */
export interface Claim {
  readonly entries: Inventory["entries"];
  /** The stack that hands the objects over, so that its ownership does not count. */
  readonly from?: string;
}

/** The written inventory, or the stacks that own claimed objects, by address. */
export type ClaimResult =
  | { readonly written: Inventory }
  | { readonly owners: ReadonlyMap<string, string> };

/** A lock: its holder and expiry. */
export interface LockInfo {
  readonly id: string;
  readonly purpose: string;
  readonly holder: string;
  /** ISO 8601. */
  readonly acquiredAt: string;
  readonly expiresAt: string;
  /** The process that holds it, so that others on its machine notice when it exits; left out if unknown. */
  readonly process?: LockingProcess;
}

/** The right to write until it is released or its lease expires. */
export interface InventoryLock {
  readonly info: LockInfo;
  /** The inventory as it was when the lock was acquired, with what a killed run had begun. */
  readonly inventory: Inventory;
  /** Aborted when the lease is lost. */
  readonly lost: AbortSignal;
  /** Appends records durably: all of them or, after a crash, a prefix. After a failure, only `write` is possible. */
  journal(records: readonly JournalRecord[]): Promise<void>;
  /** Writes the inventory with its serial increased by one, empties the journal and returns the written inventory. */
  write(inventory: Inventory): Promise<Inventory>;
  /**
   * Writes an inventory, with its server and the claimed entries, unless another stack of the store owns one of the
   * objects. Check and write are one step for all stacks of the store.
   */
  claim(inventory: Inventory, claim: Claim): Promise<ClaimResult>;
  release(): Promise<void>;
}

/** Options of {@link InventoryStore.unlock}. */
export interface UnlockOptions {
  /** Set to break a lock whose holder may run: the process has not exited on this machine. */
  readonly force?: boolean | undefined;
}

/** What a run records, in numbers. */
export interface RunRecords {
  /** The objects that it changes, each with its records. */
  readonly records: number;
  /** The length of all records as JSON, in characters. */
  readonly characters: number;
  /** How often it waits until its records are durable. */
  readonly waits: number;
  /** True if it claims objects. */
  readonly claims: boolean;
}

/** The store of one stack's inventory. */
export interface InventoryStore {
  /** As messages name it; contains no secret. */
  readonly location: string;
  /** Returns the inventory with its journal applied; a new one with serial 0 if there is none. Never writes. */
  read(): Promise<Inventory>;
  /** Reads which other stacks of this store own some of these objects on one origin. */
  ownersOf(origin: string, objects: readonly OwnedObject[]): Promise<OwnerOf>;
  /** Fails with `locked`, like {@link lock}, while another run holds the lock. Never writes. */
  requireFree(): Promise<void>;
  /**
   * Acquires the lock, and writes the inventory if a killed run left a journal: read it again. The journal binds an
   * inventory without a server to `origin`. Fails with `locked`, naming the holder, the age and the id for unlock.
   */
  lock(purpose: string, origin?: string): Promise<InventoryLock>;
  /**
   * Breaks the lock with this id. Fails with `refused` if another lock is held, `not_found` if none is, and `locked` if
   * its holder may run, unless `force` is set.
   */
  unlock(id: string, options?: UnlockOptions): Promise<void>;
  /** The calls to the stack's server that the store has made; 0 for a store elsewhere. */
  calls(): number;
  /** Estimates the calls to the stack's server that a run makes, from the lock to its release. */
  callsOfRun(run: RunRecords): number;
  /** Closes the connections. */
  close(): Promise<void>;
}
