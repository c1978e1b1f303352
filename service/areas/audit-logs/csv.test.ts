// Lines of CSV.
import { expect, it } from "vitest";
import { csvLine } from "./csv.ts";

it("quotes separators and line breaks, and does not let a cell be a formula", () => {
  expect(csvLine(["a", 'b "c", d', "=1+1", "x\ny"])).toBe(`a,"b ""c"", d",'=1+1,"x\ny"\r\n`);
});
