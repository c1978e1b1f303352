// Tests of the description of JSON syntax errors.
import { describe, expect, it } from "vitest";
import { jsonErrorPosition } from "./json-error.ts";

describe("jsonErrorPosition", () => {
  it.each([
    ['{\n "a": 1,\n "é": tru', "is truncated: it ends at line 3, column 10 (byte 22)"],
    ['{"a": "b', "is truncated: it ends at line 1, column 9 (byte 9)"],
    ["", "is truncated: it ends at line 1, column 1 (byte 1)"],
    ['{\n "é": 1 2\n}', "is not valid JSON: comma expected at line 2, column 9 (byte 12)"],
    ['{"a": 1,}', "is not valid JSON: property name expected at line 1, column 9 (byte 9)"],
  ])("describes %j", (text, expected) => {
    expect(jsonErrorPosition(text)).toBe(expected);
  });

  it("describes values that are nested too deep to parse", () => {
    expect(jsonErrorPosition("[".repeat(300_000))).toMatch(/^is not valid JSON: /u);
  });

  it("returns undefined for valid JSON", () => {
    expect(jsonErrorPosition('{ "a": [1, "x"] }\n')).toBeUndefined();
  });
});
