// Implements a held lock: renews its lease, and writes only an inventory that was read under it.
import { Failure, invariant, isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Inventory } from "../model/index.ts";
import { type InventoryLabel, lockKeptError, lockLostError } from "./lock-messages.ts";
import type { OwnerIndex } from "./other-inventories.ts";
import type { RequireHeld } from "./ownership-lock.ts";
import { refusedClaims } from "./refused-claims.ts";
import { keepUnreleased } from "./unreleased-locks.ts";
import type { ClaimRecord, InventoryLock, JournalRecord, LockInfo } from "./store.ts";

/** The written inventory and the journal records since. */
export interface InventorySnapshot {
  readonly written: Inventory;
  readonly records: readonly JournalRecord[];
}

/** The right to write one inventory, as its store implements it. All calls fail with `locked` once the lock is lost. */
export interface Lease extends InventoryLabel {
  /** Extends the lease; undefined if the lock is no longer held. */
  renew(info: LockInfo): Promise<LockInfo | undefined>;
  /** Returns the current holder. */
  holder(): Promise<LockInfo | undefined>;
  /** Appends records to the journal; durable before it resolves. */
  append(records: readonly JournalRecord[]): Promise<void>;
  /** Runs `act` while no other stack of the store can claim objects; passes the owners of their objects. */
  withOwners<T>(act: (ownerOf: OwnerIndex, requireHeld: RequireHeld) => Promise<T>): Promise<T>;
  /** Writes the inventory and empties the journal. */
  replace(next: Inventory): Promise<void>;
  /** Releases the lock if it is still held. */
  release(): Promise<void>;
}

/** Options of {@link LockedInventory}. */
export interface LockedInventoryOptions {
  readonly info: LockInfo;
  readonly written: Inventory;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type InventoryVersion = Pick<Inventory, "lineage" | "serial">;

/** Returns the identity of a written inventory, without its entries and runs, which a long run would keep in memory twice. */
function versionOf({ lineage, serial }: Inventory): InventoryVersion {
  return { lineage, serial };
}

/** True if the lease expired. */
export function isExpired(info: Pick<LockInfo, "expiresAt">, now: number): boolean {
  return !(Date.parse(info.expiresAt) > now);
}

/** The right to write an inventory until it is released or lost. */
export class LockedInventory implements InventoryLock {
  readonly #lease: Lease;
  readonly #now: () => number;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #info: LockInfo;
  #base: InventoryVersion;
  #isReleased = false;

  /** Continues an inventory that was read after the lock was acquired. */
  constructor(lease: Lease, { info, written, now }: LockedInventoryOptions) {
    this.#lease = lease;
    this.#info = info;
    this.#base = versionOf(written);
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

  async claim(
    origin: string,
    claims: readonly ClaimRecord[],
    from?: string,
  ): Promise<ReadonlyMap<string, string>> {
    await this.#renewIfExpired();
    return this.#withLease(() =>
      this.#lease.withOwners(async (ownerOf, requireHeld) => {
        const refused = refusedClaims(ownerOf, { origin, claims, from });
        if (refused.size > 0) return refused;
        await requireHeld();
        await this.#lease.append(claims);
        return new Map();
      }),
    );
  }

  async write(inventory: Inventory): Promise<Inventory> {
    await this.#renewIfExpired();
    this.#requireCurrent(inventory);
    const lineage = inventory.lineage === "" ? crypto.randomUUID() : inventory.lineage;
    const next = { ...inventory, lineage, serial: inventory.serial + 1 };
    await this.#withLease(() => this.#lease.replace(next));
    this.#base = versionOf(next);
    return next;
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearInterval(this.#timer);
    try {
      await this.#lease.release();
    } catch (error) {
      keepUnreleased(this.#info.id);
      throw lockKeptError(this.#lease, this.#info, error);
    }
  }

  /** Runs `act` and signals a lost lock to the run. */
  async #withLease<T>(act: () => Promise<T>): Promise<T> {
    if (this.#lost.signal.aborted) throw this.#lost.signal.reason;
    try {
      return await act();
    } catch (error) {
      if (isFailure(error, "locked")) this.#markLost(error);
      throw error;
    }
  }

  /** Renews an expired lease, as after the machine slept, unless another holder took the lock. */
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
      // The next renewal may succeed; the lease allows several attempts.
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
    throw new Failure("stale", `nothing was written: ${what}`, { remedy: "Plan again." });
  }
}
