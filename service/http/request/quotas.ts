// Quotas that refill at a constant rate, one for each client: token buckets.
import { limits } from "../../../core/limits/limits.ts";

/** The state of a quota. */
export interface QuotaState {
  /** Whether the call may run. */
  readonly isGranted: boolean;
  /** Whole remaining units; 0 if the last call took more than were available. */
  readonly left: number;
  /** Milliseconds until the quota is full again. */
  readonly fullMs: number;
  /** Milliseconds until a call of the same cost is granted. */
  readonly waitMs: number;
}

interface Quota {
  units: number;
  /** A time of the monotonic clock, in milliseconds. */
  at: number;
}

/** Quotas by client. At the maximum number, the least recently used one is dropped. */
export class Quotas {
  readonly #now: () => number;
  readonly #windowMs: number;
  readonly #quotas = new Map<string, Quota>();

  /** A quota is full again `windowMs` after it was empty. */
  constructor(now: () => number, windowMs: number) {
    this.#now = now;
    this.#windowMs = windowMs;
  }

  /**
   * Takes `cost` of a quota of `most`, and nothing if less is left. A call that costs more than the whole quota is
   * granted when it is full.
   */
  take(who: string, most: number, cost: number): QuotaState {
    const quota = this.#refilled(who, most);
    const needed = Math.min(cost, most);
    const isGranted = quota.units >= needed;
    if (isGranted) quota.units -= cost;
    return this.#stateOf(quota, most, { isGranted, needed });
  }

  /**
   * Takes `cost` even if less is left, down to a debt of a whole quota. The next calls wait until the quota is restored.
   * A negative cost gives units back.
   */
  charge(who: string, most: number, cost: number): QuotaState {
    const quota = this.#refilled(who, most);
    quota.units = Math.max(Math.min(quota.units, -most), quota.units - cost);
    return this.#stateOf(quota, most, { isGranted: true, needed: 1 });
  }

  #refilled(who: string, most: number): Quota {
    const at = this.#now();
    const quota = this.#quotas.get(who) ?? { units: most, at };
    quota.units = Math.min(most, quota.units + ((at - quota.at) * most) / this.#windowMs);
    quota.at = at;
    // The order of a map is that of its insertions: the first quota is the least recently used one.
    this.#quotas.delete(who);
    if (this.#quotas.size >= limits.rateWindows) this.#dropFirst();
    this.#quotas.set(who, quota);
    return quota;
  }

  #stateOf(
    { units }: Quota,
    most: number,
    { isGranted, needed }: { isGranted: boolean; needed: number },
  ): QuotaState {
    const msOf = (missing: number): number => Math.max(0, (missing * this.#windowMs) / most);
    return {
      isGranted,
      left: Math.max(0, Math.floor(units)),
      fullMs: msOf(most - units),
      waitMs: msOf(needed - units),
    };
  }

  #dropFirst(): void {
    for (const who of this.#quotas.keys()) {
      this.#quotas.delete(who);
      return;
    }
  }
}
