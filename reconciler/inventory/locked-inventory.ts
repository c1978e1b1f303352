// A held lock on an inventory: keeps its lease alive, and writes only from what was read under it, wherever the inventory is kept.
import { Failure, invariant, isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import type { Inventory } from "../model/index.ts";
import { type InventoryLabel, lockLostError } from "./lock-messages.ts";
import type { InventoryLock, JournalRecord, LockInfo } from "./store.ts";

/** What a lock starts from: the inventory as it was last written, and the records since. */
export interface InventorySnapshot {
  readonly written: Inventory;
  readonly records: readonly JournalRecord[];
}

/** The right to write one inventory, as its store gives it; all of it fails with `locked` once the lock is lost. */
export interface Lease extends InventoryLabel {
  /** The lock with a new lease; undefined when it is no longer ours. */
  renew(info: LockInfo): Promise<LockInfo | undefined>;
  /** Who holds it now. */
  holder(): Promise<LockInfo | undefined>;
  /** Appends records to the journal, on disk before it resolves. */
  append(records: readonly JournalRecord[]): Promise<void>;
  /** Writes the inventory whole and empties the journal. */
  replace(next: Inventory): Promise<void>;
  /** Gives the lock back where it is still ours. */
  release(): Promise<void>;
}

/** What a held lock begins with. */
export interface LockedInventoryOptions {
  readonly info: LockInfo;
  readonly written: Inventory;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** True once the lease is over. */
export function isExpired(info: Pick<LockInfo, "expiresAt">, now: number): boolean {
  return !(Date.parse(info.expiresAt) > now);
}

/** The right to write an inventory, kept alive until it is released or lost. */
export class LockedInventory implements InventoryLock {
  readonly #lease: Lease;
  readonly #now: () => number;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #info: LockInfo;
  #base: { readonly lineage: string; readonly serial: number };
  #isReleased = false;

  /** Goes on from an inventory that was read after the lock was acquired. */
  constructor(lease: Lease, { info, written, now }: LockedInventoryOptions) {
    this.#lease = lease;
    this.#info = info;
    this.#base = written;
    this.#now = now;
    this.#timer = setInterval(() => void this.#renewPeriodically(), limits.leaseRenewMs);
    this.#timer.unref();
  }

  get info(): LockInfo {
    return this.#info;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async journal(records: readonly JournalRecord[]): Promise<void> {
    await this.#renewIfExpired();
    await this.#withLease(() => this.#lease.append(records));
  }

  async write(inventory: Inventory): Promise<Inventory> {
    await this.#renewIfExpired();
    this.#requireCurrent(inventory);
    const lineage = inventory.lineage === "" ? crypto.randomUUID() : inventory.lineage;
    const next = { ...inventory, lineage, serial: inventory.serial + 1 };
    await this.#withLease(() => this.#lease.replace(next));
    this.#base = next;
    return next;
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearInterval(this.#timer);
    await this.#lease.release();
  }

  /** Does something that needs the lock; where that turns out to be lost, the run learns of it. */
  async #withLease<T>(act: () => Promise<T>): Promise<T> {
    if (this.#lost.signal.aborted) throw this.#lost.signal.reason;
    try {
      return await act();
    } catch (error) {
      if (isFailure(error, "locked")) this.#markLost(error);
      throw error;
    }
  }

  /** A lease that ran out, as while the machine slept, is renewed if nobody has taken the lock meanwhile. */
  async #renewIfExpired(): Promise<void> {
    invariant(!this.#isReleased, "an inventory is written after its lock was released");
    if (!this.#lost.signal.aborted && isExpired(this.#info, this.#now())) await this.#renew();
    if (this.#lost.signal.aborted) throw this.#lost.signal.reason;
  }

  async #renew(): Promise<void> {
    const renewed = await this.#lease.renew(this.#info);
    if (renewed) this.#info = renewed;
    else this.#markLost(lockLostError(this.#lease, this.#info.id, await this.#lease.holder()));
  }

  async #renewPeriodically(): Promise<void> {
    try {
      if (!this.#lost.signal.aborted) await this.#renew();
    } catch {
      // What is in the way now may not be at the next renewal; the lease has room for several.
      if (isExpired(this.#info, this.#now())) {
        this.#markLost(lockLostError(this.#lease, this.#info.id, undefined));
      }
    }
  }

  #markLost(why: Failure): void {
    if (this.#isReleased) return;
    clearInterval(this.#timer);
    this.#lost.abort(why);
  }

  #requireCurrent(inventory: Inventory): void {
    const { lineage, serial } = this.#base;
    if (inventory.lineage === lineage && inventory.serial === serial) return;
    const what = `the inventory ${this.#lease.location} is at serial ${serial}, and what would be written was made from serial ${inventory.serial}`;
    throw new Failure("stale", `Nothing was written: ${what}.`, { remedy: "Plan again." });
  }
}
