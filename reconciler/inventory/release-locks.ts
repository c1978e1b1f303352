// Holds locks around work, so that a lock that cannot be released never replaces the result or the error of the work.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isFailure } from "../../core/errors.ts";

/** Anything held until it is released, such as the lock on an inventory. */
export interface Releasable {
  release(): Promise<void>;
}

/** Waits for a lock, and holds it until the work ends. */
export type Hold = <L extends Releasable>(lock: Promise<L>) => Promise<L>;

/** The result of work under locks. */
export interface HeldResult<T> {
  readonly result: T;
  /** A warning for each lock that could not be released; it ends with its lease. */
  readonly unreleased: readonly Diagnostic[];
}

/**
 * Runs `work`, then releases the locks that it held, the last one first. Fails only as `work` does.
 *
 * @example
 * const { result, unreleased } = await holdLocks(async (hold) => {
 *   const lock = await hold(store.lock("adopt"));
 *   return lock.write(await store.read());
 * });
 */
export async function holdLocks<T>(work: (hold: Hold) => Promise<T>): Promise<HeldResult<T>> {
  const held: Releasable[] = [];
  const hold: Hold = async (lock) => {
    const acquired = await lock;
    held.push(acquired);
    return acquired;
  };
  let result: T;
  try {
    result = await work(hold);
  } catch (error) {
    await releaseAll(held);
    throw error;
  }
  return { result, unreleased: await releaseAll(held) };
}

/** Runs work that must succeed before a lock is handed out, and releases the lock if it fails. */
export async function releaseOnFailure<T>(lock: Releasable, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await releaseAll([lock]);
    throw error;
  }
}

async function releaseAll(held: readonly Releasable[]): Promise<readonly Diagnostic[]> {
  const unreleased: Diagnostic[] = [];
  for (const lock of held.toReversed()) {
    try {
      await lock.release();
    } catch (error) {
      if (!isFailure(error)) throw error;
      const { message, remedy } = error;
      unreleased.push({
        code: "lock-kept",
        severity: "warning",
        summary: message,
        ...(remedy !== undefined && { remedy }),
      });
    }
  }
  return unreleased;
}
