// The line diff of two texts, and the part that is shown of a long one.
import { expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { itemDiff, lineDiff, shownLines } from "./line-diff.ts";

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

it("shows which items of a list changed, and which members of an object", () => {
  const names = Array.from({ length: 30 }, (_, index) => `group ${index}`);
  const changed = ["first", ...names.filter((_, index) => index !== 20)];
  expect(shownLines(itemDiff(names, changed) ?? [], "item")).toEqual([
    '+ "first"',
    '  "group 0"',
    '  "group 1"',
    "… 16 unchanged",
    '  "group 18"',
    '  "group 19"',
    '- "group 20"',
    '  "group 21"',
    '  "group 22"',
    "… 7 unchanged",
  ]);
  expect(shownLines(itemDiff({ b: 1, a: [1] }, { b: 2, a: [1] }) ?? [], "item")).toEqual([
    '- "b": 1',
    '+ "b": 2',
    '  "a": [1]',
  ]);
  const live = [
    { id: 1, type: "TABLE" },
    { id: 2, type: "CHART" },
  ];
  const declared = [
    { type: "CHART", id: 2 },
    { type: "TEXT", id: 1 },
  ];
  expect(shownLines(itemDiff(live, declared) ?? [], "item")).toEqual([
    '- {"type":"TABLE","id":1}',
    '  {"type":"CHART","id":2}',
    '+ {"type":"TEXT","id":1}',
  ]);
  expect(itemDiff(["a"], "a")).toBeUndefined();
});

it("shows a long item around its difference, and counts the items that it leaves out", () => {
  const actions = Array.from({ length: 200 }, (_, index) => `Action${index}`);
  const policy = (last: string) => [{ actions: [...actions, last] }];
  const [removed, added] = shownLines(itemDiff(policy("Read"), policy("Write")) ?? [], "item");
  expect(removed).toMatch(/^- ….*"Read"\]\}$/u);
  expect(added).toMatch(/^\+ ….*"Write"\]\}$/u);
  const many = Array.from({ length: limits.textLinesShown + 7 }, (_, index) => index);
  expect(shownLines(itemDiff(undefined, many) ?? [], "item").at(-1)).toBe("… 7 more changed items");
});
