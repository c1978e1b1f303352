// Counts the calls that reads would take without a cache.
import { canonical, type JsonObject } from "../core/json.ts";
import type { Reader } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";

/** Returns a reader over a cached one, and the calls that its distinct reads take where nothing is cached. */
export function countingReader(cached: Reader): {
  readonly reader: Reader;
  readonly calls: () => number;
} {
  const calls = new Map<string, number>();
  const count = ({ id }: { readonly id: string }, input: unknown, pages: number): void => {
    const key = `${id} ${canonical(input as JsonObject)}`;
    calls.set(key, Math.max(calls.get(key) ?? 0, pages));
  };
  const pagesOf = (items: readonly unknown[]) =>
    Math.max(1, Math.ceil(items.length / limits.pageMax));
  const reader: Reader = {
    ...cached,
    all: async (operation, input, ids) => {
      const items = await cached.all(operation, input, ids);
      count(operation, input, pagesOf(items));
      return items;
    },
    allWithin: async (pages, operation, input) => {
      const items = await cached.allWithin(pages, operation, input);
      count(operation, input, items === undefined ? pages : pagesOf(items));
      return items;
    },
    one: async (operation, input) => {
      const answer = await cached.one(operation, input);
      count(operation, input, 1);
      return answer;
    },
  };
  return { reader, calls: () => [...calls.values()].reduce((sum, pages) => sum + pages, 0) };
}
