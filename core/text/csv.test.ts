// Values of CSV: data as it is, and what a spreadsheet would run as a formula.
import { expect, it } from "vitest";
import { csvText, spreadsheetText } from "./csv.ts";

it("quotes values, and keeps formulas", () => {
  expect(csvText([["a", 'b "c", d', "=1+1", "x\ny"]])).toBe(`a,"b ""c"", d",=1+1,"x\ny"\r\n`);
});

it.each([
  ["=1+1", "'=1+1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["-1+cmd", "'-1+cmd"],
  ["-1.5e3", "-1.5e3"],
  ["a=1", "a=1"],
])("writes %s for a spreadsheet as %s", (text, written) => {
  expect(spreadsheetText(text)).toBe(written);
});
