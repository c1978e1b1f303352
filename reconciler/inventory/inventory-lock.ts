// Implements a held lock: renews its lease, appends to the journal, and writes only an inventory that was read under it.
import pLimit from "p-limit";
import { Failure, invariant } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Inventory } from "../model/index.ts";
import type { Backend } from "./backend.ts";
import { renderInventory } from "./format.ts";
import { type JournalHeader, journalTexts } from "./journal.ts";
import { isExpired, withOwnership } from "./leases.ts";
import { type InventoryLabel, lockKeptError, lockLostError } from "./lock-messages.ts";
import { otherOwners } from "./owner-index.ts";
import type {
  Claim,
  ClaimResult,
  InventoryLock,
  InventoryStore,
  JournalRecord,
  LockInfo,
} from "./store.ts";
import { cutTexts } from "./text-pieces.ts";

/** Options of {@link HeldLock}. */
export interface HeldLockOptions {
  readonly backend: Backend;
  readonly label: InventoryLabel;
  /** The acquired lock. */
  readonly info: LockInfo;
  /** The inventory when the lock had been acquired, with the journal that a killed run left. */
  readonly inventory: Inventory;
  /** The inventory as it was written when the lock had been acquired, with the server that its journal names. */
  readonly written: Inventory;
  /** Reads which other stacks of the store own some of the objects. */
  readonly ownersOf: InventoryStore["ownersOf"];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The right to write an inventory until it is released or lost. */
export class HeldLock implements InventoryLock {
  inventory: Inventory;
  readonly #options: HeldLockOptions;
  readonly #lost = new AbortController();
  readonly #renewals: NodeJS.Timeout;
  #info: LockInfo;
  /** The last written inventory; not all of it, which a long run would keep in memory twice. */
  #written: JournalHeader;
  /** Appends to the journal since the last write. */
  #appendCount = 0;
  /** Set once an append failed: whether the store has it is unknown, and a later one would follow a gap. */
  #appendFailure: { readonly error: unknown } | undefined;
  /** Runs one write after the other. */
  readonly #turns = pLimit(1);
  #isReleased = false;

  /** Continues an inventory without a journal. */
  constructor(options: HeldLockOptions) {
    this.#options = options;
    this.inventory = options.inventory;
    this.#info = options.info;
    this.#written = headerOf(options.written);
    this.#renewals = setInterval(() => void this.#renewPeriodically(), limits.leaseRenewMs);
    this.#renewals.unref();
  }

  get info(): LockInfo {
    return this.#info;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async journal(records: readonly JournalRecord[]): Promise<void> {
    if (records.length > 0) await this.#inTurn(() => this.#append(records));
  }

  claim(inventory: Inventory, claim: Claim): Promise<ClaimResult> {
    const { backend, ownersOf } = this.#options;
    const { origin } = inventory;
    invariant(origin !== undefined, "a claim without the server of its objects");
    return withOwnership(backend.ownership, backend.location, async (requireHeld) => {
      const owners = otherOwners(await ownersOf(origin, Object.values(claim.entries)), claim);
      if (owners.size > 0) return { owners };
      await requireHeld();
      return { written: await this.write(inventory) };
    });
  }

  write(inventory: Inventory): Promise<Inventory> {
    return this.#inTurn(async () => {
      this.#requireCurrent(inventory);
      const lineage = inventory.lineage === "" ? crypto.randomUUID() : inventory.lineage;
      const next = { ...inventory, lineage, serial: inventory.serial + 1 };
      const { backend } = this.#options;
      await this.#requireWritten(backend.replace(this.#info.id, renderInventory(next)));
      this.#written = headerOf(next);
      this.#appendCount = 0;
      this.#appendFailure = undefined;
      return next;
    });
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearInterval(this.#renewals);
    await this.#turns(() => undefined);
    const { backend, label } = this.#options;
    try {
      await backend.lock.release(this.#info.id);
    } catch (error) {
      throw lockKeptError(label, this.#info, error);
    }
  }

  /** Runs a write after those before it, while the lock is held. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    invariant(!this.#isReleased, "an inventory is written after its lock was released");
    return this.#turns(async () => {
      if (this.#lost.signal.aborted) throw this.#lost.signal.reason;
      return act();
    });
  }

  async #append(records: readonly JournalRecord[]): Promise<void> {
    if (this.#appendFailure !== undefined) throw this.#appendFailure.error;
    const { backend } = this.#options;
    const texts = journalTexts(this.#appendCount === 0 ? this.#written : undefined, records);
    try {
      for (const text of cutTexts(texts, limits.journalAppendBytes)) {
        const position = this.#appendCount;
        await this.#requireWritten(backend.append(this.#info.id, { position, text }));
        this.#appendCount += 1;
      }
    } catch (error) {
      this.#appendFailure = { error };
      throw error;
    }
  }

  /** Fails with `locked` unless the store wrote. */
  async #requireWritten(written: Promise<boolean>): Promise<void> {
    if (!(await written)) throw await this.#lose();
  }

  async #renew(): Promise<void> {
    const expiresAt = await this.#options.backend.lock.renew(this.#info);
    if (expiresAt === undefined) await this.#lose();
    else this.#info = { ...this.#info, expiresAt };
  }

  async #renewPeriodically(): Promise<void> {
    try {
      await this.#renew();
    } catch {
      // The next renewal may succeed; the lease allows several attempts.
      if (isExpired(this.#info, this.#options.now())) this.#signalLost(undefined);
    }
  }

  async #lose(): Promise<Failure> {
    return this.#signalLost(await this.#options.backend.lock.holder());
  }

  /** Signals to the run that it lost the lock, and returns why. */
  #signalLost(holder: LockInfo | undefined): Failure {
    const error = lockLostError(this.#options.label, this.#info.id, holder);
    clearInterval(this.#renewals);
    if (!this.#isReleased) this.#lost.abort(error);
    return error;
  }

  #requireCurrent(inventory: Inventory): void {
    const { lineage, serial } = this.#written;
    if (inventory.lineage === lineage && inventory.serial === serial) return;
    const { location } = this.#options.label;
    const what = `the inventory ${location} is at serial ${serial}, and what would be written was made from serial ${inventory.serial}`;
    throw new Failure("stale", `nothing was written: ${what}`, { remedy: "Plan again." });
  }
}

function headerOf({ stack, lineage, serial, salt, origin }: Inventory): JournalHeader {
  return { stack, lineage, serial, salt, origin };
}
