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

/** What a cache does with its values. */
interface LruOptions<T> {
  /** Receives each value that is no longer kept. */
  readonly drop?: (value: T) => Promise<void>;
  /** Returns what a value counts against `mostWeight`. One value alone may count more. */
  readonly weightOf?: (value: T) => number;
  readonly mostWeight?: number;
}

/** Creates a cache of at most `most` values. */
export function createLruCache<T>(
  most: number,
  { drop = async () => undefined, weightOf = () => 0, mostWeight = 0 }: LruOptions<T> = {},
): LruCache<T> {
  interface Entry {
    readonly value: Promise<T>;
    weight: number;
  }
  const kept = new Map<string, Entry>();
  let weight = 0;
  const dropped = ({ value }: Entry) => value.then(drop, () => undefined);
  const forget = (key: string, entry: Entry) => {
    if (kept.get(key) !== entry) return;
    kept.delete(key);
    weight -= entry.weight;
  };
  const dropOldest = () => {
    for (const [key, entry] of kept) {
      if ((kept.size <= most && weight <= mostWeight) || kept.size === 1) return;
      forget(key, entry);
      void dropped(entry);
    }
  };
  return {
    async get(key, make) {
      const entry = kept.get(key) ?? { value: make(), weight: 0 };
      // The key moves to the end, because it was used last.
      kept.delete(key);
      kept.set(key, entry);
      dropOldest();
      try {
        const value = await entry.value;
        if (entry.weight === 0 && kept.get(key) === entry) {
          entry.weight = weightOf(value);
          weight += entry.weight;
          dropOldest();
        }
        return value;
      } catch (error) {
        forget(key, entry);
        throw error;
      }
    },
    has: (key) => kept.has(key),
    async clear() {
      const entries = [...kept.values()];
      kept.clear();
      weight = 0;
      await Promise.all(entries.map(dropped));
    },
  };
}
