// The line diff of two texts, and what is shown of a long one.
import { expect, it } from "vitest";
import { limits } from "../../core/limits.ts";
import { lineDiff, shownLines } from "./line-diff.ts";

const numbered = (count: number, name: string): string =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`).join("\n");

it("shows removed, added and common lines in order", () => {
  expect(shownLines(lineDiff("a\nb\nc", "a\nx\nc\nd"))).toEqual([
    "  a",
    "- b",
    "+ x",
    "  c",
    "+ d",
  ]);
});

it("counts what it leaves out", () => {
  const [before, after] = [numbered(100, "line"), `${numbered(100, "line")}\nlast`];
  expect(shownLines(lineDiff(before, after))).toEqual([
    "… 98 unchanged",
    "  line 98",
    "  line 99",
    "+ last",
  ]);
});

it("shows a text with too many differences as replaced", () => {
  const count = limits.textLineEdits;
  const lines = lineDiff(`same\n${numbered(count, "old")}`, `same\n${numbered(count, "new")}`);
  expect(lines.slice(0, count + 1).every(({ sign }) => sign === "-")).toBe(true);
  expect(lines.slice(count + 1).every(({ sign }) => sign === "+")).toBe(true);
});
