// A held lock on an inventory file: keeps its lease alive, and writes only while the lock file still says that it is ours.
import { Failure, invariant } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import type { Inventory } from "../model.ts";
import { onDisk, writeWhole } from "./durable.ts";
import { renderInventory } from "./format.ts";
import { JournalWriter, type JournalHeader } from "./journal.ts";
import { drop, isExpired, type LeaseTerms, lockPath, readLock, renew } from "./lease.ts";
import type { HeldLock, JournalRecord, LockInfo } from "./store.ts";

/** What a lock starts from: the inventory as it was last written, and the records since. */
export interface HeldFrom {
  readonly written: Inventory;
  readonly records: readonly JournalRecord[];
}

/**
 * The right to write an inventory file. Between the last look at the lock and the rename lie microseconds in which a
 * process that was stopped for longer than its lease could still overwrite its successor; no file system offers less.
 */
export class FileLock implements HeldLock {
  readonly #terms: LeaseTerms;
  readonly #lost = new AbortController();
  readonly #journal: JournalWriter;
  readonly #timer: NodeJS.Timeout;
  #info: LockInfo;
  #at: { readonly lineage: string; readonly serial: number };
  #isReleased = false;

  /** Goes on from an inventory that was read after the lock was acquired; writes the journal anew. */
  constructor(terms: LeaseTerms, info: LockInfo, from: HeldFrom) {
    this.#terms = terms;
    this.#info = info;
    this.#at = from.written;
    const mayWrite = (): void => this.#mustHold();
    this.#journal = new JournalWriter(terms.path, headerOf(from.written), mayWrite);
    this.#journal.start(from.records);
    this.#timer = setInterval(() => void this.#keep(), limits.leaseRenewMs);
    this.#timer.unref();
  }

  get info(): LockInfo {
    return this.#info;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  journal(records: readonly JournalRecord[]): Promise<void> {
    return onDisk(this.#terms.path, async () => {
      await this.#revive();
      await this.#journal.append(records);
    });
  }

  write(inventory: Inventory): Promise<Inventory> {
    return onDisk(this.#terms.path, async () => {
      await this.#revive();
      await this.#journal.idle();
      this.#mustBeCurrent(inventory);
      const lineage = inventory.lineage === "" ? crypto.randomUUID() : inventory.lineage;
      const next = { ...inventory, lineage, serial: inventory.serial + 1 };
      writeWhole(this.#terms.path, renderInventory(next), () => this.#mustHold());
      this.#at = next;
      // A crash before this leaves a journal of an older serial, which nobody reads.
      this.#journal.reset(headerOf(next));
      return next;
    });
  }

  release(): Promise<void> {
    return onDisk(this.#terms.path, async () => {
      if (this.#isReleased) return;
      this.#isReleased = true;
      clearInterval(this.#timer);
      await this.#journal.idle();
      this.#journal.end(this.#isOurs());
      await drop(this.#terms, this.#info.id);
    });
  }

  #isOurs(): boolean {
    return readLock(lockPath(this.#terms.path))?.id === this.#info.id;
  }

  /** The last look before a write: synchronous, so that nothing comes between. */
  #mustHold(): void {
    if (!this.#lost.signal.aborted && !this.#isOurs()) this.#lose();
    if (this.#lost.signal.aborted) throw this.#lostFailure();
    if (isExpired(this.#info, this.#terms.now())) throw this.#lostFailure();
  }

  /** A lease that ran out, as while the machine slept, is renewed if nobody has taken the lock meanwhile. */
  async #revive(): Promise<void> {
    invariant(!this.#isReleased, "an inventory is written after its lock was released");
    if (isExpired(this.#info, this.#terms.now())) await this.#renew();
    this.#mustHold();
  }

  async #renew(): Promise<void> {
    const renewed = await renew(this.#terms, this.#info);
    if (renewed) this.#info = renewed;
    else this.#lose();
  }

  async #keep(): Promise<void> {
    try {
      if (!this.#lost.signal.aborted) await this.#renew();
    } catch {
      // A disk or neighbour that is in the way now may not be at the next renewal; the lease has room for several.
      if (isExpired(this.#info, this.#terms.now())) this.#lose();
    }
  }

  #lose(): void {
    if (this.#isReleased) return;
    clearInterval(this.#timer);
    this.#lost.abort(this.#lostFailure());
  }

  #mustBeCurrent(inventory: Inventory): void {
    const { lineage, serial } = this.#at;
    if (inventory.lineage === lineage && inventory.serial === serial) return;
    const what = `the inventory ${this.#terms.path} is at serial ${serial}, and what would be written was made from serial ${inventory.serial}`;
    throw new Failure("stale", `Nothing was written: ${what}.`, { remedy: "Plan again." });
  }

  #lostFailure(): Failure {
    const by = readLock(lockPath(this.#terms.path));
    const who = by && by.id !== this.#info.id ? `; now ${by.holder} holds it (${by.purpose})` : "";
    return new Failure("locked", `The lock on ${this.#terms.path} was lost${who}.`, {
      details: { path: this.#terms.path, id: this.#info.id },
      remedy:
        "Run it again: what was begun is in the journal, and the next run goes on from there.",
    });
  }
}

function headerOf({ stack, lineage, serial, salt }: Inventory): JournalHeader {
  return { stack, lineage, serial, salt };
}
