// Tests the text that says which rows and columns of a table are not shown.
import { expect, it } from "vitest";
import { moreText } from "./more-rows.ts";

it.each<[number, number, boolean, string]>([
  [0, 0, false, ""],
  [1, 0, false, "1 more row on the dashboard"],
  [2, 1, false, "2 more rows and 1 more column on the dashboard"],
  [0, 3, false, "3 more columns on the dashboard"],
  [0, 0, true, "more rows on the dashboard"],
  [7, 0, true, "7+ more rows on the dashboard"],
])(
  "announces %i remaining rows and %i columns, cut off (%s), as %j",
  (rows, columns, isCut, text) => {
    expect(moreText({ rows, columns }, isCut)).toBe(text);
  },
);
