// Tests the text that says how many rows of a table are not shown.
import { expect, it } from "vitest";
import { moreRowsText } from "./more-rows.ts";

it.each<[number, boolean, string]>([
  [0, false, ""],
  [1, false, "1 more row"],
  [2, false, "2 more rows"],
  [0, true, "more rows"],
  [7, true, "7+ more rows"],
])("announces %i remaining rows of a result that is cut off (%s) as %j", (left, isCut, text) => {
  expect(moreRowsText(left, isCut)).toBe(text);
});
