// The lines of a field before and after a change.
import { expect, it } from "vitest";
import { differenceOf } from "./difference.ts";

const shown = (...values: Parameters<typeof differenceOf>) =>
  differenceOf(...values).map(
    ({ side, text }) => `${{ before: "-", after: "+", both: " " }[side]}${text}`,
  );

it("shows the lines between which two texts differ, with two around them", () => {
  const [before, after] = ["a\nb\nc\nd\ne\nf\ng", "a\nb\nc\nX\nY\ne\nf\ng"];
  expect(shown(before, after)).toEqual([" b", " c", "-d", "+X", "+Y", " e", " f"]);
});

it("shows a value that comes or goes, and lines that repeat", () => {
  expect(shown(undefined, "new")).toEqual(["+new"]);
  expect(shown({ a: [1] }, undefined)).toEqual(["-{", '-  "a": [', "-    1", "-  ]", "-}"]);
  expect(shown("x\nx", "x\nx\nx")).toEqual([" x", " x", "+x"]);
  expect(shown(null, false)).toEqual(["-null", "+false"]);
});

it("cuts what is too long, and shows what is invisible", () => {
  expect(shown(undefined, "y".repeat(30_000)).at(-1)).toBe("+… 10000 more characters");
  expect(shown(undefined, "a\u202eb").join("")).not.toContain("\u202e");
});
