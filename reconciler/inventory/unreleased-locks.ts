// Knows the locks that this process could not release, so that it does not wait for itself until their leases end.
import { limits } from "../../core/limits/limits.ts";

/** The IDs of locks that this process could not release and no longer uses. */
const unreleased = new Set<string>();

/** Notes that a lock could not be released, so that the process can continue to use it. */
export function keepUnreleased(id: string): void {
  unreleased.add(id);
  const [oldest = ""] = unreleased;
  if (unreleased.size > limits.unreleasedLocks) unreleased.delete(oldest);
}

/**
 * Waits for a call that acquires, renews or releases a lock. After a failure the store may still hold it for this process;
 * after a success it is in use or released.
 */
export async function keepOnFailure<T>(id: string, call: Promise<T>): Promise<T> {
  try {
    const result = await call;
    unreleased.delete(id);
    return result;
  } catch (error) {
    keepUnreleased(id);
    throw error;
  }
}

/** Returns whether a lock is one that this process could not release and no longer uses. */
export function isUnreleased(id: string): boolean {
  return unreleased.has(id);
}

/** Does the same as {@link isUnreleased}, but for one caller only, because the lock is then in use again. */
export function reuseUnreleased(id: string): boolean {
  return unreleased.delete(id);
}
