// Tests the suggestions for misspelled names.
import { closestMatch, oneTypoMatch } from "./naming.ts";
import { expect, it } from "vitest";

it("counts two swapped neighbours as one edit", () => {
  expect(oneTypoMatch("tpye", ["type"])).toBe("type");
  expect(oneTypoMatch("tpey", ["type"])).toBeUndefined();
});

it("prefers two swapped neighbours to two other edits", () => {
  expect(closestMatch("tpye", ["tape", "typo", "type"])).toBe("type");
});

it("counts two swapped letters that are not neighbours as two edits", () => {
  expect(oneTypoMatch("eypt", ["type"])).toBeUndefined();
  expect(closestMatch("eypt", ["type"])).toBe("type");
});
