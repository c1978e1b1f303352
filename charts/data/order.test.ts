// The order of values, series and rows.
import { describe, expect, it } from "vitest";
import {
  amount,
  dayAt,
  day,
  draw,
  optionOf,
  region,
  result,
} from "../../test/support/chart-samples.ts";
import type { ChartValue } from "../model/model.ts";
import { compareCells, compareTexts } from "./order.ts";

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

it("of texts has numbers by their size, on every machine", () => {
  expect(["bike 10", "Bike 2", "ähre", "Bike 1"].toSorted(compareTexts)).toEqual([
    "ähre",
    "Bike 1",
    "Bike 2",
    "bike 10",
  ]);
});

describe("series and rows of a pivot", () => {
  // The first period has neither all bikes nor these in order.
  const bikes = [
    [dayAt(0), "Bike 10", "1"],
    [dayAt(0), "Bike 2", "9"],
    [dayAt(1), "Bike 1", "3"],
    [dayAt(1), "Bike 10", "2"],
  ];
  const names = (rows: readonly (readonly string[])[], config = {}) =>
    optionOf(draw(result([day, region, amount], rows), { chart: "bar", ...config })).series.map(
      ({ name }) => name,
    );
  const rowsOf = (rows: readonly (readonly string[])[], config = {}) => {
    const pivot = { rows: ["orders.region"], columns: ["orders.at"] };
    const model = draw(result([day, region, amount], rows), { chart: "pivot", pivot, ...config });
    return model.kind === "pivot" ? model.table.rows.map(({ cells }) => cells[0]?.text) : [];
  };

  it("are in the order of their values where the rows follow in time", () => {
    const byValue = ["Bike 1", "Bike 2", "Bike 10"];
    for (const rows of [bikes, bikes.toReversed()]) {
      expect(names(rows)).toEqual(byValue);
      expect(rowsOf(rows)).toEqual(byValue);
    }
  });

  it("are in the order of the result otherwise", () => {
    const largestFirst = bikes.toSorted(([, , a], [, , b]) => Number(b) - Number(a));
    const order = ["Bike 2", "Bike 1", "Bike 10"];
    expect(names(largestFirst)).toEqual(order);
    expect(rowsOf(largestFirst)).toEqual(order);
    expect(rowsOf(bikes, { sort: "-orders.amount" })).toEqual(order);
  });

  it("are in the order of the result where it follows the times of a measure", () => {
    const last = { ...amount, type: "time" };
    const rows = ["Bike 2", "Bike 10", "Bike 1"].map((name, index) => [name, dayAt(index)]);
    const pivot = { rows: ["orders.region"], columns: [] };
    const model = draw(result([region, last], rows), { chart: "pivot", pivot });
    const shown = model.kind === "pivot" ? model.table.rows.map(({ cells }) => cells[0]?.text) : [];
    expect(shown).toEqual(["Bike 2", "Bike 10", "Bike 1"]);
  });
});
