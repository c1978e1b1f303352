// Tests of bounded batches.
import { expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { boundedBatches } from "./batches.ts";

const { journalBatchRecords: most, journalBatchCharacters: longest } = limits;
const sizes = (items: readonly string[]): readonly number[] =>
  boundedBatches(items, (item) => item).map((batch) => batch.length);

it("bounds a batch in count", () => {
  expect(sizes(Array.from({ length: 2 * most + 1 }, () => "a"))).toEqual([most, most, 1]);
});

it("bounds a batch in characters, and puts an item that is longer into a batch of its own", () => {
  // The JSON of a text has two quotes more.
  const half = "x".repeat(longest / 2 - 2);
  expect(sizes([half, half, "a"])).toEqual([2, 1]);
  expect(sizes([half, `${half}x`])).toEqual([1, 1]);
  expect(sizes(["a", "x".repeat(2 * longest), "b"])).toEqual([1, 1, 1]);
});

it("keeps the order, and makes no batch of nothing", () => {
  expect(boundedBatches(["a", "b"], (item) => item)).toEqual([["a", "b"]]);
  expect(boundedBatches([], String)).toEqual([]);
});
