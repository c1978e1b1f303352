// Tests the text that says how many rows of a table are not shown.
import { expect, it } from "vitest";
import { formatValue, moreRowsText } from "./format-value.ts";

it.each([
  ["0.6", "0.6"],
  ["104768.04", "104,768.04"],
  ["0.001", "0.001"],
  ["33.333333333333336", "33.33"],
  ["12345678901234567890", "12,345,678,901,234,567,890"],
  ["12345678901234567890.25", "12,345,678,901,234,567,890.25"],
  ["-9007199254740993", "-9,007,199,254,740,993"],
  ["NaN", "NaN"],
])("writes the number %s as %s", (value, text) => {
  expect(formatValue(value, { title: "A", kind: "measure", type: "number" } as never)).toBe(text);
});

it.each<[number, boolean, string]>([
  [0, false, ""],
  [1, false, "1 more row"],
  [2, false, "2 more rows"],
  [0, true, "more rows"],
  [7, true, "7+ more rows"],
])("announces %i remaining rows of a result that is cut off (%s) as %j", (left, isCut, text) => {
  expect(moreRowsText(left, isCut)).toBe(text);
});
