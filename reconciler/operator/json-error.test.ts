// Tests of where a torn file is torn.
import { describe, expect, it } from "vitest";
import { jsonErrorPosition } from "./json-error.ts";

describe("a stored file", () => {
  it.each([
    ['{\n "a": 1,\n "é": tru', "is torn: it ends at line 3, column 10 (byte 22)"],
    ['{\n "é": 1 2\n}', "is torn: it is no JSON from line 2, column 9 (byte 12) on"],
    ["", "is torn: it ends at line 1, column 1 (byte 1)"],
  ])("%j is told where it is torn", (text, told) => {
    expect(jsonErrorPosition(text)).toBe(told);
  });

  it("that is whole is not torn", () => {
    expect(jsonErrorPosition('{ "a": [1, "x"] }\n')).toBeUndefined();
  });
});
