// Keeps the results of queries for a time after their last use, within limits of their number and bytes.

/** A query that runs, or its result. */
export interface KeptEntry<T> {
  readonly result: Promise<T>;
  /** The group whose bytes count together. */
  readonly group: string;
  /** Cancels the query. */
  readonly stop: AbortController;
  /** Requests that are held for it. */
  waiters: number;
  /** Time until which a client whose answer said so asks again. */
  polledUntil: number;
  /** Whether a waiting request with `fresh` started it. */
  isAwaited: boolean;
  /** The result, once there is one; `failed` for an error. */
  settled: { readonly value: T } | "failed" | undefined;
  bytes: number;
  usedAt: number;
}

/** Limits of the kept results. */
export interface KeptLimits {
  readonly queryResultMs: number;
  readonly queryResults: number;
  readonly queryResultsBytes: number;
  readonly deploymentResultsBytes: number;
}

/** Entries by key. */
export interface KeptResults<T> {
  get(key: string): KeptEntry<T> | undefined;
  /** Returns a result; undefined if there is none. */
  peek(key: string): { readonly value: T } | undefined;
  /** Marks an entry as used now, and adds a new one. */
  use(key: string, entry: KeptEntry<T>): void;
  /** Marks an entry as settled, with the size of its result. */
  settle(entry: KeptEntry<T>, settled: { readonly value: T } | "failed", bytes: number): void;
  /** Removes an entry, unless the key meanwhile has another entry. */
  remove(key: string, entry: KeptEntry<T>): void;
  /** Removes results that are too old, and the least recently used ones above the limits. */
  sweep(): void;
}

/** Creates an empty store. `now` is a monotonic clock in milliseconds. */
export function keepResults<T>(now: () => number, bounds: KeptLimits): KeptResults<T> {
  /** The most recently used entries come last. */
  const entries = new Map<string, KeptEntry<T>>();
  const bytesOfGroups = (): Map<string, number> => {
    const bytes = new Map<string, number>();
    for (const one of entries.values()) {
      bytes.set(one.group, (bytes.get(one.group) ?? 0) + one.bytes);
    }
    return bytes;
  };
  const sweep = () => {
    const groups = bytesOfGroups();
    let bytes = 0;
    for (const one of groups.values()) bytes += one;
    for (const [key, entry] of entries) {
      if (entry.settled === undefined) continue;
      const ofGroup = groups.get(entry.group) ?? 0;
      const isOld = entry.usedAt + bounds.queryResultMs <= now();
      const isExcess =
        entries.size > bounds.queryResults ||
        bytes > bounds.queryResultsBytes ||
        ofGroup > bounds.deploymentResultsBytes;
      if (!isOld && !isExcess) continue;
      entries.delete(key);
      bytes -= entry.bytes;
      groups.set(entry.group, ofGroup - entry.bytes);
    }
  };
  return {
    get: (key) => entries.get(key),
    peek(key) {
      const settled = entries.get(key)?.settled;
      return settled === "failed" ? undefined : settled;
    },
    use(key, entry) {
      entry.usedAt = now();
      entries.delete(key);
      entries.set(key, entry);
    },
    settle(entry, settled, bytes) {
      Object.assign(entry, { bytes, settled });
      sweep();
    },
    remove(key, entry) {
      if (entries.get(key) === entry) entries.delete(key);
    },
    sweep,
  };
}
