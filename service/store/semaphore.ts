// A semaphore with a time limit on waiting, served in order of arrival. Custom code, because p-limit runs every waiting
// task regardless of its age, and a write whose client has given up must not run.
import { Failure } from "../../core/errors.ts";

/** Limits concurrent users of a resource. */
export class Semaphore {
  readonly #waiting: { readonly deadline: number; readonly go: (inTime: boolean) => void }[] = [];
  #free: number;

  /** Creates a semaphore with this many permits. */
  constructor(concurrency: number) {
    this.#free = concurrency;
  }

  /** Resolves with a permit. Throws `unavailable` after `waitMs`. */
  async acquire(waitMs: number): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const deadline = performance.now() + waitMs;
    const inTime = await new Promise<boolean>((go) => this.#waiting.push({ deadline, go }));
    if (inTime) return;
    throw new Failure("unavailable", "too many concurrent writes; try again", { retryAfter: 1 });
  }

  /** Changes the number of permits. Those that are taken stay valid. */
  resize(change: number): void {
    this.#free += change;
    const ready = Math.min(this.#free, this.#waiting.length);
    for (let count = 0; count < ready; count++) {
      this.#free -= 1;
      this.release();
    }
  }

  /** Returns a permit. */
  release(): void {
    if (this.#free < 0) {
      this.#free += 1;
      return;
    }
    for (;;) {
      const next = this.#waiting.shift();
      if (next === undefined) {
        this.#free += 1;
        return;
      }
      const inTime = performance.now() <= next.deadline;
      next.go(inTime);
      if (inTime) return;
    }
  }
}
