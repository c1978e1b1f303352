// Keeps results as long as the object that they were derived from.

/**
 * Caches the result of `work` per object, compared by identity, for as long as the object is reachable. The object must not
 * change after the first call.
 */
export function memoizePerObject<Key extends object, Result>(
  work: (key: Key) => Result,
): (key: Key) => Result {
  const known = new WeakMap<Key, { readonly result: Result }>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before.result;
    const result = work(key);
    known.set(key, { result });
    return result;
  };
}
