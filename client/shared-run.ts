// A run that several callers share, such as the exchange of a token that can be exchanged only once.
import { abortedFailure } from "./throttle.ts";

interface PendingRun<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/** Shares a run with everyone who joins while it is under way, and cancels it when all of them stop waiting. */
export class SharedRun<T> {
  #current: PendingRun<T> | undefined;

  /**
   * Returns the result of the run that is under way, otherwise the result of a new one. Fails with `aborted` when
   * `signal` is aborted.
   */
  async join(
    start: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    if (signal?.aborted) throw abortedFailure();
    const run = (this.#current ??= this.#start(start));
    run.waiting++;
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = (): void => reject(abortedFailure());
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await Promise.race([run.result, aborted]);
    } finally {
      signal?.removeEventListener("abort", abort);
      run.waiting--;
      if (run.waiting === 0) {
        this.#forget(run);
        run.controller.abort();
      }
    }
  }

  #start(start: (signal: AbortSignal) => Promise<T>): PendingRun<T> {
    const controller = new AbortController();
    const run = { result: start(controller.signal), controller, waiting: 0 };
    const forget = (): void => this.#forget(run);
    run.result.then(forget, forget);
    return run;
  }

  #forget(run: PendingRun<T>): void {
    if (this.#current === run) this.#current = undefined;
  }
}
