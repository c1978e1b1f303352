// Keeps the values that were used last, each made once. Own code: values are promises with a cleanup that `clear` awaits, which
// lru-cache lacks.

/** Values by key. */
export interface LruCache<T> {
  /** Returns the value of a key, made by `make` unless it is kept. A value that could not be made is not kept. */
  get(key: string, make: () => Promise<T>): Promise<T>;
  /** Returns whether `get` would return a kept value. */
  has(key: string): boolean;
  /** Drops all values. */
  clear(): Promise<void>;
}

/** Creates a cache of at most `most` values. `drop` receives each value that is no longer kept. */
export function createLruCache<T>(
  most: number,
  drop: (value: T) => Promise<void> = async () => undefined,
): LruCache<T> {
  const kept = new Map<string, Promise<T>>();
  const dropped = (value: Promise<T>) => value.then(drop, () => undefined);
  return {
    async get(key, make) {
      const known = kept.get(key);
      const value = known ?? make();
      // The key moves to the end, because it was used last.
      kept.delete(key);
      kept.set(key, value);
      const [oldest] = kept;
      if (kept.size > most && oldest) {
        kept.delete(oldest[0]);
        void dropped(oldest[1]);
      }
      try {
        return await value;
      } catch (error) {
        if (kept.get(key) === value) kept.delete(key);
        throw error;
      }
    },
    has: (key) => kept.has(key),
    async clear() {
      const values = [...kept.values()];
      kept.clear();
      await Promise.all(values.map(dropped));
    },
  };
}
