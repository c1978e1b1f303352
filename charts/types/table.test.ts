// Tests the order of the values of a column.
import { expect, it } from "vitest";
import type { ChartValue } from "../model/model.ts";
import { compareCells } from "./table.ts";

function sorted(values: readonly ChartValue[], isNumeric: boolean, isDescending: boolean) {
  return values.toSorted((x, y) => compareCells([x, y], { isNumeric, isDescending }));
}

it("of numbers is exact, also of those that one double stands for", () => {
  const [small, large] = ["9007199254740992", "9007199254740993"];
  expect(sorted([large, "10", small, "9"], true, false)).toEqual(["9", "10", small, large]);
  expect(sorted([small, large], true, true)).toEqual([large, small]);
});

it("has missing values last in both directions", () => {
  expect(sorted([null, "b", "a"], false, false)).toEqual(["a", "b", null]);
  expect(sorted([null, "a", "b"], false, true)).toEqual(["b", "a", null]);
});
