// Tests that a list is divided without loss.
import { expect, it } from "vitest";
import { chunksOf } from "./chunks.ts";

it("returns full parts with the remainder as the last one, and no part of an empty list", () => {
  expect([...chunksOf([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
  expect([...chunksOf([1, 2], 2)]).toEqual([[1, 2]]);
  expect([...chunksOf([], 2)]).toEqual([]);
});
