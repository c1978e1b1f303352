// Defines what every inventory store does: read, lock, journal, write.
import type { Entry, Inventory, RunChange, RunRecord } from "../model/index.ts";
import type { LockingProcess } from "../operator/lock-process.ts";

/**
 * A journal record, durable before and after the API call that it is about. A run is recorded as one `run` and one
 * `run-change` a change, so that no record grows with the number of changes.
 */
export type JournalRecord =
  | { readonly phase: "pending"; readonly address: string; readonly entry: Entry }
  | { readonly phase: "done"; readonly address: string; readonly entry: Entry | undefined }
  | { readonly phase: "run"; readonly run: RunRecord }
  | { readonly phase: "run-change"; readonly run: string; readonly change: RunChange };

/** Who holds a lock and until when. */
export interface LockInfo {
  readonly id: string;
  readonly purpose: string;
  readonly holder: string;
  /** ISO 8601. */
  readonly acquiredAt: string;
  readonly expiresAt: string;
  /** The process that holds it, for others on its machine; left out where a store does not know. */
  readonly process?: LockingProcess;
}

/** The right to write, held until it is released or its lease runs out. */
export interface InventoryLock {
  readonly info: LockInfo;
  /** Aborted when the lease is lost. */
  readonly lost: AbortSignal;
  /** Appends records and syncs them before it returns: all of them or, after a crash, a prefix. */
  journal(records: readonly JournalRecord[]): Promise<void>;
  /** Writes the inventory whole, with its serial one higher, and empties the journal; answers what it wrote. */
  write(inventory: Inventory): Promise<Inventory>;
  release(): Promise<void>;
}

/** A place where inventories are kept. */
export interface InventoryStore {
  /** The inventory with its journal played over it; a fresh one of serial 0 where there is none. Never writes. */
  read(): Promise<Inventory>;
  /** Which other stack of this store owns the object, if any; asked with kind name and natural key on one origin. */
  owner(origin: string, kind: string, key: string): Promise<string | undefined>;
  /** Fails with `locked`, naming holder, age and the id that unlocking must quote. */
  lock(purpose: string): Promise<InventoryLock>;
  /** Breaks the lock that has this id; `refused` when another id holds it, `not_found` when nobody does. */
  unlock(id: string): Promise<void>;
  /** Ends its connections; nothing is asked of it afterwards. */
  close(): Promise<void>;
}
