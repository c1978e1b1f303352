// A bounded cache: what it keeps, what it drops, and that it makes each value once.
import { expect, test } from "vitest";
import { createLruCache } from "./lru-cache.ts";

function counted(most: number, mostWeight = Infinity) {
  const dropped: number[] = [];
  const made: string[] = [];
  const cache = createLruCache<number>(most, {
    drop: async (value) => void dropped.push(value),
    weightOf: (value) => value,
    mostWeight,
  });
  const get = (key: string, value = 1) =>
    cache.get(key, async () => {
      made.push(key);
      return value;
    });
  return { cache, get, dropped, made };
}

test("the values that were used last are kept", async () => {
  const { cache, get, made } = counted(2);
  for (const key of ["a", "b", "a", "c", "a"]) await get(key);
  expect([made, cache.has("b")]).toEqual([["a", "b", "c"], false]);
});

test("the oldest values are dropped until the rest is light enough, but one is always kept", async () => {
  const { cache, get, dropped } = counted(10, 10);
  await get("a", 4);
  await get("b", 3);
  await get("c", 5);
  expect(dropped).toEqual([4]);
  await get("d", 100);
  expect(dropped).toEqual([4, 3, 5]);
  expect(cache.has("d")).toBe(true);
  await get("e", 2);
  await get("f", 8);
  expect([cache.has("d"), cache.has("e"), cache.has("f")]).toEqual([false, true, true]);
});

test("simultaneous callers share a value, and one that fails leaves no weight", async () => {
  const { cache, get, made } = counted(10, 10);
  await Promise.all([get("a", 6), get("a", 6)]);
  expect(made).toEqual(["a"]);
  const failing = () => cache.get("b", () => Promise.reject(new Error("no")));
  await expect(Promise.all([failing(), failing()])).rejects.toThrow("no");
  await get("c", 4);
  expect([cache.has("a"), cache.has("b"), cache.has("c")]).toEqual([true, false, true]);
});
