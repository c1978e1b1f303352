// Turns at something that only a few may use at once: handed out in the order of asking, to nobody who has waited too long.
import { Failure } from "../../core/errors.ts";

/** Hands out turns. */
export class Semaphore {
  readonly #waiting: { readonly deadline: number; readonly go: (inTime: boolean) => void }[] = [];
  #free: number;

  /** So many turns are taken at once at most. */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Resolves when the turn has come; fails with `unavailable` where it comes later than after `waitMs`. */
  async acquire(waitMs: number): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const deadline = Date.now() + waitMs;
    const inTime = await new Promise<boolean>((go) => this.#waiting.push({ deadline, go }));
    if (inTime) return;
    throw new Failure("unavailable", "too many requests write at once", { retryAfter: 1 });
  }

  /** Ends a turn. */
  release(): void {
    for (;;) {
      const next = this.#waiting.shift();
      if (next === undefined) {
        this.#free += 1;
        return;
      }
      const inTime = Date.now() <= next.deadline;
      next.go(inTime);
      if (inTime) return;
    }
  }
}
