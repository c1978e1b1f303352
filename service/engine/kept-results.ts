// Keeps the results of queries for a time after their last use, within limits of their number and bytes.

/** A query that runs, or its result. */
export interface KeptEntry<T> {
  readonly result: Promise<T>;
  /** Whether a fresh request that still waits started it. */
  isAwaited: boolean;
  isSettled: boolean;
  bytes: number;
  usedAt: number;
}

/** Limits of what is kept. */
export interface KeptLimits {
  readonly queryResultMs: number;
  readonly queryResults: number;
  readonly queryResultsBytes: number;
}

/** Entries by key. */
export interface KeptResults<T> {
  get(key: string): KeptEntry<T> | undefined;
  /** Marks an entry as used now, and adds a new one. */
  use(key: string, entry: KeptEntry<T>): void;
  /** Marks an entry as settled, with the size of its result. */
  settle(entry: KeptEntry<T>, bytes: number): void;
  /** Removes an entry, unless the key has another one by now. */
  remove(key: string, entry: KeptEntry<T>): void;
  /** Removes results that are too old, and those used first above the limits. */
  sweep(): void;
}

/** Creates an empty store. `now` is a monotonic clock in milliseconds. */
export function keepResults<T>(now: () => number, bounds: KeptLimits): KeptResults<T> {
  /** Those used last come last. */
  const entries = new Map<string, KeptEntry<T>>();
  const sweep = () => {
    let bytes = 0;
    for (const entry of entries.values()) bytes += entry.bytes;
    for (const [key, entry] of entries) {
      if (!entry.isSettled) continue;
      const isOld = entry.usedAt + bounds.queryResultMs <= now();
      const isExcess = entries.size > bounds.queryResults || bytes > bounds.queryResultsBytes;
      if (!isOld && !isExcess) continue;
      entries.delete(key);
      bytes -= entry.bytes;
    }
  };
  return {
    get: (key) => entries.get(key),
    use(key, entry) {
      entry.usedAt = now();
      entries.delete(key);
      entries.set(key, entry);
    },
    settle(entry, bytes) {
      Object.assign(entry, { bytes, isSettled: true });
      sweep();
    },
    remove(key, entry) {
      if (entries.get(key) === entry) entries.delete(key);
    },
    sweep,
  };
}
